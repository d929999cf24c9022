package cp

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// solve runs the planner and verifies its plan.
func solve(t testing.TB, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	if err := plan.CheckOptions(planner{}.Info(), o); err != nil {
		t.Fatal(err)
	}
	r, err := run.Run(context.Background(), planner{}, timeline.New(p), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status.HasPlan() {
		if report := verify.CheckHeight(p, r.Offsets, o.Capacity, r.Height); !report.OK() {
			t.Fatalf("%s: %v", p.Name, report.Violations)
		}
	}
	return r
}

// switched draws a combination of the switches and parameters.
func switched(rng *rand.Rand) plan.Options {
	o := plan.Options{Params: map[string]string{"branch": "orders"}}
	if rng.IntN(2) == 0 {
		o.Params["branch"] = "offsets"
	}
	for _, t := range (planner{}).Info().Techniques {
		if rng.IntN(2) == 0 {
			o.Without = append(o.Without, t.Name)
		}
	}
	return o
}

func TestAgreesWithOracle(t *testing.T) {
	seen := map[model.Status]int{}
	for seed := range uint64(1200) {
		p := suite.Tiny(seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		height, _, ok := suite.MinHeight(p)
		o := switched(rng)
		r := solve(t, p, o)
		if !ok {
			if r.Status != model.Infeasible {
				t.Fatalf("seed %d, %+v: %v, but fixed offsets collide", seed, o, r.Status)
			}
			continue
		}
		if r.Status != model.Optimal || r.Height != height {
			t.Fatalf("seed %d, %+v: %v, height %d; want %d", seed, o, r.Status, r.Height, height)
		}
		for _, capacity := range []int64{height, height - 1} {
			if capacity < 1 {
				continue
			}
			o := switched(rng)
			o.Capacity = capacity
			r := solve(t, p, o)
			seen[r.Status]++
			if r.Status.HasPlan() != (capacity == height) || r.Status == model.Unknown {
				t.Fatalf("seed %d, %+v: %v; the least height is %d", seed, o, r.Status, height)
			}
			o.Minimize = true
			if r := solve(t, p, o); capacity == height && r.Status != model.Optimal || capacity < height && r.Status != model.Infeasible {
				t.Fatalf("seed %d, %+v: minimising: %v; the least height is %d", seed, o, r.Status, height)
			}
		}
	}
	if seen[model.Infeasible] < 300 || seen[model.Optimal]+seen[model.Feasible] < 300 {
		t.Errorf("one-sided: %v", seen)
	}
}

func TestInfeasibleAboveTheLoad(t *testing.T) {
	refuted := 0
	for seed := range uint64(12) {
		in, err := suite.New("infeasible", suite.Options{Buffers: 9, Seed: seed, Capacity: 30, Horizon: 30})
		if err != nil {
			t.Fatal(err)
		}
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
	p, err := suite.Generate("high-overlap", suite.Options{Buffers: 40, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	a := solve(t, p, plan.Options{NodeLimit: 2000})
	b := solve(t, p, plan.Options{NodeLimit: 2000})
	if a.Height != b.Height || a.Stats.Nodes != b.Stats.Nodes || a.Stats.Nodes > 2000 || !a.Status.HasPlan() {
		t.Errorf("height %d after %d nodes, then %d after %d", a.Height, a.Stats.Nodes, b.Height, b.Stats.Nodes)
	}
	in, err := suite.New("pinwheel", suite.Options{Buffers: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := solve(t, in.Problem, plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 50}); r.Status != model.Unknown || r.Stats.Nodes > 50 {
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
	_, err := planner{}.Plan(context.Background(), timeline.New(suite.MiniMalloc()), plan.Options{Params: map[string]string{"branch": "x"}})
	if err == nil {
		t.Error("branch=x is taken")
	}
}
