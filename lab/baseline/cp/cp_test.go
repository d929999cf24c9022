package cp

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func solve(t testing.TB, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	return plantest.Must(t, planner{}, p, o)
}

// switched draws a combination of the switches and parameters.
func switched(rng *rand.Rand) plan.Options {
	o := plan.Options{Params: map[string]string{"branch": "orders"}}
	if rng.IntN(2) == 0 {
		o.Params["branch"] = "offsets"
	}
	o.Without = plantest.Without(planner{}, rng, 2)
	return o
}

func TestAgreesWithOracle(t *testing.T) {
	plantest.Decides(t, planner{}, plantest.Share[uint64](1200, 500), switched)
}

func TestInfeasibleAboveTheLoad(t *testing.T) {
	refuted := 0
	for seed := range uint64(12) {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Seed: seed, Capacity: 30, Horizon: 30}))(t)
		if r := solve(t, in.Problem, plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 200_000}); r.Status == model.Infeasible {
			refuted++
		} else if r.Status != model.Unknown {
			t.Fatalf("seed %d: %v", seed, r.Status)
		}
	}
	if refuted < 6 {
		t.Errorf("refuted %d of 12", refuted)
	}
}

// A node limit gives the same plan every time, and never a refutation.
func TestLimits(t *testing.T) {
	p := must.Get(gen.Generate("high-overlap", gen.Options{Buffers: 40, Seed: 3}))(t)
	a := solve(t, p, plan.Options{NodeLimit: 2000})
	b := solve(t, p, plan.Options{NodeLimit: 2000})
	if a.Height != b.Height || a.Stats.Nodes != b.Stats.Nodes || a.Stats.Nodes > 2000 || !a.Status.HasPlan() {
		t.Errorf("height %d after %d nodes, then %d after %d", a.Height, a.Stats.Nodes, b.Height, b.Stats.Nodes)
	}
	in := must.Get(gen.New("pinwheel", gen.Options{Buffers: 60, Seed: 1}))(t)
	if r := solve(t, in.Problem, plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 50}); r.Status != model.Unknown ||
		r.Stats.Nodes > 50 {
		t.Errorf("%v after %d nodes of 50", r.Status, r.Stats.Nodes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := run.Run(ctx, planner{}, timeline.New(in.Problem), plan.Options{Capacity: in.Problem.Capacity})
	if err != nil || r.Status == model.Infeasible || r.Stats.Nodes > 1000 {
		t.Errorf("with a context that has ended: %v, %d nodes, %v", r.Status, r.Stats.Nodes, err)
	}
}

func TestRefusesParam(t *testing.T) {
	_, err := planner{}.Plan(context.Background(), timeline.New(gen.MiniMalloc()),
		plan.Options{Params: map[string]string{"branch": "x"}})
	if err == nil {
		t.Error("branch=x is taken")
	}
}
