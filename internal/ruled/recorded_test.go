package ruled_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestRecorded holds what the stages decide about small problems, with many nodes and with few.
func TestRecorded(t *testing.T) {
	record(t, "recorded", recorded.Rules(6), []string{"auto", "first-fit"}, []int64{30, 3000})
}

// TestRecordedLarge does the same for problems that are not enumerated.
func TestRecordedLarge(t *testing.T) {
	record(t, "large", recorded.LargeRules(10), []string{"auto", "exact"}, []int64{400})
}

func record(t *testing.T, file string, all map[string][]*model.Problem, planners []string, limits []int64) {
	t.Helper()
	recorded.Hold(t, file, func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			for _, name := range planners {
				planner := must.Get(run.Lookup(name))(t)
				b.Line(kind+", "+name, func(say func(...any)) {
					for k, p := range all[kind] {
						for _, nodes := range limits {
							o := plan.Options{NodeLimit: nodes, Seed: 5}
							o.Turns = func(x plan.Turn) { say(x.Planner, x.Nodes, x.Measures) }
							r, err := ruled.Solve(t.Context(), p, planner, o)
							say(err, r.Status, r.Plan, r.Measures, r.Bounds, r.LowerBound, r.Stats.Nodes, r.ProvedBy, r.Stopped, r.Enough)
							if !r.Status.HasPlan() {
								continue
							}
							if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
								t.Fatalf("%s %d: %s", kind, k, report.Violations[0].Message)
							}
						}
					}
				})
			}
		}
	})
}

// TestTrue holds each answer about the small problems against brute force.
func TestTrue(t *testing.T) {
	planner := must.Get(run.Lookup("auto"))(t)
	decided := 0
	all := recorded.Rules(8)
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		for k, p := range all[kind] {
			best, _, known := oracle.Chains(p, 3000)
			if !known {
				continue
			}
			decided++
			r := must.Get(ruled.Solve(t.Context(), p, planner, plan.Options{NodeLimit: 3000}))(t)
			judge(t, p, &r, best, kind, k)
		}
	}
	if decided < 100 {
		t.Errorf("brute force decides %d problems", decided)
	}
}

// judge holds a result against the best values, nil if there is no plan.
func judge(t *testing.T, p *model.Problem, r *plan.Result, best []int64, kind string, k int) {
	t.Helper()
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
