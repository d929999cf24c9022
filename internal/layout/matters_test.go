package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/colour"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// spiked returns n buffers of which many live for an instant, also the largest:
// at the scale of a picture they are thinner than a pixel.
func spiked(n int) *model.Problem {
	p := sample.Random(n, 4)
	for k := range 60 {
		at := int64(n/3 + k/20)
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: fmt.Sprintf("spike%d", k), Lower: at, Upper: at + 1, Size: 900_000 + int64(k)})
	}
	return p
}

// highestNow returns who is live at a moment of the greatest load, and who while
// another ends at the height, by counting.
func highestNow(p *model.Problem, offsets []int64) map[int]bool {
	lower, upper := timeRange(p)
	height := model.HeightOf(p, offsets)
	load := make([]int64, upper-lower)
	top := make([]bool, upper-lower)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for t := b.Lower; t < b.Upper; t++ {
			load[t-lower] += b.Size
			top[t-lower] = top[t-lower] || offsets[i]+b.Size == height
		}
	}
	peak := slices.Max(load)
	who := map[int]bool{}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for t := b.Lower; t < b.Upper; t++ {
			if load[t-lower] == peak || top[t-lower] {
				who[i] = true
			}
		}
	}
	return who
}

// TestPeakIsDrawn: in a picture with no room for all, those that set the peak,
// and the largest, are drawn as themselves.
func TestPeakIsDrawn(t *testing.T) {
	const n = 20000
	p := spiked(n)
	offsets := make([]int64, len(p.Buffers))
	for i := range offsets[1:] { // no plan that is any good is needed
		offsets[i+1] = offsets[i] + p.Buffers[i].Size
	}
	wanted := highestNow(p, offsets)
	bySize := make([]int, len(offsets))
	for i := range bySize {
		bySize[i] = i
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(p.Buffers[b].Size, p.Buffers[a].Size) })
	for _, i := range bySize[:40] {
		wanted[i] = true
	}
	medium := screen
	medium.Singles, medium.Bare, medium.Runs = 400, 9000, 5000
	if len(wanted) < 300 || len(wanted) > 6000 {
		t.Fatalf("%d buffers set the peak: the test is not what it is meant to be", len(wanted))
	}
	g := must.Get(newPage(p, nil, render.Options{}, medium))(t)
	f := figure(t, p, offsets, render.Options{}, medium)
	singles := map[string]bool{}
	for _, s := range f.Shapes {
		id, _, _ := strings.Cut(s.Tip, ": time [")
		singles[id] = true
	}
	g.Figure = f
	g.x.lower, g.x.upper = timeRange(p)
	g.x.from, g.x.to = f.Plot.X0, f.Plot.X1
	bare := map[float64][]Rect{} // by the left edge
	rects := 0
	for _, fill := range f.Fills {
		for _, r := range fill.Rects {
			bare[r.X0] = append(bare[r.X0], r)
			rects++
		}
	}
	if rects > medium.Bare+medium.Runs || len(f.Shapes) > medium.Singles {
		t.Errorf("%d rectangles and %d elements", rects, len(f.Shapes))
	}
	for i := range wanted {
		b := &p.Buffers[i]
		if singles[b.ID] {
			continue
		}
		from, to := widened(round(g.x.at(b.Lower)), round(g.x.at(b.Upper)), f.Plot.X0, f.Plot.X1, shownSide)
		if !slices.ContainsFunc(bare[from], func(r Rect) bool { return r.X1 == to }) {
			t.Errorf("%s, size %d, is left out", b.ID, b.Size)
		}
	}
	for _, i := range bySize[:40] {
		if !singles[p.Buffers[i].ID] {
			t.Errorf("%s, one of the largest, is no element", p.Buffers[i].ID)
		}
	}
	note := ""
	for _, text := range f.Texts {
		if text.Role == Note {
			note += text.Text + " "
		}
	}
	var pieces, all, none, merged string
	if k, err := fmt.Sscanf(note, "Of %s rectangles %s have an outline and a label, %s have none, %s are merged",
		&pieces, &all, &none, &merged); k != 4 || pieces != "20,060" {
		t.Errorf("the picture says %q: %v", note, err)
	}
	if !strings.Contains(note, "None of the ") {
		t.Errorf("the picture says %q", note)
	}

	// With no room for them it says so.
	medium.Singles, medium.Bare = 100, 60
	f = figure(t, p, offsets, render.Options{}, medium)
	if !slices.ContainsFunc(f.Texts, func(text Text) bool {
		return strings.Contains(text.Text, "largest or in use at the peak") &&
			strings.Contains(text.Text, "smallest are merged")
	}) {
		t.Error("the picture does not say what it leaves out")
	}
}

// TestTallyAddsUp: what the picture says of its rectangles is all of them.
func TestTallyAddsUp(t *testing.T) {
	for _, m := range []struct{ singles, bare, runs int }{{0, 0, 3000}, {100, 300, 3000}, {1500, 5000, 100}} {
		medium := screen
		medium.Singles, medium.Bare, medium.Runs = m.singles, m.bare, m.runs
		p := sample.Random(4000, 9)
		offsets := sample.FirstFit(p)
		g := must.Get(newPage(p, nil, render.Options{}, medium))(t)
		g.Plot = Rect{0, 0, 1000, 600}
		g.x = scale{0, 4600, 0, 1000, nil}
		g.y = scale{0, model.HeightOf(p, offsets), 600, 0, nil}
		g.spread(offsets, colour.Apart(p, offsets), model.HeightOf(p, offsets), make([]bool, len(p.Buffers)))
		n := g.tally
		if n.pieces != n.singles+n.bare+n.merged+n.lost || n.pieces != 4000 || n.kept > n.ranked ||
			n.kept > n.singles+n.bare {
			t.Errorf("%+v: %+v", m, n)
		}
	}
}

// TestInvalid: a plan that breaks a rule says so in its heading, has no gap, and shows where.
func TestInvalid(t *testing.T) {
	p := sample.Paper()
	f := figure(t, p, []int64{8, 8, 4, 4, 0}, render.Options{}, screen)
	if strings.Contains(f.Description, "INVALID") || len(f.Clashes) > 0 || !strings.Contains(f.Description, "gap 0 %") {
		t.Errorf("a valid plan is described as %q", f.Description)
	}
	f = figure(t, p, []int64{6, 8, 4, 4, 0}, render.Options{}, screen) // b1 and b3 in [6, 8), and b3 has no room
	if want := `INVALID: running example: buffers "b1" (size 4 at offset 6) and "b3" (size 4 at offset 4) both use bytes [6, 8) at times [0, 3), 5 buffers, height 12`; !strings.HasPrefix(f.Description, want) {
		t.Errorf("described as %q", f.Description)
	}
	if strings.Contains(f.Description, "gap") {
		t.Errorf("an invalid plan has a gap: %q", f.Description)
	}
	if len(f.Clashes) != 2 { // and the swatch
		t.Fatalf("%d places", len(f.Clashes))
	}
	c, b1, b3 := f.Clashes[0], f.Shapes[0].Rects[0], f.Shapes[2].Rects[0]
	if c.X0 != b1.X0 || c.X1 != b1.X1 || c.Y1 != b1.Y1 || c.Y0 != b3.Y0 {
		t.Errorf("the place %v of %v and %v", c, b1, b3)
	}
	for i, want := range []bool{true, false, true, false, false} {
		if f.Shapes[i].Broken != want {
			t.Errorf("buffer %d: broken is %v", i, !want)
		}
	}
	if f.Texts[0].Role != Alarm || f.Texts[1].Role != Alarm {
		t.Error("the heading is as of any plan")
	}
	// All at zero, and lower than the load.
	f = figure(t, p, []int64{0, 0, 0, 0, 0}, render.Options{}, screen)
	if !strings.HasPrefix(f.Description, `INVALID: running example: 6 violations, such as buffers "b1"`) ||
		strings.Contains(f.Description, "gap") {
		t.Errorf("described as %q", f.Description)
	}
	// What the caller knows.
	f = figure(t, p, []int64{8, 8, 4, 4, 0}, render.Options{Warning: "the height 11 that plan.json claims is 12"}, screen)
	if !strings.HasPrefix(f.Description,
		"INVALID: running example: the height 11 that plan.json claims is 12, 5 buffers") {
		t.Errorf("described as %q", f.Description)
	}
	// A buffer with gaps meets another in several places.
	p = &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 9, Size: 4, Gaps: []model.Gap{{Lower: 2, Upper: 4}, {Lower: 6, Upper: 7}}},
		{ID: "b", Lower: 1, Upper: 9, Size: 4},
	}}
	if f = figure(t, p, []int64{0, 2}, render.Options{}, screen); len(f.Clashes) != 3+1 {
		t.Errorf("%d places, want 3 and the swatch", len(f.Clashes))
	}
}

// TestManyFaults: there is a bound on what is marked.
func TestManyFaults(t *testing.T) {
	p := sample.Random(3000, 1)
	f := figure(t, p, make([]int64, len(p.Buffers)), render.Options{}, screen)
	if n := len(f.Clashes); n < 100 || n > maxClashes+1 {
		t.Errorf("%d places", n)
	}
}
