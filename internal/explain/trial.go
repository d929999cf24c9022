package explain

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A trial asks a planner whether some of the buffers fit. It remembers the sets that fit,
// because their subsets need no run.
//
// Invariant: an answer other than Unknown is proven.

// minPatience is the least value of patience.
const minPatience = 100 * time.Millisecond

// patience returns the time limit of one run, given how long the whole problem took. Parts of
// it are mostly easier, but some are harder.
func patience(whole time.Duration) time.Duration { return max(minPatience, 4*whole) }

// The node limit of the first runs is between minNodes and mostNodes. The nodes that a proof for the whole problem took
// are a guess at what its parts take. A part that only just fits may take for ever.
const minNodes, mostNodes = 4096, 1 << 36

type trial struct {
	ctx      context.Context
	problem  *model.Problem
	tl       *timeline.Timeline // of the whole problem
	planner  run.Planner
	options  plan.Options
	patience time.Duration // time limit of a run, if the context has a deadline
	// growNodes is the node limit of runs that only grow a set that fits.
	growNodes int64
	nodes     int64 // the node limit of other runs; 0 for none
	runs      int
	err       error   // the first; all later answers are Unknown
	fitting   [][]int // sets that fit, each ascending
}

// maxFitting is the number of sets that are remembered. The earliest are dropped.
const maxFitting = 256

// ask returns Feasible, Infeasible or Unknown for a set of buffers, in any order.
func (t *trial) ask(set []int) model.Status { return t.askWithin(set, t.nodes) }

// askWithin is ask with its own node limit, 0 for none.
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
		// A run takes at most a quarter of the time left, so that one hard run leaves time for the later ones.
		o.Timeout = max(1, min(t.patience, time.Until(deadline)/4))
	}
	t.runs++
	sub := subset(t.problem, set, o.Capacity)
	r, err := run.Run(t.ctx, t.planner, run.Timeline(t.planner, sub, nil), o)
	switch {
	case err != nil:
		t.err = err
		return model.Unknown
	case r.Status.HasPlan():
		// Explanations rely on this answer too: if a set fits, it is no reason.
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

// over reports whether no more runs are possible.
func (t *trial) over() bool { return t.err != nil || t.ctx.Err() != nil }

// stretch raises the time limit of a run to its share of the time left, if at most so many runs follow.
func (t *trial) stretch(runs int) {
	if deadline, ok := t.ctx.Deadline(); ok {
		t.patience = max(t.patience, time.Until(deadline)/time.Duration(runs))
	}
}

// stackable reports whether the buffers fit as one stack, whatever their lifespans are.
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

// subset returns a problem of some of the buffers, in the order of set, with their IDs.
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
	return slices.Sorted(slices.Values(set))
}

// within reports whether a is a subset of b. Both are ascending.
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
