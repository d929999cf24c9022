package descend

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// stacker is a searcher that knows one plan for each partition: a stack in the
// order of the buffers. It refutes what is lower, after one node.
type stacker struct {
	tl     *timeline.Timeline
	budget *Budget
	asked  []int64
}

func (s *stacker) Fit(k int, height int64) ([]int64, Outcome) {
	s.asked = append(s.asked, height)
	if !s.budget.Spend() {
		return nil, Stopped
	}
	var offsets []int64
	at := int64(0)
	for _, i := range s.tl.Partitions[k].Buffers {
		offsets = append(offsets, at)
		at += s.tl.Problem.Buffers[i].Size
	}
	if at > height {
		s.budget.Backtracks++
		return nil, Refuted
	}
	return offsets, Found
}

// two is a problem of two partitions whose loads are 5 and 7. The first cannot
// be stacked lower than 6, which a stacker takes for its least height.
func two() *model.Problem {
	return &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 4, Size: 2},
		{ID: "c", Lower: 3, Upper: 5, Size: 1},
		{ID: "d", Lower: 5, Upper: 6, Size: 3},
		{ID: "e", Lower: 5, Upper: 6, Size: 4},
	}}
}

func runStacker(t *testing.T, p *model.Problem, o plan.Options, start bool) (plan.Result, *stacker) {
	t.Helper()
	tl := timeline.New(p)
	s := &stacker{tl: tl, budget: NewBudget(context.Background(), o)}
	r := Run(context.Background(), tl, o, s, s.budget, bound.Step(p), start)
	if r.Status.HasPlan() {
		if report := verify.Check(p, r.Offsets, o.Capacity); !report.OK() {
			t.Fatal(report.Violations)
		}
	} else if r.Offsets != nil {
		t.Fatalf("%v with offsets", r.Status)
	}
	return r, s
}

func TestRun(t *testing.T) {
	lone := int64(9)
	idle := two()
	idle.Buffers = append(idle.Buffers,
		model.Buffer{ID: "f", Lower: 0, Upper: 1, Size: 2, Gaps: []model.Gap{{Lower: 0, Upper: 1}}, Fixed: &lone})
	for _, c := range []struct {
		name   string
		p      *model.Problem
		o      plan.Options
		status model.Status
		asked  []int64
	}{
		{"any plan", two(), plan.Options{Capacity: 7}, model.Feasible, []int64{7, 7}},
		{"a refutation ends it", two(), plan.Options{Capacity: 5}, model.Infeasible, []int64{5}},
		{"the first plan, then the bound", two(), plan.Options{}, model.Optimal, []int64{6, 7}},
		{"the limit comes first", two(), plan.Options{NodeLimit: 1}, model.Unknown, []int64{6, 7}},
		{"a start that fits will do", two(), plan.Options{Capacity: 9, Start: []int64{2, 0, 2, 0, 3}}, model.Feasible, nil},
		{"a buffer that is never active counts", idle, plan.Options{Capacity: 10}, model.Infeasible, nil},
		{"and is the height", idle, plan.Options{}, model.Optimal, []int64{6, 7}},
	} {
		r, s := runStacker(t, c.p, c.o, false)
		if r.Status != c.status || !slices.Equal(s.asked, c.asked) {
			t.Errorf("%s: %v after asking %v; want %v, %v", c.name, r.Status, s.asked, c.status, c.asked)
		}
	}
}

// From a plan of height 8, only the highest partition is asked for less: one step lower, or first at the highest step
// within the capacity.
func TestDescends(t *testing.T) {
	p := two()
	for i := range p.Buffers {
		p.Buffers[i].Size *= 10
	}
	high := []int64{0, 60, 0, 0, 40} // heights 80 and 80
	r, s := runStacker(t, p, plan.Options{Start: high}, false)
	if want := []int64{70, 70}; !slices.Equal(s.asked, want) || r.Status != model.Optimal || r.Height != 70 {
		t.Errorf("asked %v, %v %d; want %v", s.asked, r.Status, r.Height, want)
	}
	p.Buffers[3].Size, p.Buffers[4].Size = 20, 20
	// Loads 50 and 40; the stack of the first is 60, so 50 is refuted.
	r, s = runStacker(t, p, plan.Options{Start: []int64{0, 60, 0, 0, 40}}, false)
	if want := []int64{70, 50}; !slices.Equal(s.asked, want) || r.Status != model.Optimal || r.Height != 60 {
		t.Errorf("asked %v, %v %d; want %v and 60", s.asked, r.Status, r.Height, want)
	}
	r, s = runStacker(t, p, plan.Options{Start: []int64{0, 60, 0, 0, 40}, Capacity: 55, Minimize: true}, false)
	if want := []int64{50}; !slices.Equal(s.asked, want) || r.Status != model.Infeasible || r.LowerBound != 56 {
		t.Errorf("asked %v, %v, bound %d; want %v", s.asked, r.Status, r.LowerBound, want)
	}
}

// A start may be above the capacity, and so may be the buffers in it that are never
// active: no search moves those, so they must not be taken from the start.
func TestIdleAtStart(t *testing.T) {
	p := two()
	p.Buffers = append(p.Buffers, model.Buffer{
		ID: "f", Lower: 0, Upper: 1, Size: 2, Gaps: []model.Gap{{Lower: 0, Upper: 1}},
	})
	for capacity, want := range map[int64]int64{0: 7, 7: 7, 8: 7} {
		r, _ := runStacker(t, p, plan.Options{Start: []int64{2, 0, 2, 0, 3, 100}, Capacity: capacity, Minimize: true}, false)
		if r.Status != model.Optimal || r.Height != want {
			t.Errorf("capacity %d: %v at %d; want %d", capacity, r.Status, r.Height, want)
		}
	}
}

func TestBudget(t *testing.T) {
	calls := 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := NewBudget(ctx, plan.Options{NodeLimit: 1 << 40, Progress: func(p plan.Progress) { calls++ }})
	for b.Spend() {
		if b.Nodes == 50_000 {
			cancel()
		}
	}
	if b.Nodes < 50_000 || b.Nodes == 1<<40 || calls == 0 {
		t.Errorf("stopped after %d nodes, %d reports", b.Nodes, calls)
	}
	b = NewBudget(context.Background(), plan.Options{NodeLimit: 3})
	for b.Spend() {
	}
	if b.Nodes != 3 || !b.Over() {
		t.Errorf("%d nodes of 3", b.Nodes)
	}
}
