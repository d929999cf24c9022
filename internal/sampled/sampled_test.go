package sampled

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

func symbol(name string, low, high, step int64) model.Symbol {
	return model.Symbol{Name: name, Low: low, High: high, Step: step}
}

// problem has n buffers.
func problem(n int) *model.Problem {
	p := &model.Problem{}
	for i := range n {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint("b", i), Lower: 0, Upper: 1, Size: 1})
	}
	return p
}

// TestFormulas: sizes as models have them get the formula that one would write.
func TestFormulas(t *testing.T) {
	type size func(n, m int64) int64
	for _, x := range []struct {
		symbols []model.Symbol
		round   int64
		size    size
		want    string
	}{
		{[]model.Symbol{symbol("n", 1, 64, 1)}, 1, func(n, _ int64) int64 { return 7 }, ""},
		{[]model.Symbol{symbol("n", 1, 64, 1)}, 1, func(n, _ int64) int64 { return 4*n + 12 }, "4*n+12"},
		{[]model.Symbol{symbol("n", 1, 64, 1)}, 64, func(n, _ int64) int64 { return 64*n + 128 }, "64*n+128"},
		{[]model.Symbol{symbol("n", 1, 64, 1)}, 64, func(n, _ int64) int64 { return 4 * n }, "64*ceil((4*n)/64)"},
		{[]model.Symbol{symbol("n", 3, 64, 1)}, 1, func(n, _ int64) int64 { return 8 * (n - 2) }, "8*n-16"},
		{[]model.Symbol{symbol("n", 3, 64, 1)}, 1, func(n, _ int64) int64 { return 8 * (n - 2) * (n - 2) }, "8*(n-3)^2+16*(n-3)+8"},
		{[]model.Symbol{symbol("n", 1, 512, 1)}, 1, func(n, _ int64) int64 { return 12 * n * n }, "12*n^2"},
		{[]model.Symbol{symbol("n", 1, 512, 1)}, 1, func(n, _ int64) int64 { return n * (n + 1) / 2 }, "floor((n^2+n)/2)"},
		{[]model.Symbol{symbol("n", 1, 512, 1)}, 1, func(n, _ int64) int64 { return 16 * ((n + 1) / 2) }, "16*floor((n+1)/2)"},
		{[]model.Symbol{symbol("n", 32, 1024, 32)}, 1, func(n, _ int64) int64 { return 16 * ((n-3)/2 + 1) }, "8*n-16"},
		{[]model.Symbol{symbol("n", 1, 100000, 1)}, 1, func(n, _ int64) int64 { return 3 * ((n + 99) / 160) }, "3*floor((n+99)/160)"},
		{
			[]model.Symbol{symbol("b", 1, 8, 1), symbol("n", 1, 512, 1)},
			1,
			func(b, n int64) int64 { return 48*b*n*n + 4*b + 6 }, "48*b*n^2+4*b+6",
		},
		{
			[]model.Symbol{symbol("h", 32, 320, 1), symbol("w", 32, 640, 1)},
			64,
			func(h, w int64) int64 { return 24 * ((h + 3) / 4) * ((w + 7) / 8) }, "64*ceil((24*floor((h+3)/4)*floor((w+7)/8))/64)",
		},
	} {
		f := must.Get(Of(problem(1), x.symbols, x.round, func(v []int64) ([]int64, error) {
			return []int64{x.size(v[0], v[len(v)-1])}, nil
		}))(t)
		if f.Left > 0 || f.Formulas == nil {
			t.Errorf("%s: no formula", x.want)
			continue
		}
		got := ""
		if f.Formulas[0] != nil {
			got = f.Formulas[0].String()
		}
		if got != x.want {
			t.Errorf("the formula is %s, want %s", got, x.want)
		}
	}
}

// TestDrawn: the formulas that are found for drawn sizes give the right size at any value, also at those that were not
// looked at.
func TestDrawn(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		var symbols []model.Symbol
		for k := range 1 + r.IntN(2) {
			low := r.Int64N(40)
			symbols = append(symbols, symbol(fmt.Sprint("s", k), low, low+r.Int64N(3000), 1+r.Int64N(3)))
		}
		type part struct{ a, s, c, e int64 }
		var parts [3][2][]part // of each buffer and symbol
		for i := range parts {
			for k := range parts[i] {
				s := []int64{1, 1, 2, 4, 8, 3, 32}[r.IntN(7)]
				c := r.Int64N(s)
				for e := range int64(3) {
					parts[i][k] = append(parts[i][k], part{r.Int64N(5), s, c, e})
				}
				parts[i][k][0].a++
			}
		}
		size := func(i int, v []int64) int64 {
			product := int64(1)
			for k := range v {
				sum := int64(0)
				for _, x := range parts[i][k] {
					power := int64(1)
					for range x.e {
						power *= (v[k] + x.c) / x.s
					}
					sum += x.a * power
				}
				product *= sum
			}
			return product
		}
		f := must.Get(Of(problem(3), symbols, 16, func(v []int64) ([]int64, error) {
			return []int64{size(0, v), size(1, v), size(2, v)}, nil
		}))(t)
		if f.Left > 0 {
			t.Fatalf("seed %d: %d buffers have no formula", seed, f.Left)
		}
		for range 300 {
			point := r.Int64N(f.Points())
			for i, got := range f.SizesAt(point) {
				if want := (size(i, f.Values(point)) + 15) / 16 * 16; got != want {
					t.Fatalf("seed %d: buffer %d has %d bytes at %s, want %d: %v", seed, i, got, f.Name(point), want, f.Formulas[i])
				}
			}
		}
	}
}

// TestLine: the values of a symbol that are looked at ascend, and are few however long its range is.
func TestLine(t *testing.T) {
	for _, s := range []model.Symbol{
		symbol("n", 1, 9, 2), symbol("n", 0, lineMost-1, 1), symbol("n", 5, lineMost+5, 1), symbol("n", 0, 1<<60, 3), symbol("n", 7, 100_000, 10),
	} {
		values, all := lineOf(s)
		count := (s.High-s.Low)/s.Step + 1
		if all != (count <= lineMost) || int64(len(values)) != min(count, lineMost) || values[0] != s.Low ||
			values[len(values)-1] != s.High-(s.High-s.Low)%s.Step {
			t.Errorf("%v: %d values, %v, up to %d", s, len(values), all, values[len(values)-1])
		}
		for k := 1; k < len(values); k++ {
			if values[k] <= values[k-1] || (values[k]-s.Low)%s.Step > 0 {
				t.Fatalf("%v: %d after %d", s, values[k], values[k-1])
			}
		}
	}
}

// TestScenarios: sizes without a formula become scenarios, exact at each value; a long range of them is refused.
func TestScenarios(t *testing.T) {
	odd := func(v []int64) ([]int64, error) { return []int64{64 + 7*(v[0]*v[0]%11), 32 * v[0]}, nil }
	f := must.Get(Of(problem(2), []model.Symbol{symbol("n", 1, 100, 1)}, 8, odd))(t)
	if f.Left != 1 || len(f.Scenarios) != 100 || f.Scenarios[9] != "n=10" || f.Sizes[9][0] != 72 || f.Sizes[9][1] != 320 {
		t.Errorf("%d buffers have no formula, and there are %d scenarios; the tenth is %v", f.Left, len(f.Scenarios), f.Sizes[9])
	}
	_, err := Of(problem(2), []model.Symbol{symbol("n", 1, 100_000, 1)}, 8, odd)
	if err == nil || !strings.Contains(err.Error(), "b0: size: follows no formula") {
		t.Errorf("the error is %v", err)
	}
}

// TestHeldOut: a formula that fits the line and the grid is still checked at other points.
func TestHeldOut(t *testing.T) {
	once := func(v []int64) ([]int64, error) {
		size := 8 * v[0] * v[1]
		if v[0] == 5 && v[1] == 7 {
			size += 8
		}
		return []int64{size}, nil
	}
	f := must.Get(Of(problem(1), []model.Symbol{symbol("n", 1, 20, 1), symbol("m", 1, 20, 1)}, 1, once))(t)
	if f.Left != 1 || f.Sizes[4*20+6][0] != 288 {
		t.Errorf("the odd size was not seen: %v", f.Formulas)
	}
}
