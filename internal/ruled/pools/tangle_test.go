package pools

import (
	"context"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// tangledSearch returns a search of a problem with clocks, and its one strip.
func tangledSearch(t *testing.T, p *model.Problem, o plan.Options) (*Search, *lower.Strip) {
	t.Helper()
	known := must.Get(plan.Find("auto"))(t)
	s := &Search{planner: run.Prepared(known), options: o}
	s.Lowering = lower.New(p)
	s.assign(make([]int32, len(p.Buffers)))
	return s, s.pools[0].strip
}

// TestTangle plans patterns with as many nodes on the graph and off it, and holds that the plans are lower on it and
// valid.
func TestTangle(t *testing.T) {
	on, off := 0.0, 0.0
	for seed, pattern := range []string{"pairs", "irregular"} {
		in := must.Get(gen.New("clocks", gen.Options{
			Buffers: 192, Seed: uint64(seed), Threads: 8, Pattern: pattern, MinSize: 1 << 10, MaxSize: 1 << 20,
		}))(t)
		p := in.Problem
		s, strip := tangledSearch(t, p, plan.Options{Minimize: true, NodeLimit: 200})
		if !s.tangled(strip) {
			t.Fatalf("%s is not tangled", pattern)
		}
		a := must.Get(s.plan(context.Background(), strip, 0, true))(t)
		if s.stats.Nodes > 220 {
			t.Errorf("%s: %d nodes", pattern, s.stats.Nodes)
		}
		offsets := make([]int64, len(p.Buffers))
		strip.Lift(a.offsets, offsets)
		if r := verify.CheckPlan(p, &model.Plan{Offsets: offsets, Height: a.height}); !r.OK() {
			t.Fatal(r.Violations[0].Message)
		}
		s, strip = tangledSearch(t, p, plan.Options{Minimize: true, NodeLimit: 200})
		b := must.Get(s.ask(context.Background(), timeline.New(strip.Problem), len(p.Buffers), 0, true, nil))(t)
		if a.bound > b.height || b.bound > a.height || a.status == model.Optimal && b.height < a.height {
			t.Errorf("%s: bounds %d and %d of heights %d and %d", pattern, a.bound, b.bound, a.height, b.height)
		}
		on, off = on+float64(a.height)/float64(a.bound)-1, off+float64(b.height)/float64(a.bound)-1
	}
	t.Logf("above the bound by %.3f on the graph, and by %.3f off it", on, off)
	if on > off/2 {
		t.Errorf("above the bound by %.3f on the graph, and by %.3f off it", on, off)
	}
}

// TestTangleCapacity: a capacity is kept, or said to be too small, whatever the goal.
func TestTangleCapacity(t *testing.T) {
	in, err := gen.New("clock-tiling", gen.Options{Buffers: 60, Threads: 3, Messages: 9, Horizon: 900, Capacity: 9000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		capacity int64
		status   []model.Status
	}{
		{8999, []model.Status{model.Infeasible}},
		{9000, []model.Status{model.Optimal, model.Feasible}},
		{12000, []model.Status{model.Optimal, model.Feasible}},
	} {
		for _, minimize := range []bool{false, true} {
			s, strip := tangledSearch(t, in.Problem, plan.Options{NodeLimit: 20_000})
			a := must.Get(s.plan(context.Background(), strip, c.capacity, minimize))(t)
			if !slices.Contains(c.status, a.status) || a.status.HasPlan() && a.height > c.capacity {
				t.Errorf("capacity %d, minimize %t: %v, height %d", c.capacity, minimize, a.status, a.height)
			}
		}
	}
}
