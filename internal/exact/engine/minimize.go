package engine

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/exact/ladder"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the least height is the least capacity that fits. Each answer moves one end of the
// interval between a proven bound and the incumbent plan:
//
//	bound <= least height <= height of the incumbent
//
// A plan lowers the incumbent to its own height. A refutation raises the bound. A run that reaches its limit moves
// nothing, so it is never mistaken for a refutation (google/minimalloc's --minimize_capacity does that).
//
// Each round asks three capacities with the same node limit. The first is the bound itself, since most real problems
// fit their load. The second is the middle. The third is just below the incumbent, which is the easiest to satisfy. A
// round that has not shortened the interval by more than an eighth doubles the limit.
//
// Only multiples of the step of heights (bound.Step) are asked.
//
// Invariant: best is nil, or a plan of the given height with bound <= height <= roof.

// interval is the range of heights that a minimisation has left.
type interval struct {
	step   int64
	roof   int64 // the highest allowed height
	bound  int64
	best   []int64
	by     string // the name of the composer, if it has found a part of best
	height int64  // of best; roof + 1 if there is none
}

// minimize looks for the lowest plan within the capacity, if one is set.
func (e *engine) minimize(o *plan.Options, r *plan.Result) {
	e.step = bound.Step(e.tl.Problem)
	e.bound = bound.Up(e.tl.LowerBound, e.step)
	e.roof = model.MaxSum
	if o.Capacity > 0 {
		e.roof = o.Capacity
	}
	e.height = e.roof + 1
	switch {
	case o.Start != nil:
		e.start(o.Start, "")
	case len(e.tl.Problem.Buffers) >= thresholds.EarlyLeast:
		e.fallBack() // on large problems it takes too long to start it when the limit has come
	}
	infeasible := e.best == nil && e.ask(e.roof, e.fit) == common.Refuted
	switch {
	case e.best != nil:
		e.narrow()
	case !infeasible:
		e.fallBack()
	}
	r.Status, r.LowerBound = model.Unknown, e.tl.LowerBound
	switch {
	case infeasible:
		r.Status = model.Infeasible
		if o.Capacity > 0 {
			r.LowerBound = o.Capacity + 1
		}
	case e.best != nil:
		r.Status, r.Offsets, r.Member, r.LowerBound = model.Feasible, e.best, e.by, min(e.bound, e.height)
		if e.bound >= e.height {
			r.Status = model.Optimal
		}
	}
}

// fallBack takes a plan that needs no search, in case a limit comes before another.
func (e *engine) fallBack() {
	if place.Collide(e.watch, e.tl) != place.Whole {
		return
	}
	offsets := make([]int64, len(e.tl.Problem.Buffers))
	for i := range offsets {
		offsets[i] = -1
	}
	place.Finish(e.tl, offsets)
	e.adopt(offsets, "")
}

// start takes a plan to improve on. If it is too high as a whole, it may still be low enough
// in some partitions. by is the name of the composer if it has found the plan, else "".
func (e *engine) start(offsets []int64, by string) {
	e.adopt(offsets, by)
	for p := range e.parts {
		buffers := e.tl.Partitions[p].Buffers
		part := make([]int64, len(buffers))
		for j, i := range buffers {
			part[j] = offsets[i]
		}
		e.keep(p, part)
		e.parts[p].by = by
	}
}

// adopt makes a plan the incumbent if it is lower. by is as in start.
func (e *engine) adopt(offsets []int64, by string) {
	if h := model.HeightOf(e.tl.Problem, offsets); h < e.height {
		e.best, e.by, e.height = offsets, by, h
		e.report(0)
	}
}

// ask tries one capacity and narrows the interval.
func (e *engine) ask(capacity int64, try func(int64) common.Verdict) common.Verdict {
	v := try(capacity)
	switch v {
	case common.Fits:
		e.adopt(e.offsets(), e.member())
	case common.Refuted:
		least := capacity + 1
		for p := range e.parts {
			least = max(least, e.parts[p].bound)
		}
		e.bound = max(e.bound, bound.Up(least, e.step))
	}
	if invariants.Enabled {
		e.check(e.tl.Problem)
	}
	return v
}

// laddered reports whether some partition has a ladder, because it is small and hard.
func (e *engine) laddered() bool {
	for p := range e.parts {
		if e.parts[p].laddered {
			return true
		}
	}
	return false
}

// composes calls the composer between rounds, unless all partitions that are open at the capacity are left to ladders.
func (e *engine) composes(capacity int64, minimize bool, halves int64) {
	enough := capacity
	if minimize {
		enough = e.bound
	}
	for p := range e.parts {
		if s := &e.parts[p]; (s.offsets == nil || s.height > enough) &&
			!s.learning && !(s.laddered && len(e.tl.Partitions[p].Buffers) <= ladder.TableMost) {
			e.composites(capacity, minimize, halves)
			return
		}
	}
}

// dominates reports whether all partitions are small enough for fronts.
func (e *engine) dominates() bool {
	for p := range e.parts {
		if k := e.parts[p].kernel; k != nil && !k.Dominates() {
			return false
		}
	}
	return true
}

// narrow asks capacities until the interval is closed or a limit comes.
func (e *engine) narrow() {
	n := &narrowing{halves: firstRound}
	for e.open() {
		before := e.height - e.bound
		n.asked = -1
		e.askBound(n)
		e.askMiddle(n)
		e.askBelow(n)
		e.callComposer(n)
		n.grow(before, e.height-e.bound)
	}
}

// narrowing is what the rounds of narrow pass on.
type narrowing struct {
	halves int64 // the node limit of each question, in halves of the number of buffers
	asked  int64 // the last capacity of this round; -1 if there is none
	down   int64 // how far below the incumbent askBelow goes, besides the first step
	up     int64 // how far above the bound askBound goes, if a partition has a search that learns
}

// sharedRefutations divides the node limit of the bound and of the middle in a long round, if all partitions have
// fronts. Then most of the work is the last refutation, and these refutations contribute little to it.
const sharedRefutations = 8

// sharedBound divides the node limit of the bound in a long round, if a partition has a search that learns: with most of
// its nodes that goes down from the incumbent.
const sharedBound = 4

// open reports whether there is anything left to ask, and time for it.
func (e *engine) open() bool { return e.bound < e.height && !e.over() }

// long reports whether a question takes so many nodes that a round may not ask what it can do without.
func (n *narrowing) long() bool { return n.halves > 2*shareUntil }

// askBound asks the bound itself, since most real problems fit their load. In a long round, a ladder goes down from
// the incumbent instead: what it refutes serves every capacity, so the last question is the only one that counts. A
// search that learns goes up from the bound then, twice as far and one step more after each refutation.
func (e *engine) askBound(n *narrowing) {
	if !e.open() || n.long() && e.laddered() {
		return
	}
	if n.long() && e.learning() {
		e.refuting = true
		if v := e.question(n, min(e.bound+n.up, bound.Down(e.height-1, e.step)), sharedBound); v == common.Refuted {
			n.up += n.up + e.step
		} else {
			n.up = 0
		}
		e.refuting = false
		return
	}
	e.question(n, e.bound, e.share(n))
	n.down = 0
}

// askMiddle asks the middle of the interval. A ladder skips it in a long round, as in askBound, and if the middle is
// the bound, which it has just been asked.
func (e *engine) askMiddle(n *narrowing) {
	if !e.open() || n.long() && (e.laddered() || e.learning()) {
		return
	}
	capacity := e.bound + bound.Down((e.height-e.bound)/2, e.step)
	if capacity == n.asked && e.laddered() {
		return
	}
	e.question(n, capacity, e.share(n))
	n.down = 0
}

// askBelow asks the highest useful capacity, which is the easiest to satisfy. In a long round, a ladder goes down from
// the incumbent: after each plan it goes twice as far and one step more, and after a failure it begins again. A ladder
// does not repeat the capacity that it has just been asked.
func (e *engine) askBelow(n *narrowing) {
	if !e.open() {
		return
	}
	laddered := e.laddered()
	capacity := max(e.bound, bound.Down(e.height-1, e.step)-n.down)
	if capacity == n.asked && laddered {
		return
	}
	if v := e.question(n, capacity, 1); v == common.Fits && n.long() && laddered {
		n.down += n.down + e.step
	} else {
		n.down = 0
	}
}

// share returns the divisor of the node limit of the bound and of the middle.
func (e *engine) share(n *narrowing) int64 {
	if n.long() && e.dominates() {
		return sharedRefutations
	}
	return 1
}

// question asks a capacity in one round of all partitions. share divides the node limit.
func (e *engine) question(n *narrowing, capacity, share int64) common.Verdict {
	n.asked = capacity
	return e.ask(capacity, func(capacity int64) common.Verdict { return e.round(capacity, max(1, n.halves/share)) })
}

// callComposer lets package merge lower the incumbent. It may take as many nodes as the three questions.
func (e *engine) callComposer(n *narrowing) {
	if e.bound < e.height {
		e.composes(min(e.roof, e.height), true, 3*n.halves)
	}
}

// grow doubles the length of a round, unless the interval has shrunk by more than an eighth. A bound that rises by
// one step a round would take for ever if there are many heights.
func (n *narrowing) grow(before, after int64) {
	if before-after <= before/8 {
		n.halves = longer(n.halves)
	}
}
