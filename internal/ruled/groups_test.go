package ruled_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestGroupsEqualBruteForce compares plans of problems with groups with brute force, with and without limits of nodes.
func TestGroupsEqualBruteForce(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 17))
	for _, rules := range [][]string{{"groups"}, {"groups", "lockstep"}, {"groups", "different_pools"}, {"groups", "borders"}, {"groups", "granularity"}} {
		draw := func() *model.Problem { return drawn.Bank(r, rules...) }
		oneIn := 25
		if rules[len(rules)-1] == "granularity" {
			oneIn = 10 // whole pages are not always the best, and lockstep is not enumerated
		}
		plantest.BruteForce(t, plantest.Share(2_000, 150, 50), oneIn, draw, rules, func(p *model.Problem, best []int64) (open bool) {
			for _, o := range []plan.Options{{Minimize: true}, {}, {Minimize: true, NodeLimit: 20}} {
				got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
				done := plantest.Best(t, p, got, best)
				open = open || !done && o.NodeLimit == 0 && o.Minimize
			}
			return open
		})
	}
}

// TestPagesBesideAlignment: whole pages have no offset in common with the alignment of another pool, so buffers that may be
// there are not given any.
func TestPagesBesideAlignment(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 4, Size: 28991029248},
		{ID: "b", Upper: 4, Size: 33554432},
		{ID: "c", Upper: 4, Size: 4753471832064},
		{ID: "d", Upper: 4, Size: 5, Extra: &model.Extra{Pools: []int32{1}}},
	}, Rules: &model.Rules{
		Pools: []model.Pool{{ID: "x", Alignment: 536870912}, {ID: "y", Capacity: 1120214712320, Granularity: 1207625583350}},
		Kinds: [][]int32{{0, 1}, {3}}, Objective: []model.Measure{model.MeasureMaxHeight},
	}}
	planner := run.Prepared(must.Get(plan.Find("auto"))(t))
	for _, o := range []plan.Options{{}, {NodeLimit: 9, Without: []string{"exact"}}} {
		r := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
		if why := verify.FirstOf(p, &r.Plan); r.Status.HasPlan() && why != "" {
			t.Error(why)
		}
	}
}
