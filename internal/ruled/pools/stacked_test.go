package pools

import (
	"context"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestStacked: what auto leaves undecided is put to the walk of stackdp, which refutes it, or packs it with more room.
// Other planners have no such help.
func TestStacked(t *testing.T) {
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Capacity: 24, Horizon: 24, Seed: 1}))(t)
	for _, tc := range []struct {
		planner  string
		capacity int64
		want     model.Status
	}{{"auto", 24, model.Infeasible}, {"auto", 48, model.Feasible}, {"first-fit", 24, model.Unknown}} {
		p := in.Problem
		p.Rules = &model.Rules{Pools: []model.Pool{{ID: "fast", Capacity: tc.capacity}}}
		known := must.Get(plan.Find(tc.planner))(t)
		s := New(lower.New(p), run.Prepared(known), plan.Options{}, plan.Stats{})
		all := make([]int32, len(p.Buffers))
		for i := range all {
			all[i] = int32(i)
		}
		a := s.stacked(context.Background(), s.Lowering.Strip(0, all, nil), tc.capacity, PackNodes,
			answer{status: model.Unknown})
		if a.status != tc.want || a.status.HasPlan() != (a.offsets != nil) || a.height > tc.capacity {
			t.Errorf("%s, capacity %d: %v, height %d; want %v", tc.planner, tc.capacity, a.status, a.height, tc.want)
		}
	}
}

// TestStackedLimit: the walk keeps the node limit of the run, whatever a question may take.
func TestStackedLimit(t *testing.T) {
	in := must.Get(gen.New("perfect", gen.Options{Buffers: 80, Capacity: 1000, Horizon: 1000, Seed: 1}))(t)
	in.Problem.Rules = &model.Rules{Pools: []model.Pool{{ID: "fast", Capacity: 1000}}}
	all := make([]int32, len(in.Problem.Buffers))
	for i := range all {
		all[i] = int32(i)
	}
	taken := func(limit, spent int64) int64 {
		known := must.Get(plan.Find("auto"))(t)
		s := New(lower.New(in.Problem), run.Prepared(known), plan.Options{NodeLimit: limit}, plan.Stats{Nodes: spent})
		s.stacked(context.Background(), s.Lowering.Strip(0, all, nil), 1000, PackNodes/10, answer{status: model.Unknown})
		return s.Stats().Nodes - spent
	}
	free := taken(0, 0)
	if free < 20 {
		t.Fatalf("the walk takes %d nodes, which is too few for this test", free)
	}
	for _, spent := range []int64{0, 90, 100} {
		if n := taken(100+free/2, spent+free/2); n > 100-spent+free/10 {
			t.Errorf("%d nodes, where %d are left", n, 100-spent)
		}
	}
	if n := taken(free/2, 0); n == 0 || n > free/2+free/10 {
		t.Errorf("%d nodes of %d", n, free/2)
	}
}
