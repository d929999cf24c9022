package model_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// symbolsAt returns the values of the symbols of the tests.
func symbolsAt(name string) int64 { return map[string]int64{"n": 7, "p2o.Dim.0": 3, "x:2": 10}[name] }

// TestFormula computes formulas.
func TestFormula(t *testing.T) {
	for text, want := range map[string]int64{
		"64":                     64,
		"64+1024*n+48*n^2":       64 + 1024*7 + 48*49,
		"64*ceil(n/2)":           64 * 4,
		"64*floor(n/2)":          64 * 3,
		"(n+1)//3*x:2":           2 * 10,
		"ceiling((n-8)/3)":       0,
		"floor((n-8)/3)":         -1,
		"-n + 2*p2o.Dim.0^3":     -7 + 54,
		"2*(n-3)^2 - n":          25,
		"n^0*ceil(n/x:2)":        1,
		"4*floor((n*n-1)/(n+1))": 24,
	} {
		f, err := model.ParseFormula(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.At(symbolsAt); got != want || err != nil {
			t.Errorf("%s is %d (%v), want %d", text, got, err, want)
		}
		if f.String() != text {
			t.Errorf("%s became %s", text, f)
		}
	}
}

// TestFormulaRefuses has texts that are no formulas, and formulas without a value.
func TestFormulaRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "it ends where a number or a symbol is expected",
		"64*":                     "it ends where",
		"n n":                     `expected an operator before "n"`,
		"(n+1":                    "a ) is missing",
		"n/2":                     `expected an operator before "/2"`,
		"floor(n)":                "floor holds a division, as in floor(width/8)",
		"ceil(n+1/2)":             "a sum above a division stands in parentheses",
		"n^n":                     "an exponent is a whole number from 0 to 16",
		"n^99":                    "an exponent is a whole number from 0 to 16",
		"99999999999999999999":    "is no whole number up to",
		"n$":                      `expected an operator before "$"`,
		"*n":                      `expected a number or a symbol before "*n"`,
		strings.Repeat("(", 4000): "more than 64 parentheses stand in each other",
		strings.Repeat("1", 5000): "is longer than 4096 bytes",
		"floor(n/(n-7))":          "divides by zero or less",
		"99999999999^3":           "on the way",
		"n*2305843009213693951":   "on the way",
	} {
		f, err := model.ParseFormula(text)
		if err == nil {
			_, err = f.At(symbolsAt)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
}

// TestFormulaSpan holds spans against all values: they hold each, and a formula that is said to rise takes both ends.
func TestFormulaSpan(t *testing.T) {
	for _, text := range []string{
		"64+1024*a+48*b^2", "64*ceil((a-1)/3)+b", "100-a*b", "(a-2)*(b-3)+50", "floor((a*b+7)/(b+1))", "a-a+b", "-(a-b)", "7-3",
	} {
		f := must.Get(model.ParseFormula(text))(t)
		ranges := map[string]model.Span{"a": {Low: 1, High: 6, Rising: true}, "b": {Low: 0, High: 5, Rising: true}}
		span := must.Get(f.Over(func(name string) model.Span { return ranges[name] }))(t)
		var all []int64
		for a := int64(1); a <= 6; a++ {
			before := int64(-1 << 62)
			for b := range int64(6) {
				v := must.Get(f.At(func(name string) int64 { return map[string]int64{"a": a, "b": b}[name] }))(t)
				if span.Rising && v < before {
					t.Errorf("%s falls at a=%d b=%d", text, a, b)
				}
				before = v
				all = append(all, v)
			}
		}
		low, high := slices.Min(all), slices.Max(all)
		if low < span.Low || high > span.High || span.Rising && (low != span.Low || high != span.High) {
			t.Errorf("%s is from %d to %d, and said to be %v", text, low, high, span)
		}
	}
}

// family returns a family of three buffers with these formulas.
func family(t *testing.T, symbols []model.Symbol, texts ...string) *model.Family {
	t.Helper()
	f := &model.Family{Problem: &model.Problem{}, Symbols: symbols}
	for i, text := range texts {
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{ID: string(rune('a' + i)), Upper: 1})
		f.Formulas = append(f.Formulas, must.Get(model.ParseFormula(text))(t))
	}
	return f
}

// TestFamilyLargest finds the largest sizes, and the point that has them.
func TestFamilyLargest(t *testing.T) {
	n := []model.Symbol{{Name: "n", Low: 2, High: 9, Step: 3}, {Name: "m", Low: 1, High: 4}} // n is 2, 5, 8
	for _, c := range []struct {
		texts []string
		sizes []int64
		name  string
	}{
		{[]string{"n*m", "n+1"}, []int64{32, 9}, "n=8,m=4"},
		{[]string{"10-n", "m"}, []int64{8, 4}, "n=2,m=4"},
		{[]string{"10-n", "n"}, []int64{8, 8}, "maximum"},
		{[]string{"17-(n-5)^2", "m"}, []int64{17, 4}, "n=5,m=4"},
	} {
		f := family(t, n, c.texts...)
		if err := f.Complete(); err != nil {
			t.Fatal(err)
		}
		if got := f.SizesAt(-1); !slices.Equal(got, c.sizes) || f.Name(f.Largest) != c.name || f.Points() != 12 {
			t.Errorf("%v: %v at %s of %d", c.texts, got, f.Name(f.Largest), f.Points())
		}
		for point := range f.Points() {
			if again, err := f.PointOf(f.Values(point)); again != point || err != nil {
				t.Errorf("point %d is %v, and that is point %d (%v)", point, f.Values(point), again, err)
			}
		}
	}
	lists := &model.Family{
		Problem: &model.Problem{Buffers: make([]model.Buffer, 2)}, Scenarios: []string{"x", "y", "z"},
		Sizes: [][]int64{{1, 2}, {3, 0}, {3, 2}},
	}
	if err := lists.Complete(); err != nil || lists.Name(lists.Largest) != "z" {
		t.Errorf("%v, largest %d", err, lists.Largest)
	}
}

// TestFamilySpread: points that stand for many have all corners, and are in order.
func TestFamilySpread(t *testing.T) {
	symbols := []model.Symbol{{Name: "n", Low: 1, High: 100_000}, {Name: "m", Low: 1, High: 3}, {Name: "k", Low: 7, High: 7}}
	f := family(t, symbols, "n*m*k")
	points := f.Spread(4096)
	for _, corner := range [][]int64{{1, 1, 7}, {1, 3, 7}, {100_000, 1, 7}, {100_000, 3, 7}} {
		if at := must.Get(f.PointOf(corner))(t); !slices.Contains(points, at) {
			t.Errorf("%v is missing", corner)
		}
	}
	if !slices.IsSorted(points) || len(points) > 4096 || len(points) < 40 {
		t.Errorf("%d points, in order: %v", len(points), slices.IsSorted(points))
	}
}

// TestFamilyRefuses has families that cannot be planned.
func TestFamilyRefuses(t *testing.T) {
	two := model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1}, {ID: "b", Upper: 9}}}
	windowed, ruled := two, two
	windowed.Buffers = slices.Clone(two.Buffers)
	windowed.Buffers[1].Gaps = []model.Gap{{Lower: 2, Upper: 3, Window: &model.Window{Upper: 1}}}
	ruled.Rules = &model.Rules{Apart: []model.Pair{{0, 1}}}
	n := []model.Symbol{{Name: "n", Low: 1, High: 9}}
	for want, f := range map[string]*model.Family{
		"the family has no problem":                   {},
		"the family has no scenario":                  {Problem: &two},
		"the scenario has 1 sizes for 2 buffers":      {Problem: &two, Scenarios: []string{"x"}, Sizes: [][]int64{{1}}},
		"two scenarios have this name":                {Problem: &two, Scenarios: []string{"x", "x"}, Sizes: [][]int64{{1, 1}, {1, 1}}},
		`buffer b: sizes "-1": must be from 0`:        {Problem: &two, Scenarios: []string{"x"}, Sizes: [][]int64{{1, -1}}},
		`buffer a: size "0": must be at least 1`:      {Problem: &two, Scenarios: []string{"x"}, Sizes: [][]int64{{0, 1}}},
		"a gap with a window does not go with":        {Problem: &windowed, Scenarios: []string{"x"}, Sizes: [][]int64{{1, 1}}},
		"apart: does not go with sizes that vary":     {Problem: &ruled, Scenarios: []string{"x"}, Sizes: [][]int64{{1, 1}}},
		"a family has scenarios or symbols, not both": {Problem: &two, Scenarios: []string{"x"}, Symbols: n},
		"the symbol m has no range":                   family(t, n, "m"),
		"is -8 at the lowest values":                  family(t, n, "n-9"),
		"is -1 at n=7":                                family(t, n, "6-n"),
		"two symbols have this name":                  family(t, []model.Symbol{n[0], n[0]}, "n"),
		"the range must be from low to high":          family(t, []model.Symbol{{Name: "n", Low: 9, High: 1}}, "n"),
		"is not known to rise":                        family(t, []model.Symbol{{Name: "n", Low: 1, High: 1 << 30}}, "1073741825-n"),
		"exceeds 2305843009213693951":                 family(t, []model.Symbol{{Name: "n", Low: 1, High: 1 << 60}}, "n^2"),
		"at most 8 symbols": family(t, []model.Symbol{
			{Name: "n"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}, {Name: "h"}, {Name: "i"},
		}, "n"),
	} {
		if err := f.Complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestOrder places an order by hand: alignments, a fixed offset, and sizes that are too large for it.
func TestOrder(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Alignment: 24}, {ID: "b", Alignment: 8}, {ID: "c"}, {ID: "d", Fixed: new(int64(1 << 40))},
	}}
	below := [][]int32{{1}, {2}, {}, {0, 1}}
	o := must.Get(model.NewOrder(p, below, nil))(t)
	offsets := make([]int64, 4)
	height, err := o.Place([]int64{5, 9, 3, 7}, offsets)
	if want := []int64{24, 8, 0, 1 << 40}; err != nil || !slices.Equal(offsets, want) || height != 1<<40+7 {
		t.Errorf("%v, height %d, %v; want %v", offsets, height, err, want)
	}
	if _, err := o.Place([]int64{1 << 41, 9, 3, 7}, offsets); err != model.ErrFixed {
		t.Errorf("%v, want ErrFixed", err)
	}
	for _, sizes := range [][]int64{{1, 2}, {-1, 1, 1, 1}, {1, 1, model.MaxSum + 1, 1}} {
		if _, err := o.Place(sizes, offsets[:len(sizes)]); err == nil {
			t.Errorf("sizes %v were placed", sizes)
		}
	}
	for i, list := range o.Below() {
		if !slices.Equal(list, below[i]) {
			t.Errorf("buffer %d lies above %v, want %v", i, list, below[i])
		}
	}
	for want, below := range map[string][][]int32{
		"lies above itself": {{1}, {2}, {0}, {}}, "lies above number 9": {{9}, {}, {}, {}}, "lists for 1 of 4": {{}},
	} {
		if _, err := model.NewOrder(p, below, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", below, err, want)
		}
	}
}
