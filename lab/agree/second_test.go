package agree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestRuledProgram asks milp, which makes one program of a problem with rules, about problems that brute force answers.
func TestRuledProgram(t *testing.T) {
	t.Parallel()
	milp := must.Get(run.Lookup("milp"))(t)
	counts := map[string]int{}
	for seed := range plantest.Share[uint64](4000, 100, 30) {
		c := RuledCaseOf(seed)
		q := RuledQuestionOf(seed, milp)
		if seed%2 == 0 {
			q = RuledQuestion{
				Seed: seed, Planner: "milp",
				Options: plan.Options{Planner: "milp", Minimize: true, Timeout: RuledPatience}, Look: -1,
			}
		}
		out := AskRuled(c, q)
		if out.Fault != "" {
			t.Errorf("%s: %s\n%s", q, out.Fault, drawn.DescribeRuled(c.Problem))
		}
		evictions := slices.Contains(drawn.FeaturesOf(c.Problem), "evictions")
		if refused := out.Refused != ""; refused != evictions {
			t.Errorf("%s: refused is %q\n%s", q, out.Refused, drawn.DescribeRuled(c.Problem))
		}
		counts[out.Status.String()]++
	}
	t.Log(counts)
	if counts["optimal"] < counts["feasible"] || counts["infeasible"] < 3 {
		t.Errorf("lopsided: %v", counts)
	}
}

// TestSecondOpinion compares the optima of auto with those of milp, which shares no code with the lowering, on problems
// above the reach of brute force.
func TestSecondOpinion(t *testing.T) {
	t.Parallel()
	both, none, one := 0, 0, 0
	r := rand.New(rand.NewPCG(25, 11))
	for n := range plantest.Share(1500, 45, 18) {
		p := drawn.BroadOf(r, 6+int64(n)%9)
		ask := func(name string, nodes int64) (*plan.Result, []int64) {
			t.Helper()
			got, err := stowage.Minimize(t.Context(), p, plan.Options{Planner: name, NodeLimit: nodes})
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, drawn.DescribeRuled(p))
			}
			if !got.Status.HasPlan() {
				return got, nil
			}
			if report := verify.CheckMeasures(p, &got.Plan, got.Measures); !report.OK() {
				t.Fatalf("%s: %s\n%s", name, report.Violations[0].Message, drawn.DescribeRuled(p))
			}
			var values []int64
			for _, m := range p.Objective() {
				values = append(values, model.ValueOf(got.Measures, m))
			}
			return got, values
		}
		a, mine := ask("auto", 1_000_000)
		b, theirs := ask("milp", 5_000)
		fail := func(what string) {
			t.Helper()
			t.Errorf("problem %d: %s: auto %v %v, milp %v %v\n%s", n, what, a.Status, mine, b.Status, theirs,
				drawn.DescribeRuled(p))
		}
		switch {
		case a.Status == model.Infeasible && theirs != nil || b.Status == model.Infeasible && mine != nil:
			fail("a plan where there is none")
		case a.Status == model.Optimal && theirs != nil && slices.Compare(theirs, mine) < 0,
			b.Status == model.Optimal && mine != nil && slices.Compare(mine, theirs) < 0:
			fail("below the optimum")
		case a.Status == model.Optimal && b.Status == model.Optimal:
			both++
		case a.Status == model.Infeasible && b.Status == model.Infeasible:
			none++
		default:
			one++
		}
		for _, x := range []*plan.Result{a, b} {
			for k := range x.Bounds {
				for _, values := range [][]int64{mine, theirs} {
					if values != nil && mine != nil && slices.Equal(values[:k], mine[:k]) &&
						x.Status != model.Infeasible && b.Status == model.Optimal &&
						slices.Equal(values[:k], theirs[:k]) && x.Bounds[k].Value > theirs[k] {
						fail("a bound above the optimum")
					}
				}
			}
		}
	}
	t.Logf("%d optimal by both, %d infeasible by both, %d that one of the two left open", both, none, one)
	if both == 0 || none == 0 || both+none < one/2 {
		t.Errorf("%d optimal by both, %d infeasible by both, %d open", both, none, one)
	}
}
