package poollists_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/ruled/poolchoice"
	"github.com/stowage-go/stowage/internal/ruled/poollists"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestListsEqualBruteForce compares the search of this package alone, and the stages of package ruled, with brute force.
func TestListsEqualBruteForce(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 3))
	draw := func() *model.Problem { return drawn.PoolListed(r) }
	rules := []string{"different_pools", "same_pool"}
	plantest.BruteForce(t, plantest.Share(3_000, 600, 100), 50, draw, rules, func(p *model.Problem, best []int64) bool {
		o := plan.Options{Minimize: true}
		got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
		open := !plantest.Best(t, p, got, best)
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
			return open
		}
		for _, o.NodeLimit = range []int64{0, 1, 20} {
			alone := must.Get(poollists.Plan(context.Background(), p,
				relax.Options{Options: o, Name: "exact", Least: true}, plan.Stats{},
				func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
					return poolchoice.Plan(ctx, p, planner, o, spent)
				}))(t)
			plantest.Best(t, p, alone, best)
		}
		return open
	})
}
