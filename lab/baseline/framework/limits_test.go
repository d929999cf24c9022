package framework

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// honest fails the test if a result that a limit may have cut is not true.
func honest(t *testing.T, what string, p *model.Problem, o plan.Options, r, whole plan.Result) {
	t.Helper()
	switch {
	case r.Status.HasPlan():
		if report := verify.CheckHeight(p, r.Offsets, o.Capacity, r.Height); !report.OK() {
			t.Fatalf("%s: %v", what, report.Violations)
		}
		if whole.Status == model.Infeasible {
			t.Fatalf("%s: %v, infeasible without a limit", what, r.Status)
		}
	case r.Status == model.Infeasible && whole.Status != model.Infeasible:
		t.Fatalf("%s: infeasible, without a limit %v", what, whole.Status)
	}
}

// TestLimitAnywhere lets a limit fall at every look of small problems, and every
// node limit: there is a valid plan, or there is none and no word is false.
func TestLimitAnywhere(t *testing.T) {
	seeds := plantest.Share[uint64](12, 2, 3)
	for _, p := range run.All() {
		cuts, plans := 0, 0
		for seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 61))
			problem := plantest.Random(rng)
			tl := timeline.New(problem)
			for _, o := range []plan.Options{{}, {Capacity: tl.LowerBound + rng.Int64N(12)}} {
				whole, err := run.Run(context.Background(), p, tl, o)
				if err != nil {
					continue // a feature that it refuses
				}
				for look := int64(0); look < 300; look++ {
					ctx := run.EndAtLook(context.Background(), look)
					r := must.Get(run.Run(ctx, p, tl, o))(t)
					honest(t, p.Info().Name, problem, o, r, whole)
					cuts++
					if r.Status.HasPlan() {
						plans++
					} else if o.Capacity == 0 && whole.Status.HasPlan() {
						t.Fatalf("%s, seed %d, look %d: no plan", p.Info().Name, seed, look)
					}
				}
				for nodes := int64(1); nodes <= 20; nodes++ {
					limited := o
					limited.NodeLimit = nodes
					r := must.Get(run.Run(context.Background(), p, tl, limited))(t)
					honest(t, p.Info().Name, problem, limited, r, whole)
				}
			}
		}
		if cuts == 0 || plans == 0 {
			t.Errorf("%s: %d cuts, %d plans", p.Info().Name, cuts, plans)
		}
	}
}

// TestLimitOnManyBuffers lets the clock run out in the middle of a large
// problem: every planner ends soon after, with a plan.
func TestLimitOnManyBuffers(t *testing.T) {
	if testing.Short() {
		t.Skip("a large problem")
	}
	p := plantest.Training(100_000)
	tl := timeline.New(p)
	const limit, slack = 20 * time.Millisecond, 300 * time.Millisecond
	for i, planner := range run.All() {
		if i%plantest.Share(1, 2) != 0 {
			continue // all meet such problems in lab/baselines
		}
		var (
			r   plan.Result
			err error
		)
		pace.Late(t, limit, slack, planner.Info().Name, func() {
			r, err = run.Run(context.Background(), planner, tl, plan.Options{Timeout: limit})
		})
		if errors.Is(err, plan.ErrUnsupported) {
			continue
		}
		if err != nil || !r.Status.HasPlan() {
			t.Fatalf("%s: %v, %v", planner.Info().Name, r.Status, err)
		}
		if report := verify.CheckHeight(p, r.Offsets, 0, r.Height); !report.OK() {
			t.Errorf("%s: %v", planner.Info().Name, report.Violations[0])
		}
	}
}
