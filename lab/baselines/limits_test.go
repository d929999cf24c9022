package baselines_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/plan"
)

// TestNoLimitIsIgnored interrupts every planner in the middle of large problems of several kinds, and of one of a few
// thousand buffers, where searches are long: it ends at once, with a plan if it takes the problem. What counts is the
// processor's time, the least of a few runs: no more than is promised of a million buffers (docs/planners/auto.md), so
// that there is room for a slow machine.
func TestNoLimitIsIgnored(t *testing.T) {
	if testing.Short() {
		t.Skip("large problems")
	}
	const limit, slack = 20 * time.Millisecond, 100 * time.Millisecond
	for j, tc := range []struct {
		name, kind string
		o          gen.Options
	}{
		{"training", "training", gen.Options{Buffers: 50_000}},
		{"sparse", "random", gen.Options{Buffers: 50_000, Horizon: 50_000, MinLife: 1, MaxLife: 8}},
		{"dense", "random", gen.Options{Buffers: 20_000, Horizon: 1000}},
		{"crowded", "random", gen.Options{Buffers: 50_000, Horizon: 500}},
		{"gaps", "random", gen.Options{Buffers: 20_000, Horizon: 10_000, MaxLife: 200, Gaps: 0.3, Windows: 0.5, Alignment: 4}},
		{"few", "random", gen.Options{Buffers: 4000, Horizon: 1000}},
	} {
		in, err := gen.New(tc.kind, tc.o)
		if err != nil {
			t.Fatal(err)
		}
		tl := timeline.New(in.Problem)
		for i, planner := range run.All() {
			if (i+j)%plantest.Share(1, 4) != 0 {
				continue // on a desk each meets one problem or two of the five
			}
			name := planner.Info().Name
			var r plan.Result
			pace.Late(t, limit, slack, tc.name+", "+name, func() {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				r, err = run.Run(ctx, planner, tl, plan.Options{})
			})
			if errors.Is(err, plan.ErrUnsupported) {
				continue
			}
			if err != nil || !r.Status.HasPlan() {
				t.Errorf("%s, %s: %v, %v", tc.name, name, r.Status, err)
			} else if !verify.CheckHeight(in.Problem, r.Offsets, 0, r.Height).OK() {
				t.Errorf("%s, %s: the plan is not valid", tc.name, name)
			}
		}
	}
}
