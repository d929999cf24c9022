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
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestListsEqualBruteForce compares the search of this package alone, and the stages of package ruled, with brute force.
func TestListsEqualBruteForce(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 3))
	none, open, counts, total := 0, 0, map[string]int{}, 0
	for total < plantest.Share(3_000, 600, 100) {
		p := drawn.PoolListed(r)
		best, _, decided := oracle.Chains(p, 20_000)
		if !decided {
			continue
		}
		total++
		if best == nil {
			none++
		}
		for _, feature := range []string{"different_pools", "same_pool"} {
			if without, _, ok := oracle.Chains(drawn.Without(p, feature), 20_000); ok && !slices.Equal(without, best) {
				counts[feature]++
			}
		}
		o := plan.Options{Minimize: true}
		got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
		if !plantest.Best(t, p, got, best) {
			open++
		}
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
			continue
		}
		for _, o.NodeLimit = range []int64{0, 1, 20} {
			alone := must.Get(poollists.Plan(context.Background(), p,
				relax.Options{Options: o, Name: "exact", Least: true}, plan.Stats{},
				func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
					return poolchoice.Plan(ctx, p, planner, o, spent)
				}))(t)
			if done := plantest.Best(t, p, alone, best); !done && o.NodeLimit == 0 && alone.Status.HasPlan() {
				counts["open alone"]++
			}
		}
	}
	t.Logf("%d problems, %d without a plan, %d open; %v", total, none, open, counts)
	if open > total/50 || none < total/10 || counts["different_pools"] < total/20 || counts["same_pool"] < total/50 {
		t.Errorf("of %d problems %d are left open, %d have no plan; %v have another answer without a rule", total, open, none,
			counts)
	}
}
