package outer

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/outer/enumerate"
	"github.com/stowage-go/stowage/internal/outer/places"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a small problem is enumerated (internal/outer/enumerate). If it has choices of pools or evictions, that mostly
// takes milliseconds, while the searches for many buffers ask a planner a thousand times. So without a limit of nodes
// it is tried first, with few nodes. What is open after the other searches is enumerated from the best plan on:
//
//	up to enumerate.Buffers buffers     to the end, or to a limit of the run
//	up to moreBuffers buffers           for moreNodes nodes
//
// Invariant: the plan gets no worse, and what was proven stays.
//
// Complexity: that of enumerate. Nothing is done if the problem is larger, or if the answer is proven.

const (
	firstNodes  = 500_000
	moreBuffers = 16
	moreNodes   = 200_000
)

// enumerates reports whether a planner's answers are completed so: those of planners that prove and are nobody else's
// work.
func enumerates(planner run.Planner) bool {
	return planner.Name() == "auto" || planner.Name() == "exact"
}

// first returns what an enumeration with few nodes finds, if it is tried first.
func first(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) plan.Result {
	r := plan.Result{Planner: planner.Name()}
	choice := len(p.Rules.Pools) > 1 && slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool {
		return b.Extra == nil || len(b.Extra.Pools) != 1
	})
	if o.NodeLimit > 0 || !choice && !slices.ContainsFunc(p.Buffers, evicts) || !enumerate.Takes(p, enumerate.Buffers) {
		return r
	}
	if places.None(p) {
		return r // the searches begin with that proof
	}
	ctx, cancel := run.Share(ctx, 4)
	defer cancel()
	small(ctx, p, o, &r, firstNodes)
	return r
}

// evicts reports whether a buffer may be away for a part of its life.
func evicts(b model.Buffer) bool { return b.Extra != nil && len(b.Extra.Evictions) > 0 }

// open reports whether a result is not the answer.
func open(p *model.Problem, o *plan.Options, r *plan.Result) bool {
	return r.Status == model.Unknown || r.Status == model.Feasible && pools.Minimizing(p, o)
}

// last completes the result of a small problem.
func last(ctx context.Context, p *model.Problem, o plan.Options, r *plan.Result) {
	nodes := int64(0)
	if len(p.Buffers) > enumerate.Buffers {
		nodes = moreNodes
	}
	if left := o.NodeLimit - r.Stats.Nodes; o.NodeLimit > 0 && left <= 0 {
		return
	} else if o.NodeLimit > 0 && (nodes == 0 || left < nodes) {
		nodes = left
	}
	small(ctx, p, o, r, nodes)
}

// better makes another plan that of an open result, if it is better.
func better(p *model.Problem, r, other *plan.Result) {
	if !other.Status.HasPlan() || r.Status == model.Optimal {
		return
	}
	if r.Status.HasPlan() {
		for _, m := range p.Objective() {
			if x, y := model.ValueOf(other.Measures, m), model.ValueOf(r.Measures, m); x > y {
				return
			} else if x < y {
				break
			}
		}
	}
	take(p, r, &other.Plan)
}

// take makes a plan that of an open result.
func take(p *model.Problem, r *plan.Result, found *model.Plan) {
	r.Plan, r.Status, r.Member = *found, model.Feasible, ""
	r.Measures = model.MeasuresOf(p, &r.Plan)
	r.Height = model.ValueOf(r.Measures, model.MeasureHeight)
	r.LowerBound = min(r.LowerBound, r.Height)
	if len(r.Bounds) == 0 {
		for _, m := range p.Objective() {
			r.Bounds = append(r.Bounds, model.Value{Measure: m})
		}
	}
}

// small enumerates an open small problem, from the plan of its result on, within so many nodes. 0 is no limit.
func small(ctx context.Context, p *model.Problem, o plan.Options, r *plan.Result, nodes int64) {
	if !open(p, &o, r) || !enumerate.Takes(p, moreBuffers) || ctx.Err() != nil {
		return
	}
	minimizing := pools.Minimizing(p, &o)
	var measures []model.Measure
	if minimizing { // otherwise any plan will do
		measures = slices.Clone(p.Objective())
	}
	if !slices.Contains(measures, model.MeasureEviction) {
		measures = append(measures, model.MeasureEviction) // no one wants an eviction for nothing
	}
	q := enumerate.Options{Nodes: nodes}
	if r.Status.HasPlan() {
		for _, m := range measures {
			q.Values = append(q.Values, model.ValueOf(r.Measures, m))
		}
	}
	found := enumerate.Plan(ctx, p, measures, q)
	r.Stats.Nodes += found.Nodes
	if found.Plan != nil {
		take(p, r, found.Plan)
	}
	switch {
	case !found.Done:
	case !r.Status.HasPlan():
		r.Status, r.ProvedBy = model.Infeasible, r.Planner
		if len(p.Rules.Pools) == 0 {
			r.LowerBound = max(r.LowerBound, p.Capacity+1)
		}
	case minimizing:
		r.Status, r.ProvedBy = model.Optimal, r.Planner
		for k := range r.Bounds {
			r.Bounds[k].Value = model.ValueOf(r.Measures, r.Bounds[k].Measure)
		}
		if p.Objective()[0] == model.MeasureHeight {
			r.LowerBound = r.Height
		}
	}
}
