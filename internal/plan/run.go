package plan

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Run calls the planner with the limits of o applied and its result completed:
// name, elapsed time, height, lower bound, and the conclusions that follow from
// bounds alone, so that every planner has them. A capacity under the lower
// bound is infeasible before any search; a plan as low as the bound is optimal.
func Run(ctx context.Context, p Planner, tl *timeline.Timeline, o Options) (Result, error) {
	start := time.Now()
	name := p.Info().Name
	if o.Capacity > 0 && tl.LowerBound > o.Capacity {
		return Result{Status: model.Infeasible, LowerBound: tl.LowerBound, Planner: name, Stats: Stats{Elapsed: time.Since(start)}}, nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	r, err := p.Plan(ctx, tl, o)
	if err != nil {
		return Result{}, err
	}
	r.Planner = name
	r.LowerBound = max(r.LowerBound, tl.LowerBound)
	if r.Status.HasPlan() {
		// A plan with a wrong number of offsets is for the verifier to refuse.
		if len(r.Offsets) == len(tl.Problem.Buffers) {
			r.Height = model.HeightOf(tl.Problem, r.Offsets)
		}
		if r.Height <= r.LowerBound {
			r.Status = model.Optimal
		}
		if r.Status == model.Optimal {
			r.LowerBound = r.Height
		}
	} else {
		r.Plan = model.Plan{}
		if r.Status == model.Infeasible {
			r.LowerBound = max(r.LowerBound, o.Capacity+1)
		}
	}
	r.Stats.Elapsed = time.Since(start)
	return r, nil
}
