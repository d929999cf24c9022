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
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// check compares a result with the best values of the objective; nil is for no plan. It reports whether it is proven.
func check(t *testing.T, p *model.Problem, r plan.Result, best []int64) bool {
	t.Helper()
	fail := func(why string) {
		t.Helper()
		t.Fatalf("%s: %v, best %v, bounds %v\n%s", why, r.Measures, best, r.Bounds, drawn.DescribeRuled(p))
	}
	switch {
	case r.Status == model.Infeasible && best != nil:
		fail("there is a plan")
	case r.Status.HasPlan() && best == nil:
		fail("there is no plan")
	}
	if r.Status.HasPlan() {
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
			fail(report.Violations[0].Message)
		}
		if !oracle.Legal(p, &r.Plan) {
			fail("brute force refuses the plan")
		}
		reached := true
		for k, m := range p.Objective() {
			value := model.ValueOf(r.Measures, m)
			if reached && r.Bounds[k].Value > best[k] {
				fail("a bound is false")
			}
			if reached && value < best[k] {
				fail("better than the best")
			}
			if r.Status == model.Optimal && value != best[k] {
				fail("not the best")
			}
			reached = reached && value == best[k]
		}
	}
	return r.Status == model.Optimal || r.Status == model.Infeasible
}

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
		if !check(t, p, got, best) {
			open++
		}
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
			continue
		}
		for _, o.NodeLimit = range []int64{0, 1, 20} {
			alone := must.Get(poollists.Plan(context.Background(), p,
				poollists.Options{Options: o, Name: "exact", Least: true}, plan.Stats{},
				func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
					return poolchoice.Plan(ctx, p, planner, o, spent)
				}))(t)
			if done := check(t, p, alone, best); !done && o.NodeLimit == 0 && alone.Status.HasPlan() {
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
