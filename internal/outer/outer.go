// Package outer plans problems with rules. It has no search of its own. It calls the packages below it, and each of them
// calls the next:
//
//	eviction   decides which evictions are taken; what is left is a problem without evictions
//	choice     decides the pool of each buffer that may be in several
//	pools      plans a problem in which each buffer has its pool: pool by pool, measure by measure
//
// Each of them has a part that asks no planner:
//
//	places     where each body may lie by itself and beside fixed ones, before any search
//	cover      evictions by loads alone
//	spread     pools by loads and costs alone
//	penalty    penalties by moving buffers in a plan
//
// Invariant: a status is a proof, and a bound of a measure holds for every plan that has the best values of the measures before it.
package outer

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/outer/choice"
	"github.com/stowage-go/stowage/internal/outer/eviction"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Solve plans a valid problem with rules. The error is for what the planner or this package does not take.
func Solve(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	began := time.Now()
	if o.Start != nil {
		return plan.Result{}, plan.Unsupported(planner.Name(), "cannot honour a plan to start from, with rules")
	}
	o.Start, o.Progress, o.Moves, o.Turns = nil, nil, nil, nil
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
		o.Timeout = 0
	}
	ctx = run.Noting(ctx)
	if own, ok := planner.(run.Ruler); ok {
		if r, taken, err := own.Rules(ctx, p, o); taken || err != nil {
			r.Objective = p.Objective()
			r.Stats.Elapsed = time.Since(began)
			return r, err
		}
	}
	r, err := solve(ctx, p, planner, o)
	if err != nil {
		return plan.Result{}, err
	}
	if raise(p, &o, &r); open(p, &o, &r) {
		r.Stopped = run.Why(ctx, r.Stats.Nodes, o.NodeLimit)
	}
	r.Objective = p.Objective()
	r.Stats.Elapsed = time.Since(began)
	return r, nil
}

// solve enumerates small problems, and leaves the others to the searches below.
func solve(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	if !enumerates(planner) {
		return search(ctx, p, planner, o)
	}
	small := first(ctx, p, planner, o)
	if !open(p, &o, &small) {
		return small, nil
	}
	r, err := search(ctx, p, planner, o)
	if err != nil {
		return plan.Result{}, err
	}
	r.Stats.Nodes += small.Stats.Nodes
	better(p, &r, &small)
	last(ctx, p, o, &r)
	return r, nil
}

// search decides on evictions, pools and places.
func search(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	if !slices.ContainsFunc(p.Buffers, evicts) {
		return choice.Plan(ctx, p, planner, o, plan.Stats{})
	}
	e := eviction.Options{Options: o, Name: planner.Name(), Least: pools.Minimizing(p, &o), Few: eviction.Few}
	return eviction.Plan(ctx, p, e, func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
		return choice.Plan(ctx, p, planner, o, spent)
	})
}
