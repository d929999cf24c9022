package stackdp

import (
	"math"
	"slices"
)

// Idea: some items begin in a section. First, the walk lists the sets of these items that a class may take (leaves).
// Such a set fits by the load, and its excess is within the limit: the excess of the cheapest state of the class, of
// the section, and of the rest. Then the items go into the orders one after the other. Each prefix of choices is made
// once:
//
//	class ── a in ── b in ── {a, b}         if no set that is listed has a, its branch is not made
//	   │        └─── b out ─ {a}
//	   └──── a out ─ b in ── {b}
//
// Invariant: until all its choices are made, a state has the excess from before the section. A state is dropped as soon
// as it exceeds the limit with every set of its branch.
//
// Complexity: O(2^choices) sets for each class, less by those that do not fit; the states are most of the work.

// A leaf is a set that a class may have at the end of a section.
type leaf struct {
	set  uint64
	add  int64 // excess of the items that begin, and of the section
	rest int64 // ahead
}

// open begins the items of a section in a class, whose states it takes.
func (w *walk) open(x *class, t int) {
	var ending uint64
	for _, i := range w.end[t+1] {
		ending |= w.mark(i)
	}
	w.leaves = w.leaves[:0]
	w.list(t, w.begin[t], x.set, 0, slices.Min(x.excess), ending)
	if len(w.leaves) == 0 {
		w.recycle(x)
		return
	}
	w.branch(x, t, 0, slices.Clone(w.leaves))
}

// list lists the leaves that these items lead to.
func (w *walk) list(t int, items []int32, set uint64, add, least int64, ending uint64) {
	if least+add > w.question.Limit || w.over() {
		return
	}
	if len(items) > 0 {
		i := items[0]
		w.list(t, items[1:], set|w.mark(i), add+w.question.Items[i].In, least, ending)
		if w.bit[i] >= 0 {
			w.list(t, items[1:], set, add+w.question.Items[i].Out, least, ending)
		}
		return
	}
	more, fits := w.section(t, set, w.now)
	if !fits || least+add+more > w.question.Limit {
		return
	}
	if rest := w.rest(t+1, set&^ending); rest < math.MaxInt64 && least+add+more+rest <= w.question.Limit {
		w.leaves = append(w.leaves, leaf{set, add + more, rest})
	}
}

// branch puts the items of a section, from the nth on, into the orders of a class, as the leaves say.
func (w *walk) branch(x *class, t, n int, leaves []leaf) {
	if w.over() {
		return // run stops as well
	}
	if n == len(w.begin[t]) {
		y := leaves[0]
		for k := range x.excess {
			x.excess[k] += y.add
		}
		x.within(w.question.Limit - y.rest)
		w.yield(x, t)
		return
	}
	i := w.begin[t][n]
	var in, out []leaf
	for _, y := range leaves {
		if w.in(y.set, i) {
			in = append(in, y)
		} else {
			out = append(out, y)
		}
	}
	if len(in) > 0 {
		least := int64(math.MaxInt64)
		for _, y := range in {
			least = min(least, y.add+y.rest)
		}
		y := w.put(x, i, w.twin(t, n, x.set), w.question.Limit-least)
		if y.n > 2*w.widthOf(y.points) {
			w.thinOne(y, t, least)
		}
		if y.n > 0 {
			w.branch(y, t, n+1, in)
		} else {
			w.recycle(y)
		}
	}
	if len(out) > 0 {
		w.branch(x, t, n+1, out)
	} else {
		w.recycle(x)
	}
}

// twin returns the item before the nth if it is in the pool and interchangeable with the nth, else -1.
func (w *walk) twin(t, n int, set uint64) int32 {
	if n == 0 {
		return -1
	}
	i, j := w.begin[t][n], w.begin[t][n-1]
	if x, y := &w.question.Items[i], &w.question.Items[j]; x.Size != y.Size || x.Last != y.Last || w.lane[i] < 0 ||
		!w.in(set, j) {
		return -1
	}
	return j
}

// yield adds a class to the classes at the end of the section.
func (w *walk) yield(x *class, t int) {
	if x.n == 0 {
		w.recycle(x)
		return
	}
	w.next = append(w.next, x)
	if w.pending += x.n; w.pending > 4*w.question.Width {
		w.thin(w.next, t)
		w.next = slices.DeleteFunc(w.next, func(x *class) bool { return x.n == 0 })
		w.pending = 0
		for _, x := range w.next {
			w.pending += x.n
		}
	}
}

// fresh returns an empty class.
func (w *walk) fresh(set uint64, points int) *class {
	var x *class
	if n := len(w.spare); n > 0 {
		x, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		x = new(class)
	}
	x.set = set
	x.clear(points)
	return x
}

// mostSpare is the most classes that are kept for reuse.
const mostSpare = 64

// recycle takes a class that is no longer in use.
func (w *walk) recycle(x *class) {
	if len(w.spare) < mostSpare {
		w.spare = append(w.spare, x)
	}
}
