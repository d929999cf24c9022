package core

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestOracle holds every word of the planner against brute force: with techniques off, with a capacity that is also
// minimised, with node limits, and with contexts that end at some look.
func TestOracle(t *testing.T) {
	seen := map[model.Status]int{}
	for seed := range plantest.Share(200_000, 2_000, uint64(800)) {
		p := drawn.Tiny(seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		height, _, ok := oracle.MinHeight(p)
		tl := timeline.New(p)
		o := plan.Options{Without: plantest.Without(planner{}, rng, 4), Minimize: rng.IntN(3) == 0, NodeLimit: 20_000}
		if rng.IntN(2) == 0 {
			o.Capacity = max(height+rng.Int64N(3)-1, 1)
		}
		ctx := context.Background()
		if rng.IntN(3) == 0 {
			o.NodeLimit = 1 + rng.Int64N(8)
		}
		if rng.IntN(3) == 0 {
			ctx = run.EndAtLook(ctx, rng.Int64N(6))
		}
		r := plantest.Solve(t, ctx, planner{}, tl, o)
		seen[r.Status]++
		switch {
		case !ok && r.Status.HasPlan(), ok && r.LowerBound > height && (o.Capacity == 0 || o.Capacity >= height),
			ok && r.Status == model.Infeasible && (o.Capacity == 0 || o.Capacity >= height),
			r.Status == model.Optimal && r.Height != height:
			t.Fatalf("seed %d, %+v: %+v; the least height is %d, %v\n%s", seed, o, r, height, ok, drawn.Describe(p))
		}
	}
	if seen[model.Infeasible] < 50 || seen[model.Optimal] < 200 || seen[model.Feasible] < 20 {
		t.Errorf("one-sided: %v", seen)
	}
}

// TestNeverAboveHeuristics: rows that the search leaves out run after it, so no plan is above that of heuristics alone.
func TestNeverAboveHeuristics(t *testing.T) {
	for seed := range plantest.Share(400, 12, uint64(6)) {
		p := must.Get(gen.Generate("random", gen.Options{Buffers: 60 + int(seed)*10, Seed: seed}))(t)
		low := plantest.Must(t, planner{}, p, plan.Options{Without: []string{"search", "merge"}})
		for _, nodes := range []int64{1, 50, 500} {
			r := plantest.Must(t, planner{}, p, plan.Options{NodeLimit: nodes})
			if r.Height > low.Height {
				t.Errorf("seed %d, %d nodes: %d, heuristics %d", seed, nodes, r.Height, low.Height)
			}
			again := plantest.Must(t, planner{}, p, plan.Options{NodeLimit: nodes})
			if !slices.Equal(again.Offsets, r.Offsets) {
				t.Error("two runs differ")
			}
		}
	}
}
