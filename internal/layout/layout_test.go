package layout

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

var screen = Medium{
	Name:  "screen",
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 20000,
	Font: 12, Smallest: 7, TextScale: 1, Singles: 3000, Bare: 15000, Runs: 30000,
}

func figure(t testing.TB, p *model.Problem, offsets []int64, o render.Options, m Medium) *Figure {
	t.Helper()
	return must.Get(Plan(p, offsets, o, m))(t)
}

func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-model.MaxSum, model.MaxSum).Draw(t, "a")
		b := a
		if rapid.Bool().Draw(t, "near") {
			b += rapid.Int64Range(1, 100).Draw(t, "span")
		} else {
			b = rapid.Int64Range(-model.MaxSum, model.MaxSum).Draw(t, "b")
		}
		if a == b {
			b++
		}
		a, b = min(a, b), max(a, b)
		most := rapid.IntRange(3, 16).Draw(t, "most")
		got := newTicks(a, b, rapid.Bool().Draw(t, "binary"), func(t ticks) bool { return len(t.Values) <= most })
		if n := len(got.Values); n == 0 || n > most || n != len(got.Labels) {
			t.Fatalf("%d ticks in [%d, %d], most %d", n, a, b, most)
		}
		for i, v := range got.Values {
			if v < a || v > b {
				t.Fatalf("tick %d outside [%d, %d]", v, a, b)
			}
			if i > 0 && got.Labels[i] == got.Labels[i-1] {
				t.Fatalf("two ticks are labelled %s", got.Labels[i])
			}
			if i > 1 && v-got.Values[i-1] != got.Values[i-1]-got.Values[i-2] {
				t.Fatalf("uneven ticks %v", got.Values)
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Thousands(0), "0"},
		{Thousands(-1234567), "−1,234,567"},
		{Thousands(math.MinInt64), "−9,223,372,036,854,775,808"},
		{percent(0, 0), "0 %"},
		{percent(1, 100000), "< 0.1 %"},
		{percent(99999, 100000), "99.9 %"},
		{percent(5, 5), "100 %"},
		{percent(1, 3), "33.3 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestProfileAgainstCounting compares the sweep with a count at every moment.
func TestProfileAgainstCounting(t *testing.T) {
	for seed := range uint64(30) {
		p := sample.Random(25, seed)
		if seed%3 == 0 {
			p = sample.Gapped()
		}
		f := profile.New(p)
		lower, upper := timeRange(p)
		for at := lower; at < upper; at++ {
			var want int64
			for i := range p.Buffers {
				from, to := oracle.Used(&p.Buffers[i], at)
				want += to - from
			}
			k, found := slices.BinarySearch(f.Times, at)
			if !found {
				k--
			}
			if f.Loads[k] != want {
				t.Fatalf("seed %d: load %d at %d, want %d", seed, f.Loads[k], at, want)
			}
		}
		if want := slices.Max(f.Loads); f.Peak != want || f.Loads[f.At] != want {
			t.Errorf("seed %d: peak %d, want %d", seed, f.Peak, want)
		}
	}
}

// TestLabels checks that labels lie within the plot, apart from one another and
// from the lines, and that all other texts lie on the page.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ n, width, height int }{
		{5, 1200, 720}, {50, 1200, 720}, {500, 1200, 720}, {500, 400, 300}, {5000, 1600, 900}, {5000, 320, 240},
	} {
		p := sample.Random(c.n, 2)
		f := figure(t, p, sample.FirstFit(p), render.Options{Width: c.width, Height: c.height, Capacity: 1 << 19}, screen)
		g := &page{medium: screen}
		var boxes []Rect
		labels := 0
		for _, text := range f.Texts {
			w := g.textWidth(text.Text, text.Size)
			box := Rect{text.X, text.Y - 0.74*text.Size, text.X + w, text.Y + 0.2*text.Size}
			if text.Upright {
				box = Rect{text.X - 0.74*text.Size, text.Y - w, text.X + 0.2*text.Size, text.Y}
			}
			shift := [...]float64{Start: 0, Middle: w / 2, End: w}[text.Anchor]
			if text.Upright {
				box.Y0, box.Y1 = box.Y0+shift, box.Y1+shift
			} else {
				box.X0, box.X1 = box.X0-shift, box.X1-shift
			}
			if box.X0 < 0 || box.Y0 < 0 || box.X1 > f.Width || box.Y1 > f.Height {
				t.Errorf("%v: %q is off the page at %v", c, text.Text, box)
			}
			for i, other := range boxes {
				if box.X0 < other.X1 && other.X0 < box.X1 && box.Y0 < other.Y1 && other.Y0 < box.Y1 {
					t.Errorf("%v: %q overlaps text %d", c, text.Text, i)
				}
			}
			boxes = append(boxes, box)
			if text.Role != Label && text.Role != SubLabel {
				continue
			}
			labels++
			if box.X0 < f.Plot.X0 || box.X1 > f.Plot.X1 || box.Y0 < f.Plot.Y0 || box.Y1 > f.Plot.Y1 {
				t.Errorf("%v: label %q is off the plot at %v", c, text.Text, box)
			}
			for _, l := range f.Lines {
				if l.Style >= CapacityLine && !text.Upright && box.Y0 < l.Y0 && l.Y0 < box.Y1 {
					t.Errorf("%v: a line at %v crosses %q", c, l.Y0, text.Text)
				}
			}
		}
		if labels == 0 && c.width > 320 {
			t.Errorf("%v: no labels", c)
		}
	}
}

// TestEverySizeIsInUse compares the area that is drawn with the area that the buffers take, at each level of detail.
func TestEverySizeIsInUse(t *testing.T) {
	p := sample.Random(2000, 9)
	offsets := sample.FirstFit(p)
	for _, m := range []struct{ singles, bare, runs int }{{3000, 0, 0}, {100, 3000, 30000}, {0, 0, 30000}, {50, 200, 1500}} {
		medium := screen
		medium.Singles, medium.Bare, medium.Runs = m.singles, m.bare, m.runs
		f := figure(t, p, offsets, render.Options{}, medium)
		var drawn, want float64
		for _, s := range f.Shapes {
			for _, r := range s.Rects {
				drawn += r.width() * r.height()
			}
		}
		rects := 0
		for _, fill := range f.Fills {
			for _, r := range fill.Rects {
				area := r.width() * r.height()
				if fill.Faint {
					area *= 0.4 // the writers' opacity
				}
				drawn += area
				rects++
			}
		}
		lower, upper := timeRange(p)
		scale := f.Plot.width() / float64(upper-lower) * (f.Plot.height() - 0.6*medium.Font) / float64(model.HeightOf(p,
			offsets))
		for i := range p.Buffers {
			b := &p.Buffers[i]
			want += float64(b.Upper-b.Lower) * float64(b.Size) * scale
		}
		if math.Abs(drawn-want) > 0.15*want {
			t.Errorf("%+v: %.0f drawn, %.0f in use", m, drawn, want)
		}
		if len(f.Shapes) > max(m.singles, 0) || rects > m.bare+m.runs {
			t.Errorf("%+v: %d shapes and %d rectangles", m, len(f.Shapes), rects)
		}
	}
}

// TestThinLayersAreSolid checks that buffers far under a pixel high, stacked
// without a space between, add up to a full plot.
func TestThinLayersAreSolid(t *testing.T) {
	p := &model.Problem{}
	var offsets []int64
	for i := range int64(20000) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: "b" + Thousands(i), Lower: 0, Upper: 10, Size: 3})
		offsets = append(offsets, 3*i)
	}
	for _, runs := range []int{30000, 100} {
		medium := screen
		medium.Runs = runs
		f := figure(t, p, offsets, render.Options{}, medium)
		var drawn float64
		rects := 0
		for _, fill := range f.Fills {
			for _, r := range fill.Rects {
				if rects++; !fill.Faint {
					drawn += r.width() * r.height()
				}
			}
		}
		for _, shape := range f.Shapes {
			drawn += shape.Rects[0].width() * shape.Rects[0].height()
		}
		if full := f.Plot.width() * f.Plot.height(); drawn < 0.95*full || drawn > 1.05*full {
			t.Errorf("%d runs: %.0f of %.0f is drawn", runs, drawn, full)
		}
		if most := runs + screen.Bare; rects == 0 || rects > most {
			t.Errorf("%d rectangles, at most %d", rects, most)
		}
	}
}

// TestExtremes draws what overflows or divides by zero in a careless layout.
func TestExtremes(t *testing.T) {
	far := int64(model.MaxSum)
	for name, c := range map[string]struct {
		p       *model.Problem
		offsets []int64
	}{
		"empty":  {&model.Problem{}, nil},
		"one":    {&model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: 7, Upper: 8, Size: 1}}}, []int64{0}},
		"widest": {&model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: -far, Upper: far, Size: far - 1}}}, []int64{far}},
		"late":   {&model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: far - 1, Upper: far, Size: 1}}}, []int64{0}},
		"all gap": {
			&model.Problem{
				Buffers: []model.Buffer{{ID: "a", Lower: 0, Upper: 9, Size: 5, Gaps: []model.Gap{{Lower: 0, Upper: 9}}}},
			}, []int64{3},
		},
		"overlap": {
			&model.Problem{
				Buffers: []model.Buffer{{ID: "a", Lower: 0, Upper: 9, Size: 5}, {ID: "b", Lower: 0, Upper: 9, Size: 5}},
			}, []int64{0, 0},
		},
	} {
		for _, capacity := range []int64{0, 1, far} {
			f := figure(t, c.p, c.offsets, render.Options{Capacity: capacity}, screen)
			g := must.Get(Profile(c.p, render.Options{Capacity: capacity}, screen))(t)
			for _, f := range []*Figure{f, g} {
				check := func(what string, values ...float64) {
					for _, v := range values {
						if math.IsNaN(v) || v < -1 || v > 1201 {
							t.Errorf("%s: capacity %d: %s at %v", name, capacity, what, v)
						}
					}
				}
				for _, l := range f.Lines {
					check("line", l.X0, l.Y0, l.X1, l.Y1)
				}
				for _, text := range f.Texts {
					check("text", text.X, text.Y)
					if text.Role == Tick && text.Anchor == Middle {
						half := (&page{medium: screen}).textWidth(text.Text, text.Size) / 2
						check("end of a tick's label", text.X-half, text.X+half)
					}
				}
				for _, s := range f.Shapes {
					for _, r := range s.Rects {
						check("rectangle", r.X0, r.Y0, r.X1, r.Y1)
					}
				}
				for _, a := range f.Areas {
					for _, at := range a.Points {
						check("corner", at.X, at.Y)
					}
				}
			}
		}
	}
}

// TestThinnedProfile checks that the peak of every column of a profile with
// more steps than pixels is kept, and that nothing lingers after it.
func TestThinnedProfile(t *testing.T) {
	p := &model.Problem{}
	for i := range int64(10000) {
		size := 1 + i%7
		if i == 5000 {
			size = 1000
		}
		p.Buffers = append(p.Buffers, model.Buffer{ID: "b" + Thousands(i), Lower: i, Upper: i + 1, Size: size})
	}
	p.Buffers = append(p.Buffers, model.Buffer{ID: "last", Lower: 20000, Upper: 20001, Size: 500})
	f := must.Get(Profile(p, render.Options{}, screen))(t)
	points := f.Areas[0].Points
	if len(points) > int(5*f.Plot.width()) {
		t.Errorf("%d points for a width of %v", len(points), f.Plot.width())
	}
	top := slices.MinFunc(points, func(a, b Point) int { return int(math.Copysign(1, a.Y-b.Y)) })
	if want := f.Plot.X0 + f.Plot.width()*5000/20001; math.Abs(top.X-want) > 1 {
		t.Errorf("the peak is at %v, want %v", top.X, want)
	}
	// Nothing is live between 10000 and 20000: the outline runs along the base.
	base := round(f.Plot.Y1)
	flat := false
	for i := 1; i < len(points); i++ {
		if points[i].Y == base && points[i-1].Y == base && points[i].X-points[i-1].X > 0.45*f.Plot.width() {
			flat = true
		}
	}
	if !flat {
		t.Error("the idle half of the time is not drawn as idle")
	}
}
