package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Run calls the planner with the limits of o and completes its result: name, elapsed time, height, lower bound, who
// proved the outcome, and why the run ended. It also draws the conclusions that follow from bounds alone, so that every
// planner has them. A capacity below the lower bound is infeasible without a search, unless the technique Bound is
// switched off. A plan as low as the bound is optimal.
//
// Everything that runs a planner calls Run, also a planner that runs another one. So no claim
// of a planner goes unchecked. After an error the result is empty.
func Run(ctx context.Context, p Planner, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	start := time.Now()
	name := p.Name()
	if tl.Problem.Ruled() {
		return plan.Result{}, plan.Unsupported(name, "cannot honour rules by itself: internal/ruled lowers them first")
	}
	if o.Capacity > 0 && tl.LowerBound > o.Capacity && !slices.Contains(o.Without, Bound) {
		r := plan.Result{Status: model.Infeasible, LowerBound: tl.LowerBound, Planner: name, ProvedBy: Bound}
		r.Stats.Elapsed = time.Since(start)
		return r, nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	o.Workers = min(o.Workers, mostWorkers)
	o.Progress = timed(o.Progress, start)
	r, err := p.Plan(ctx, tl, o)
	if err != nil {
		return plan.Result{}, err
	}
	r.Planner = name
	if err := complete(ctx, tl, &o, &r); err != nil {
		return plan.Result{}, err
	}
	r.Stats.Elapsed = time.Since(start)
	return r, nil
}

// complete checks what the planner claims and fills in the rest of the result.
func complete(ctx context.Context, tl *timeline.Timeline, o *plan.Options, r *plan.Result) error {
	if r.Status > model.Infeasible {
		return plan.Invalid(r.Planner, "there is no "+r.Status.String())
	}
	keepStart(tl, o, r)
	claim := r.LowerBound
	r.LowerBound = max(claim, tl.LowerBound)
	if r.Status.HasPlan() {
		// The verifier refuses a plan with a wrong number of offsets.
		if len(r.Offsets) == len(tl.Problem.Buffers) {
			r.Height = tl.HeightOf(r.Offsets)
			if claim > r.Height {
				return plan.Invalid(r.Planner, fmt.Sprintf("the lower bound claimed is %d, but the height is %d", claim, r.Height))
			}
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
	r.ProvedBy = provedBy(tl, o, r)
	r.Stopped = stopped(ctx, o, r)
	return nil
}

// Bound is a technique that some planners declare. If it is off, they search although the lower bound already answers.
const Bound = "bound"

// mostWorkers is the largest number of goroutines that a planner may start. All of them run
// before the first looks at a limit.
const mostWorkers = 1024

// keepStart replaces the result by the plan in o.Start if that is better, because some planners ignore o.Start.
func keepStart(tl *timeline.Timeline, o *plan.Options, r *plan.Result) {
	n := len(tl.Problem.Buffers)
	if len(o.Start) != n || o.Start == nil || r.Status == model.Infeasible {
		return
	}
	height := tl.HeightOf(o.Start)
	better := !r.Status.HasPlan() || o.Minimizing() && len(r.Offsets) == n && height < tl.HeightOf(r.Offsets)
	if better && o.Fits(height) {
		if !r.Status.HasPlan() {
			r.Status = model.Feasible
		}
		r.Offsets, r.Member = slices.Clone(o.Start), "start"
	}
}

// timed returns a callback that adds the time since the start and runs one call at a time.
// So planners need not do either.
func timed(progress func(plan.Progress), start time.Time) func(plan.Progress) {
	if progress == nil {
		return nil
	}
	var one sync.Mutex
	return func(p plan.Progress) {
		one.Lock()
		defer one.Unlock()
		p.Elapsed = time.Since(start)
		progress(p)
	}
}

// provedBy says who proved the outcome; it is empty if nobody did. A planner of several
// parts has put the name of the part into the result.
func provedBy(tl *timeline.Timeline, o *plan.Options, r *plan.Result) string {
	switch {
	case r.Status != model.Optimal && r.Status != model.Infeasible:
		return ""
	case r.Status == model.Optimal && r.Height <= tl.LowerBound,
		r.Status == model.Infeasible && o.Capacity > 0 && o.Capacity < tl.LowerBound:
		return Bound
	case r.ProvedBy != "":
		return r.ProvedBy
	}
	return r.Planner
}

// stopped says which limit ended a run. A run with an answer was ended by none.
func stopped(ctx context.Context, o *plan.Options, r *plan.Result) plan.Stop {
	switch {
	case r.Status == model.Optimal || r.Status == model.Infeasible || r.Status == model.Feasible && !o.Minimizing():
		return plan.Finished
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return plan.StopTimeout
	case ctx.Err() != nil || looksEnded(ctx):
		return plan.StopInterrupt
	case o.NodeLimit > 0 && r.Stats.Nodes >= o.NodeLimit:
		return plan.StopNodes
	case r.Stopped != plan.Finished:
		return r.Stopped
	}
	if known, _ := plan.Find(r.Planner); known != nil && known.Exact() {
		return plan.StopEffort
	}
	return plan.Finished
}
