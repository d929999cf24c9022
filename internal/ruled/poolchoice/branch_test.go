package poolchoice

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestBranchesEnd: with a first plan of the least cost, the search for a lower one is short.
func TestBranchesEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 38))
	branches, searched := 0, 0
	for range 20 {
		p := drawn.Tight(r, 14)
		for i := range p.Buffers {
			p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 10 * (1 + r.Int64N(4))}}}
		}
		c, _ := chooserOf(p, find(t, "exact"))
		c.costFirst = true
		got, err := c.decide(context.Background())
		if err != nil || got.Status != model.Optimal {
			t.Fatal(got.Status, err)
		}
		if c.tree.branches > 0 {
			searched++
		}
		branches += c.tree.branches
	}
	t.Log(branches, "branches", searched)
	if branches > 2_000 || searched < 5 {
		t.Errorf("%d branches", branches)
	}
}

// TestBranchesKeepToLoads: no assignment is planned whose loads do not fit.
func TestBranchesKeepToLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 40))
	leaves := 0
	for range 40 {
		p := drawn.Tight(r, 7)
		p.Rules.Objective = []model.Measure{model.MeasureMaxHeight}
		p.Rules.Pools[1].Capacity = p.Rules.Pools[0].Capacity
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		fit := 0
		each(c.loads, func(assign.Assignment) { fit++ })
		c.costFirst = false
		must.Do(t, c.cheapest(t.Context()))
		if c.answer == nil {
			must.Do(t, c.pack(t.Context()))
			must.Do(t, c.explore(t.Context()))
		}
		if leaves += c.tree.leaves; c.tree.leaves > fit {
			t.Fatalf("%d assignments are planned, and the loads of %d fit", c.tree.leaves, fit)
		}
	}
	if leaves < 100 {
		t.Errorf("%d assignments are planned", leaves)
	}
}

// stubborn is a planner that needs more nodes for one set than a question has. It ends the run after a few questions
// without a limit.
type stubborn struct {
	run.Planner
	size int64 // sum of the set's sizes
	left int
	end  context.CancelFunc
}

func (s *stubborn) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	sum := int64(0)
	for i := range tl.Problem.Buffers {
		sum += tl.Problem.Buffers[i].Size
	}
	if o.NodeLimit > 0 && sum == s.size {
		return plan.Result{Status: model.Unknown, Stats: plan.Stats{Nodes: 1}}, nil
	}
	if o.NodeLimit == 0 {
		if s.left--; s.left < 0 {
			s.end()
			return plan.Result{Status: model.Unknown}, nil
		}
	}
	return s.Planner.Plan(ctx, tl, o)
}

// TestInsist: if the time is short, the assignment with the cheapest loads is planned first, with all of the time.
// Without that, the time is over before in 6 of 40 runs.
func TestInsist(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 41))
	met, problems := 0, 0
	for problems < 40 {
		p := drawn.Spilled(r, 16)
		p.Rules.Objective = []model.Measure{model.MeasureCost}
		exact := find(t, "exact")
		c, _ := chooserOf(p, exact)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		cheapest, _ := c.loads.Cheapest(ctx, never, third)
		want := &stubborn{Planner: exact, left: 4, end: cancel}
		for _, i := range split(c.lowering.Pools, c.loads.PoolOf(cheapest))[0] {
			want.size += p.Buffers[i].Size
		}
		c, _ = chooserOf(p, want)
		got, err := c.decide(ctx)
		if err != nil || !got.Status.HasPlan() {
			t.Fatal(got.Status, err)
		}
		if problems++; model.ValueOf(got.Measures, model.MeasureCost) == c.loads.Cost(cheapest) {
			met++
		}
		cancel()
	}
	if met < problems {
		t.Errorf("the cheapest is planned in %d of %d", met, problems)
	}
}
