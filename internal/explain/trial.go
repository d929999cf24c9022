package explain

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A trial asks whether some of the buffers fit, and remembers the sets that do:
// their subsets need no run.
//
// Invariant: an answer other than Unknown is proven.

// minPatience is the least time that a run gets before it counts as undecided.
const minPatience = 100 * time.Millisecond

// patience is how long one run may take, given how long the whole problem took:
// parts of it are mostly easier, but some are harder.
func patience(whole time.Duration) time.Duration { return max(minPatience, 4*whole) }

// minNodes is the least node limit of the first runs, mostNodes the largest that is a limit.
// What a proof for the whole took is a guess at what its parts take; one that fits by a
// hair may take for ever.
const minNodes, mostNodes = 4096, 1 << 36

type trial struct {
	ctx      context.Context
	problem  *model.Problem
	tl       *timeline.Timeline // of the whole problem
	planner  run.Planner
	options  plan.Options
	patience time.Duration // for a run, where the context has a deadline
	// growNodes is the node limit of runs that only grow a set that fits.
	growNodes int64
	nodes     int64 // the node limit of other runs, 0 for none
	runs      int
	err       error   // the first; all later answers are Unknown
	fitting   [][]int // sets that fit, each ascending
}

// maxFitting bounds the sets remembered; the earliest are dropped.
const maxFitting = 256

// ask returns Feasible, Infeasible or Unknown for the buffers of set, in any
// order.
func (t *trial) ask(set []int) model.Status { return t.askWithin(set, t.nodes) }

// askWithin is ask with a node limit of its own, 0 for none.
func (t *trial) askWithin(set []int, nodes int64) model.Status {
	set = ascending(set)
	if t.stackable(set) || slices.ContainsFunc(t.fitting, func(f []int) bool { return within(set, f) }) {
		return model.Feasible
	}
	if t.over() {
		return model.Unknown
	}
	o := t.options
	o.NodeLimit = nodes
	if deadline, ok := t.ctx.Deadline(); ok {
		// A quarter of what is left at most, so that one hard run does not
		// starve those that come after it.
		o.Timeout = max(1, min(t.patience, time.Until(deadline)/4))
	}
	t.runs++
	sub := subset(t.problem, set, o.Capacity)
	var r plan.Result
	err := run.Into(t.ctx, t.planner, timeline.New(sub), &o, &r)
	switch {
	case err != nil:
		t.err = err
		return model.Unknown
	case r.Status.HasPlan():
		// That buffers fit is a claim of explanations too: no smaller set is a reason.
		if fault := verify.First(sub, r.Offsets, o.Capacity, r.Height); fault != "" {
			t.err = plan.Invalid(r.Planner, fault)
			return model.Unknown
		}
		if len(t.fitting) == maxFitting {
			t.fitting = t.fitting[1:]
		}
		t.fitting = append(t.fitting, set)
		return model.Feasible
	}
	return r.Status
}

// over reports whether there can be no more runs.
func (t *trial) over() bool { return t.err != nil || t.ctx.Err() != nil }

// stretch lets a run take its share of the time that is left, where there are
// at most so many runs to come.
func (t *trial) stretch(runs int) {
	if deadline, ok := t.ctx.Deadline(); ok {
		t.patience = max(t.patience, time.Until(deadline)/time.Duration(runs))
	}
}

// stackable reports whether the buffers fit one on top of the other, whenever
// they are live.
func (t *trial) stackable(set []int) bool {
	var top int64
	for _, i := range set {
		b := &t.problem.Buffers[i]
		if b.Fixed != nil {
			return false
		}
		if top = bound.Up(top, b.Align()) + b.Size; top > t.options.Capacity {
			return false
		}
	}
	return true
}

// subset returns the problem of some buffers, in their own order, IDs and all.
func subset(p *model.Problem, set []int, capacity int64) *model.Problem {
	sub := &model.Problem{Name: p.Name, Capacity: capacity, Buffers: make([]model.Buffer, len(set))}
	for k, i := range set {
		sub.Buffers[k] = p.Buffers[i]
	}
	return sub
}

// ascending returns a set in ascending order.
func ascending(set []int) []int {
	if slices.IsSorted(set) {
		return set
	}
	sorted := make([]int, len(set))
	for k, at := range sorting.Order(len(set), func(a, b int32) bool { return set[a] < set[b] }) {
		sorted[k] = set[at]
	}
	return sorted
}

// within reports whether all of a is in b; both are ascending.
func within(a, b []int) bool {
	for len(a) > 0 && len(b) >= len(a) {
		if a[0] == b[0] {
			a = a[1:]
		} else if a[0] < b[0] {
			return false
		}
		b = b[1:]
	}
	return len(a) == 0
}
