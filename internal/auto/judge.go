package auto

import (
	"time"

	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// keep takes a plan if it is the lowest so far.
func (a *auto) keep(offsets []int64, member string) {
	if offsets == nil {
		return
	}
	if height := a.tl.HeightOf(offsets); height < a.height {
		a.r.Offsets, a.height, a.r.Member = offsets, height, member
		a.report(plan.Progress{}, 1)
	}
}

// done reports whether there is nothing left to look for.
func (a *auto) done() bool {
	if a.infeasible || a.r.Offsets == nil || a.err != nil {
		return true
	}
	return a.o.Fits(a.height) && (!a.o.Minimizing() || a.height <= a.r.LowerBound)
}

// over reports whether the run must end: it is done, or a limit has come.
func (a *auto) over() bool {
	return a.done() || a.o.NodeLimit > 0 && a.r.Stats.Nodes >= a.o.NodeLimit || a.watch.Over()
}

// within reports whether the plan is above the bound by at most one part-th of the bound.
func (a *auto) within(part int64) bool {
	return a.height <= thresholds.Within(a.tl.LowerBound, part)
}

// report tells the caller the best plan and bound so far. q is what the turn reports;
// `each` of its nodes count as one node of auto.
func (a *auto) report(q plan.Progress, each int64) {
	if a.o.Progress == nil {
		return
	}
	if a.o.Fits(a.height) && (q.Height == 0 || q.Height >= a.height) {
		q.Height, q.Offsets = a.height, a.r.Offsets
	}
	q.LowerBound = max(q.LowerBound, a.r.LowerBound)
	q.Nodes = a.r.Stats.Nodes + (q.Nodes+each-1)/each
	a.o.Progress(q)
}

// tell tells the caller of a turn that has ended.
func (a *auto) tell(planner, reason string, limit int64) {
	if a.o.Turns == nil {
		return
	}
	now := time.Now()
	t := plan.Turn{
		Planner: planner, Round: a.count, Reason: reason, NodeLimit: limit,
		Nodes: a.r.Stats.Nodes - a.told.nodes, Elapsed: now.Sub(a.told.at),
		Member: a.r.Member, LowerBound: a.r.LowerBound,
	}
	if a.r.Offsets != nil {
		t.Height = a.height
	}
	a.told.nodes, a.told.at = a.r.Stats.Nodes, now
	a.o.Turns(t)
}

// judge turns what is known into the outcome. A plan that does not fit is dropped.
func (a *auto) judge() {
	r := a.r
	switch {
	case a.infeasible:
		r.Status, r.Plan = model.Infeasible, model.Plan{}
	case r.Offsets == nil: // a limit came before it was known whether fixed buffers collide
	case !a.o.Fits(a.height):
		r.Enough, r.Plan = a.height, model.Plan{}
	case a.height <= r.LowerBound:
		r.Status = model.Optimal
	default:
		r.Status = model.Feasible
	}
}
