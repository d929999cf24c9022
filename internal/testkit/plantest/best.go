package plantest

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Best compares a result of a problem with rules with the best values of the objective; nil is for no plan. It reports
// whether it is proven.
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

// tally says what a comparison with brute force met.
type tally struct {
	Total, None, Open int            // problems, those without a plan, and those left open
	Lower             map[string]int // of each rule, the problems that have another answer without it
}

// BruteForce draws problems with rules until brute force has decided total of them. Each is tried, with its best
// values; try reports whether it left the problem open. It fails if too few problems have no plan, or have another
// answer without each of the rules, or if more than one in so many is left open.
func BruteForce(
	t *testing.T, total, oneIn int, draw func() *model.Problem, rules []string,
	try func(p *model.Problem, best []int64) (open bool),
) {
	t.Helper()
	x := tally{Lower: map[string]int{}}
	for x.Total < total {
		p := draw()
		best, _, decided := oracle.Best(p, 20_000)
		if !decided {
			continue
		}
		x.Total++
		if best == nil {
			x.None++
		}
		for _, rule := range rules {
			if without, _, ok := oracle.Best(drawn.Without(p, rule), 20_000); ok && !slices.Equal(without, best) {
				x.Lower[rule]++
			}
		}
		if try(p, best) {
			x.Open++
		}
	}
	t.Logf("%v: %+v", rules, x)
	few := x.Open > x.Total/oneIn || x.None < x.Total/10
	for _, rule := range rules {
		few = few || x.Lower[rule] < x.Total/50
	}
	if few {
		t.Errorf("lopsided: %+v", x)
	}
}
