package outer

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/outer/enumerate"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: what the planner leaves open of a small problem is enumerated (internal/outer/enumerate), from its plan on. Up to
// enumerate.Buffers buffers only the limits of the run end that. Up to moreBuffers it has moreNodes nodes.
//
// Invariant: the plan gets no worse, and what was proven stays.
//
// Complexity: that of enumerate. Nothing is done if the problem is larger, or if the answer is proven.

const (
	moreBuffers = 16
	moreNodes   = 200_000
)

// enumerates reports whether a planner's answers are completed so: those of planners that prove, and are no copies of others' work.
func enumerates(planner run.Planner) bool {
	return planner.Name() == "auto" || planner.Name() == "exact"
}

// small completes the result of a small problem.
func small(ctx context.Context, p *model.Problem, o plan.Options, r *plan.Result) {
	minimizing := pools.Minimizing(p, &o)
	open := r.Status == model.Unknown || r.Status == model.Feasible && minimizing
	if !open || !enumerate.Takes(p, moreBuffers) || ctx.Err() != nil {
		return
	}
	var q enumerate.Options
	if len(p.Buffers) > enumerate.Buffers {
		q.Nodes = moreNodes
	}
	if o.NodeLimit > 0 {
		left := o.NodeLimit - r.Stats.Nodes
		if left <= 0 {
			return
		}
		if q.Nodes == 0 || left < q.Nodes {
			q.Nodes = left
		}
	}
	measures := p.Objective()
	own := len(measures)
	if !minimizing {
		measures, own = nil, 0 // any plan will do
	}
	if !slices.Contains(measures, model.MeasureEviction) {
		measures = append(slices.Clone(measures), model.MeasureEviction) // no one wants an eviction for nothing
	}
	if r.Status.HasPlan() {
		for _, m := range measures {
			q.Values = append(q.Values, model.ValueOf(r.Measures, m))
		}
	}
	found := enumerate.Plan(ctx, p, measures, q)
	r.Stats.Nodes += found.Nodes
	if found.Plan != nil {
		r.Plan, r.Status = *found.Plan, model.Feasible
		r.Measures = model.MeasuresOf(p, &r.Plan)
		r.Height = model.ValueOf(r.Measures, model.MeasureHeight)
		r.LowerBound = min(r.LowerBound, r.Height)
		r.Member = ""
	}
	switch {
	case found.Done && !r.Status.HasPlan():
		*r = plan.Result{Status: model.Infeasible, Planner: r.Planner, ProvedBy: r.Planner, LowerBound: r.LowerBound, Stats: r.Stats}
	case found.Done && minimizing:
		r.Status, r.ProvedBy = model.Optimal, r.Planner
	}
	if !r.Status.HasPlan() {
		return
	}
	if len(r.Bounds) == 0 {
		for _, m := range p.Objective() {
			r.Bounds = append(r.Bounds, model.Value{Measure: m})
		}
	}
	for k := range r.Bounds {
		if found.Done && k < own {
			r.Bounds[k].Value = model.ValueOf(r.Measures, r.Bounds[k].Measure)
		}
	}
	if p.Objective()[0] == model.MeasureHeight && r.Status == model.Optimal {
		r.LowerBound = r.Height
	}
}
