package layout

import (
	"math"
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// TestHatch hatches what two buffers share: lines at 45 degrees, inside of the rectangle and everywhere in it.
func TestHatch(t *testing.T) {
	gap := func(low, high int64) []model.Gap {
		return []model.Gap{{Lower: 10, Upper: 20, Window: &model.Window{Lower: low, Upper: high}}}
	}
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "operand", Lower: 0, Upper: 20, Size: 100, Gaps: gap(0, 100)},
		{ID: "result", Lower: 10, Upper: 30, Size: 100, Gaps: gap(0, 20)},
	}}
	over := render.Overlap{Result: 1, Operand: 0, Lower: 10, Upper: 20}
	f := figure(t, p, []int64{20, 0}, render.Options{Overlaps: []render.Overlap{over}}, screen)
	// A third of the time, and the bytes from 20 to 100 of 120.
	x0, x1 := f.Plot.X0+(f.Plot.X1-f.Plot.X0)/3, f.Plot.X0+(f.Plot.X1-f.Plot.X0)*2/3
	if len(f.Hatch) < 50 || len(f.Hatch) > maxHatch {
		t.Fatalf("%d lines", len(f.Hatch))
	}
	inside, last := 0.02, -1.0
	low, high := math.Inf(1), 0.0
	for _, l := range f.Hatch {
		if l.X0 < x0-inside || l.X1 > x1+inside || l.Y0 > f.Plot.Y1 || l.Y1 < f.Plot.Y0 ||
			math.Abs((l.X1-l.X0)-(l.Y0-l.Y1)) > inside {
			t.Errorf("a line from %v, %v to %v, %v", l.X0, l.Y0, l.X1, l.Y1)
		}
		at := l.X0 + l.Y0
		if last >= 0 && math.Abs(at-last-hatchStep) > inside {
			t.Errorf("lines %v apart", at-last)
		}
		last, low, high = at, min(low, l.Y1), max(high, l.Y0)
	}
	if part := (high - low) / (f.Plot.Y1 - f.Plot.Y0); part < 0.6 || part > 0.7 {
		t.Errorf("%v of the plot is hatched upwards", part)
	}
	over.Operand = 2
	if _, err := Plan(p, []int64{20, 0}, render.Options{Overlaps: []render.Overlap{over}}, screen); err == nil {
		t.Error("a buffer that is not there lies under another")
	}
	// Without overlaps there is neither hatching nor a note.
	if f := figure(t, p, []int64{20, 0}, render.Options{}, screen); len(f.Hatch) > 0 {
		t.Error("hatched without overlaps")
	}
}
