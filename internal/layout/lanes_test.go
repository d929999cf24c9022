package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// pools is a problem of two pools and its plan.
func pools() (*model.Problem, []int64, render.Options) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 24},
			{ID: "b", Lower: 1, Upper: 5, Size: 24},
			{ID: "c", Lower: 2, Upper: 6, Size: 16},
			{ID: "d", Lower: 5, Upper: 8, Size: 32},
		},
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "tcm", Capacity: 64, Reserved: []model.Range{{Lower: 0, Upper: 16}}}, {ID: "dram", Cost: 1},
			},
			Apart:     []model.Pair{{0, 3}},
			Together:  []model.Together{{Buffers: []int32{1, 2}, At: []int64{0, 32}}},
			Penalties: []model.Penalty{{Buffers: model.Pair{1, 3}, Cost: 2}, {Buffers: model.Pair{0, 2}, Cost: 2}},
		},
	}
	return p, []int64{0, 16, 48, 16}, render.Options{Pools: []int32{1, 0, 0, 0}}
}

func textsOf(f *Figure) (all []string) {
	for _, t := range f.Texts {
		all = append(all, t.Text)
	}
	return all
}

// TestLanes: each pool has a lane with its own scale, its name, its ticks and its lines.
func TestLanes(t *testing.T) {
	p, offsets, o := pools()
	f := must.Get(Plan(p, offsets, o, screen))(t)
	all := textsOf(f)
	for _, want := range []string{
		"tcm · 64 of 64", "dram · 24 · cost 1 a byte", "tcm capacity", "dram height", "reserved bytes", "green line: tied",
		"red line: a penalty that is paid",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("the picture lacks %q: %q", want, all)
		}
	}
	if !strings.Contains(f.Description, "cost 24") || strings.Contains(f.Description, "INVALID") {
		t.Errorf("it is described as %q", f.Description)
	}
	zeros := 0
	for _, x := range f.Texts {
		if x.Role == Tick && x.Text == "0" && x.Anchor == End {
			zeros++
		}
	}
	if zeros != 2 {
		t.Errorf("%d lanes count from 0", zeros)
	}
	a, b, c, d := f.Shapes[0].Rects[0], f.Shapes[1].Rects[0], f.Shapes[2].Rects[0], f.Shapes[3].Rects[0]
	if a.Y1 != f.Plot.Y1 || a.Y0 < d.Y1+10 || b.Y1 != d.Y1 || c.Y0 >= b.Y0 {
		t.Errorf("the lanes are mixed: %v %v %v %v in %v", a, b, c, d, f.Plot)
	}
	if f.Shapes[1].Tip != "b: time [1, 5), size 24, offset 16, end 40, pool tcm" {
		t.Errorf("the tip is %q", f.Shapes[1].Tip)
	}
	styles := map[LineStyle]int{}
	for _, l := range f.Lines {
		styles[l.Style]++
	}
	if styles[TogetherLine] != 1 || styles[ApartLine] != 1 || styles[PenaltyLine] != 1 || len(f.Hatch) < 10 {
		t.Errorf("the picture has %v and %d lines of hatching", styles, len(f.Hatch))
	}
	for _, l := range f.Hatch[:5] {
		if l.Y0 < d.Y1-0.01 || l.Y1 > a.Y0 {
			t.Errorf("reserved bytes are hatched at %v, outside of [%v, %v]", l, d.Y1, a.Y0)
		}
	}
}

// TestLanesScale: a small memory beside a large one has a fair part of the height.
func TestLanesScale(t *testing.T) {
	p, offsets, o := pools()
	p.Buffers[0].Size = 1 << 20
	f := must.Get(Plan(p, offsets, o, screen))(t)
	if high := f.Shapes[3].Rects[0].height(); high < 20 {
		t.Errorf("32 of 64 bytes beside a mebibyte are %v high", high)
	}
}

// TestLanesInvalid: the plan is checked by its rules, and what is wrong is marked.
func TestLanesInvalid(t *testing.T) {
	p, offsets, o := pools()
	f := must.Get(Plan(p, []int64{0, 8, 40, 16}, o, screen))(t)
	if !strings.HasPrefix(f.Description, "INVALID: ") || !strings.Contains(f.Description, "reserved") ||
		!f.Shapes[1].Broken {
		t.Errorf("a plan in reserved bytes: %q, %+v", f.Description, f.Shapes[1])
	}
	for name, ask := range map[string]func() error{
		"pools":   func() error { _, err := Plan(p, offsets, render.Options{Pools: []int32{0}}, screen); return err },
		"offsets": func() error { _, err := Plan(p, offsets[:1], o, screen); return err },
	} {
		if ask() == nil {
			t.Errorf("wrong %s are drawn", name)
		}
	}
}

// TestLanesLinks: more links than a picture can bear are not drawn, and it says so.
func TestLanesLinks(t *testing.T) {
	p, offsets, o := pools()
	p.Rules.Together, p.Rules.Penalties = nil, nil
	for i := range 2 * maxLinks {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(i), Lower: int64(10 + i), Upper: int64(11 + i), Size: 8})
		p.Rules.Apart = append(p.Rules.Apart, model.Pair{0, int32(4 + i)})
		offsets, o.Pools = append(offsets, 16), append(o.Pools, 0)
	}
	f := must.Get(Plan(p, offsets, o, screen))(t)
	if slices.ContainsFunc(f.Lines, func(l Line) bool { return l.Style == ApartLine }) ||
		!slices.Contains(textsOf(f), "No lines for 121 pairs that rules name.") {
		t.Errorf("many links: %q", textsOf(f))
	}
}

// TestLanesTime: time that repeats ends at the period, and a life that crosses it is drawn twice.
func TestLanesTime(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: 6, Upper: 12, Size: 4}}, Rules: &model.Rules{Period: 10}}
	f, err := Plan(p, []int64{0}, render.Options{}, screen)
	if err != nil {
		t.Fatal(err)
	}
	if r := f.Shapes[0].Rects; len(r) != 2 || r[0].X0 != round(f.Plot.X0) || r[1].X1 != round(f.Plot.X1) {
		t.Errorf("a life over the end of the period is drawn at %v in %v", r, f.Plot)
	}
	clocked := &model.Problem{Buffers: []model.Buffer{{ID: "a", Size: 4}}, Rules: &model.Rules{Threads: 2}}
	clocked.Buffers[0].SetClocks([]int64{0, 1}, []int64{2, 3})
	if f, err = Plan(clocked, []int64{0}, render.Options{}, screen); err != nil ||
		!slices.Contains(textsOf(f), "Time is the sum of 2 clocks.") {
		t.Errorf("clocks: %v", err)
	}
}
