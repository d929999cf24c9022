// Package plantest has what the tests of planners share.
package plantest

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/stowage-go/stowage/internal/public"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Must plans p and fails the test where the input, the options, the plan or its
// height is wrong.
func Must(t testing.TB, planner run.Planner, p *model.Problem, o plan.Options) plan.Result {
	t.Helper()
	if err := model.Validate(p); err != nil {
		t.Fatal(err)
	}
	if err := plan.CheckOptions(planner.Info(), o); err != nil {
		t.Fatal(err)
	}
	r, err := run.Run(context.Background(), planner, timeline.New(p), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status.HasPlan() {
		if report := verify.Check(p, r.Offsets, o.Capacity); !report.OK() || report.Height != r.Height {
			t.Fatalf("%s: %v, height %d, reported %d", p.Name, report.Violations, report.Height, r.Height)
		}
	}
	return r
}

// Load reads a public instance and skips the test where it is absent.
func Load(t testing.TB, name string) *model.Problem {
	t.Helper()
	p := Find(t, name)
	if p == nil {
		t.Skip("the public instances are not here: " + name)
	}
	return p
}

// Find reads a public instance; nil where it is absent.
func Find(t testing.TB, name string) *model.Problem {
	t.Helper()
	p, err := public.Load(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return p
}
