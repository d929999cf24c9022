package ruled_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestOptimal compares answers with brute force: what is called optimal is, what is called infeasible has no plan, no
// bound is above the best value, and no plan is below it.
func TestOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 2))
	counts := map[model.Status]int{}
	for range plantest.Share(16_000, 3_000, 1_500) {
		counts[check(t, r, drawn.Ruled(r))]++
	}
	t.Log(counts)
	if counts[model.Optimal] < 2*counts[model.Feasible] || counts[model.Infeasible] < 100 {
		t.Errorf("the test is lopsided: %v", counts)
	}
}

// check solves a problem with a planner and limits that are drawn.
func check(t *testing.T, r *rand.Rand, p *model.Problem) model.Status {
	t.Helper()
	best, _, decided := oracle.Ruled(p, 300_000)
	if !decided {
		return model.Unknown
	}
	name := []string{"auto", "exact", "first-fit"}[r.IntN(3)]
	known := must.Get(plan.Find(name))(t)
	o := plan.Options{Planner: name, Minimize: true}
	if r.IntN(3) == 0 {
		o.NodeLimit = 1 + r.Int64N(50)
	}
	got, err := ruled.Solve(context.Background(), p, run.Prepared(known), o)
	if errors.Is(err, plan.ErrUnsupported) {
		return model.Unknown
	}
	if err != nil {
		t.Fatal(err)
	}
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%s: %s says %v, measures %v, bounds %v; brute force %v\n%s", what, name, got.Status, got.Measures,
			got.Bounds, best, drawn.DescribeRuled(p))
	}
	switch {
	case got.Status == model.Infeasible:
		if best != nil {
			fail("a false infeasible")
		}
		return got.Status
	case got.Status == model.Unknown:
		return got.Status
	case best == nil:
		fail("a plan where there is none")
	}
	if report := verify.CheckMeasures(p, &got.Plan, got.Measures); !report.OK() {
		fail(report.Violations[0].Message)
	}
	var values []int64
	for k, m := range p.Objective() {
		values = append(values, model.ValueOf(got.Measures, m))
		if slices.Equal(values[:k], best[:k]) && got.Bounds[k].Value > best[k] {
			fail("a false bound")
		}
	}
	if c := slices.Compare(values, best); c < 0 {
		fail("a plan below the best")
	} else if got.Status == model.Optimal && c != 0 {
		fail("a false optimal")
	}
	return got.Status
}

// TestPublic solves the tiny problems whose optimum is known.
func TestPublic(t *testing.T) {
	cases, err := public.RuledCases()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the public instances are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	planned, unproven := 0, 0
	for _, c := range cases {
		if model.Validate(c.Problem) != nil {
			continue // model's tests hold what is refused
		}
		known := must.Get(plan.Find("exact"))(t)
		got, err := ruled.Solve(context.Background(), c.Problem, run.Prepared(known), plan.Options{Minimize: true})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var values []int64
		for _, m := range c.Problem.Objective() {
			if got.Status.HasPlan() {
				values = append(values, model.ValueOf(got.Measures, m))
			}
		}
		if got.Status == model.Feasible {
			unproven++
		}
		if !slices.Equal(values, c.Optimum) || got.Status == model.Unknown {
			t.Errorf("%s: %v %v, want %v", c.Name, got.Status, values, c.Optimum)
		}
		planned++
	}
	t.Logf("%d of %d planned, %d of them without a proof", planned, len(cases), unproven)
	if planned < 90 || unproven > 0 {
		t.Errorf("%d are planned, %d without a proof", planned, unproven)
	}
}
