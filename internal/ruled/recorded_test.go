package ruled_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestRecorded: the stages decide as recorded, with many nodes and with few. Brute force agrees with each answer.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(8)
	known := truths{}
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			for _, name := range []string{"auto", "exact", "first-fit"} {
				planner, err := run.Lookup(name)
				if err != nil {
					t.Fatal(err)
				}
				b.Line(kind+", "+name, func(say func(...any)) {
					for k, p := range all[kind] {
						for _, nodes := range []int64{30, 3000} {
							o := plan.Options{NodeLimit: nodes, Seed: 5}
							o.Turns = func(x plan.Turn) { say(x.Planner, x.Nodes, x.Measures) }
							r, err := ruled.Solve(context.Background(), p, planner, o)
							say(err, r.Status, r.Plan, r.Measures, r.Bounds, r.LowerBound, r.Stats.Nodes, r.ProvedBy, r.Stopped, r.Enough)
							if err == nil && nodes > 30 {
								known.judge(t, p, &r, kind, k)
							}
						}
					}
				})
			}
		}
	})
}

// truths has what brute force says: the best values, nil if there is no plan.
type truths map[*model.Problem]struct {
	best    []int64
	decided bool
}

// judge compares a result with brute force.
func (x truths) judge(t *testing.T, p *model.Problem, r *plan.Result, kind string, k int) {
	t.Helper()
	if r.Status.HasPlan() {
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
			t.Fatalf("%s %d: %s", kind, k, report.Violations[0].Message)
		}
	}
	of, known := x[p]
	if !known {
		of.best, _, of.decided = oracle.Chains(p, 3000)
		x[p] = of
	}
	best := of.best
	if !of.decided {
		return
	}
	if best == nil {
		if r.Status.HasPlan() {
			t.Fatalf("%s %d: %v, but there is no plan", kind, k, r.Status)
		}
		return
	}
	if r.Status == model.Infeasible {
		t.Fatalf("%s %d: infeasible, but the best plan has %v", kind, k, best)
	}
	for n, m := range p.Objective() {
		if r.Bounds[n].Value > best[n] {
			t.Fatalf("%s %d: a bound of %v is %d, the best is %v", kind, k, m, r.Bounds[n].Value, best)
		}
		if r.Status.HasPlan() && model.ValueOf(r.Measures, m) != best[n] {
			if r.Status == model.Optimal || model.ValueOf(r.Measures, m) < best[n] {
				t.Fatalf("%s %d: %v with %v, the best is %v", kind, k, r.Status, r.Measures, best)
			}
			return
		}
	}
}
