package pairwise

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a failure is two bounds that meet, or orders that form a cycle. Both are trail entries, and each entry
// follows from earlier ones. A walk goes down the trail from the failure to the decisions, and collects a set of
// decisions that is enough for the failure. Each entry is expanded once, for the strongest demand on it.
//
// A demand is a value that a bound must have reached. It is often less than the bound's value: for "a below b cannot
// be" the two bounds need only leave less room than the distance. So every demand is first moved back to the earliest
// entry of its bound that meets it. That drops decisions that are not needed.
//
// Invariant: at any time the marked entries with their demands, together with
// the root, imply the failure by the rules of propagate.go.
//
// Complexity: O(trail above the root) a failure at most.
//
// Source: conflict analysis as in lazy clause generation (Ohrimenko, Stuckey,
// Codish, 2009), with the decisions as the cut.
//
// Trials: docs/lab/planners.md (moving both bounds of a clash back at once may fall short).
//
// Left out: minimising the set by trial, one decision left out at a time, with a propagation for each.

// Conflict appends to dst the levels of the decisions from which the last failure follows, ascending. Level k is the
// k-th decision on the trail, counted from 1. These decisions alone are enough for the failure. There are none if the
// root fails by itself. The engine must have failed and not been popped since. If the watch ended the propagation,
// Conflict appends nothing.
func (e *Engine) Conflict(dst []int32) []int32 {
	if !e.failed {
		return dst
	}
	for len(e.need) < len(e.trail) {
		e.need, e.marked = append(e.need, 0), append(e.marked, false)
	}
	for len(e.seen) <= len(e.levels) {
		e.seen = append(e.seen, false)
	}
	start := len(dst)
	d := demands{e: e, top: -1}
	if len(e.cycle) == 0 {
		d.clash(e.failedA, e.failedB, 1)
	}
	for _, literal := range e.cycle {
		d.hold(literal)
	}
	for t := d.top; d.pending > 0; t-- {
		if !e.marked[t] {
			continue
		}
		e.marked[t] = false
		d.pending--
		step := &e.trail[t]
		switch {
		case step.why == decided:
			if level := step.a; !e.seen[level] {
				e.seen[level] = true
				dst = append(dst, level)
			}
		case step.v < 0:
			// Two bounds refuted the literal why.
			d.clash(step.a, step.b, 1-e.distanceOf(step.why))
		default:
			// A bound pushed this one along a literal. The demand may be less by what rounding to the alignment adds.
			a := e.align[step.v>>1]
			d.bound(step.a, bound.Up(e.need[t], a)-a+1-e.distanceOf(step.why))
			d.hold(step.why)
		}
	}
	for _, level := range dst[start:] {
		e.seen[level] = false
	}
	slices.Sort(dst[start:])
	return dst
}

// Starved returns the buffer whose bounds met in the last failure, or rose without end.
func (e *Engine) Starved() int32 { return e.trail[e.failedA].v >> 1 }

// distanceOf returns the distance of a literal.
func (e *Engine) distanceOf(literal int32) int64 {
	lower := e.first[literal>>1]
	if literal&1 == 1 {
		lower = e.second[literal>>1]
	}
	return e.dist(literal, lower)
}

// demands are the marked entries of the trail from which a failure still follows. need has the value of each that is
// enough.
type demands struct {
	e       *Engine
	top     int32 // the last marked entry
	pending int   // how many there are
}

// back returns the first entry at which the bound of entry t is value, or more.
func (d *demands) back(t int32, value int64) int32 {
	for p := d.e.trail[t].prev; p >= 0 && d.e.trail[p].value >= value; p = d.e.trail[t].prev {
		t = p
	}
	return t
}

// mark adds an entry; it is false if it was there.
func (d *demands) mark(t int32) bool {
	d.top = max(d.top, t)
	if d.e.marked[t] {
		return false
	}
	d.e.marked[t] = true
	d.pending++
	return true
}

// bound demands that the bound of entry t be value, or more.
func (d *demands) bound(t int32, value int64) {
	if t = d.back(t, value); t < d.e.root {
		return
	}
	if d.mark(t) {
		d.e.need[t] = value
	} else {
		d.e.need[t] = max(d.e.need[t], value)
	}
}

// clash demands that the sum of two bounds be at least total. The younger bound is moved back first, and takes all of
// the slack. So late decisions are dropped rather than early ones.
func (d *demands) clash(young, old int32, total int64) {
	if young < old {
		young, old = old, young
	}
	young = d.back(young, total-d.e.trail[old].value)
	old = d.back(old, total-d.e.trail[young].value)
	d.bound(old, d.e.trail[old].value)
	d.bound(young, total-d.e.trail[old].value)
}

// hold demands that a literal hold.
func (d *demands) hold(literal int32) {
	if o := d.e.orderAt[literal>>1]; o >= d.e.root {
		d.mark(o)
	}
}
