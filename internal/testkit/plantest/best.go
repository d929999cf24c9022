package plantest

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Best compares a result of a problem with rules with the best values of the objective; nil is for no plan. It reports whether it is proven.
func Best(t *testing.T, p *model.Problem, r plan.Result, best []int64) bool {
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
