package ruled

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/enumerate"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a small problem is enumerated (internal/ruled/enumerate). If it has choices of pools or evictions, that mostly
// takes milliseconds, while the searches for many buffers ask a planner a thousand times. So if there is no limit of
// nodes, enumeration is tried first, with few nodes. If the answer is still open after the other searches, enumeration
// goes on from the best plan:
//
//	up to enumerate.Buffers buffers     to the end, or to a limit of the run
//	up to moreBuffers buffers           for moreNodes nodes
//
// Invariant: the plan gets no worse, and proofs stay.
//
// Complexity: that of enumerate. A larger problem, or a proven answer, is left as it is.

const (
	firstNodes  = 500_000
	moreBuffers = 16
	moreNodes   = 200_000
)

// small reports whether the problem is small enough to enumerate after the other searches.
func (a *attempt) small() bool {
	return run.HelpOf(a.planner)&run.HelpEnumerate != 0 && enumerate.Takes(a.p, moreBuffers)
}

// quick reports whether enumeration is tried first. It is not if a body has no place: the other searches begin with
// that proof.
func (a *attempt) quick() bool {
	choice := len(a.p.Rules.Pools) > 1 && slices.ContainsFunc(a.p.Buffers, func(b model.Buffer) bool {
		return b.Extra == nil || len(b.Extra.Pools) != 1
	})
	return a.small() && a.o.NodeLimit == 0 && (choice || a.evicts()) && enumerate.Takes(a.p, enumerate.Buffers) &&
		!places.None(a.p)
}

// room returns how many nodes an enumeration may take, or 0 for no limit, and its context. Before other searches that
// is few nodes, later all that are left. ok is false if none are left.
func (a *attempt) room(ctx context.Context) (nodes int64, within context.Context, end context.CancelFunc, ok bool) {
	if !a.searched {
		within, end = run.Share(ctx, 4)
		return firstNodes, within, end, true
	}
	if len(a.p.Buffers) > enumerate.Buffers {
		nodes = moreNodes
	}
	left := a.o.NodeLimit - a.r.Stats.Nodes
	if a.o.NodeLimit > 0 && (nodes == 0 || left < nodes) {
		nodes = left
	}
	return nodes, ctx, func() {}, a.o.NodeLimit == 0 || left > 0
}

// better gives the result another plan, if that is better. The result must be open.
func (a *attempt) better(other *plan.Result) {
	if !other.Status.HasPlan() || a.r.Status == model.Optimal {
		return
	}
	if a.r.Status.HasPlan() {
		for _, m := range a.p.Objective() {
			if x, y := model.ValueOf(other.Measures, m), model.ValueOf(a.r.Measures, m); x > y {
				return
			} else if x < y {
				break
			}
		}
	}
	a.adopt(&other.Plan)
}

// adopt gives the open result a plan.
func (a *attempt) adopt(found *model.Plan) {
	p, r := a.p, &a.r
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

// enumerate tries all choices of a small problem. It starts from the plan of the result.
func (a *attempt) enumerate(ctx context.Context) error {
	p, o, r := a.p, a.o, &a.r
	nodes, ctx, end, ok := a.room(ctx)
	defer end()
	if !ok || ctx.Err() != nil {
		return nil
	}
	minimizing := pools.Minimizing(p, &o)
	var measures []model.Measure
	if minimizing { // otherwise any plan will do
		measures = slices.Clone(p.Objective())
	}
	if !slices.Contains(measures, model.MeasureEviction) {
		measures = append(measures, model.MeasureEviction) // so that no eviction is taken for nothing
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
		a.adopt(found.Plan)
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
	return nil
}
