// Package plantest has helpers for the tests of planners.
package plantest

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Try plans a prepared problem. It fails the test if the result is not what any result must be: a plan that is valid,
// fits and has its height, or no trace of a plan; a bound that is not above the plan, and meets it if the plan is
// optimal. The error is for options that the planner does not have, and for input that it does not take.
func Try(t testing.TB, ctx context.Context, planner run.Planner, tl *timeline.Timeline,
	o plan.Options,
) (plan.Result, error) {
	t.Helper()
	if err := plan.CheckOptions(planner.Info(), o); err != nil {
		return plan.Result{}, err
	}
	r, err := run.Run(ctx, planner, tl, o)
	if err != nil {
		return r, err
	}
	p := tl.Problem
	wrong := func(what string) {
		t.Helper()
		text := ""
		if len(p.Buffers) <= 40 {
			text = "\n" + drawn.Describe(p)
		}
		t.Fatalf("%s, %s: %s: %v, height %d, bound %d; %+v%s", planner.Name(), p.Name, what, r.Status, r.Height,
			r.LowerBound, o, text)
	}
	switch {
	case !r.Status.HasPlan():
		if r.Offsets != nil || r.Height != 0 {
			wrong("there is a plan")
		}
	case r.LowerBound > r.Height || (r.Status == model.Optimal) != (r.LowerBound == r.Height):
		wrong("the bound and the status differ")
	default:
		if report := verify.CheckHeight(p, r.Offsets, o.Capacity, r.Height); !report.OK() {
			wrong(report.Violations[0].Message)
		}
	}
	return r, nil
}

// Solve is Try, and also fails the test on an error.
func Solve(t testing.TB, ctx context.Context, planner run.Planner, tl *timeline.Timeline, o plan.Options) plan.Result {
	t.Helper()
	r, err := Try(t, ctx, planner, tl, o)
	if err != nil {
		t.Fatalf("%s, %s: %v", planner.Name(), tl.Problem.Name, err)
	}
	return r
}

// Must is Solve on a problem that is not prepared, which it validates.
func Must(t testing.TB, planner run.Planner, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	if err := model.Validate(p); err != nil {
		t.Fatal(err)
	}
	return Solve(t, context.Background(), planner, timeline.New(p), o)
}

// AtMinimum demands a plan of p at its least height, and a proof below it. If the planner may give up, Unknown will do.
func AtMinimum(t testing.TB, planner run.Planner, p *model.Problem, minimum int64, o plan.Options, mayGiveUp bool) {
	t.Helper()
	tl := timeline.New(p)
	for _, capacity := range []int64{minimum, minimum - 1} {
		if capacity == 0 {
			continue // would be no limit
		}
		o.Capacity = capacity
		r := Solve(t, context.Background(), planner, tl, o)
		if r.Status == model.Unknown && mayGiveUp {
			continue
		}
		if want := capacity == minimum; r.Status.HasPlan() != want || !want && r.Status != model.Infeasible {
			t.Fatalf("capacity %d, minimum %d: %v, without %v, params %v\n%s", capacity, minimum, r.Status, o.Without, o.Params,
				drawn.Describe(p))
		}
	}
}

// Without draws techniques to switch off, each with the chance 1 / in.
func Without(planner run.Planner, rng *rand.Rand, in int) (names []string) {
	for _, technique := range planner.Info().Techniques {
		if rng.IntN(in) == 0 {
			names = append(names, technique.Name)
		}
	}
	return names
}

// Load reads a public instance and skips the test if it is absent.
func Load(t testing.TB, name string) *model.Problem {
	t.Helper()
	p := Find(t, name)
	if p == nil {
		t.Skip("the public instances are not here: " + name)
	}
	return p
}

// Find reads a public instance; nil if it is absent.
func Find(t testing.TB, name string) *model.Problem {
	t.Helper()
	p, err := public.Load(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return p
}
