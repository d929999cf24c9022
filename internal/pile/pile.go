// Package pile decides whether buffers fit a capacity, by a walk through time over the order of those that live at once. It is for
// problems in which few buffers live at a time, however many there are in all.
//
//	pile.go     the walk
//	state.go    orders and distances: a buffer begins, a buffer ends
//	thin.go     states that others make superfluous, and those that are cut off
package pile

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers that live at once lie one above the other, so they have an order from the floor to the capacity. A plan is a
// sequence of such orders. A state is the order of the live buffers, and of each two of them how far apart they must be, because of buffers
// between them, those that have ended as well:
//
//	distance(i, j)  the least offset of j - offset of i, for j above i; the floor and the capacity are the ends of the order
//
//	        time →          a live buffer that begins can lie below all, between any two, or above all. A state becomes one
//	  ┌──────────────┐ c    for each of these places that leaves distance(floor, capacity) <= capacity. If b ends,
//	  ├──────┐       │      what was known of it is dropped, but distance(a, c) stays: b kept them apart.
//	  │   b  ├───────┤
//	  ├──────┘   a   │
//	  └──────────────┘
//
// States with the same order are compared: one whose distances are all at least those of another is superfluous (thin.go). If more states
// than the width are left, those go on that have the least room in pieces, and the others are cut off.
//
// Offsets come last: from the floor up, each buffer as low as the orders of the sequence allow.
//
// Invariant: take a plan that fits. Its orders pass through a state that is kept, or one was cut off. So if no state is left and none was cut
// off, no plan fits. A plan that is found keeps to the capacity, since distance(floor, capacity) includes every chain of buffers.
//
// Complexity: O(width · live² · live) for each buffer, and a record for each state that is kept.
//
// Source: Stowage. The orders of a section as states are those of dynamic programs over a path decomposition; distances of what has
// gone are difference bounds (Dill 1989).
//
// Measured on two sets that the choice of fast memory asks about (lab/bench/fast, F at 50 and 70%). They have 188 and 246 buffers, and
// about 7 and 9 live at once. A width of 1,000 packs both, in 0.1 and 0.5 s. Exact search finds no plan of either in 2 s, nor do merge and climb of the first.
//
// Tried and dropped: other measures of what is left of the room: the sum of all distances beyond the sizes, the sum without the largest piece but
// not weighed by time, weighed by the load of each section, or by one over its slack. They pack one of the two sets, or both, and none that
// this one does not. Also dropped: more weight for the sections in which earlier walks ended; the walks end there again.

// A Verdict says what a walk has found.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // a limit came first
	Fits
	Never // no plan fits
)

// An Answer is the outcome of a walk.
type Answer struct {
	Verdict Verdict
	Offsets []int64 // if it fits
	States  int64   // made
}

// mostLive is the most buffers that may live at once: above, a state has too many places and distances.
const mostLive = 40

// A walk is the state of the search. Sizes and distances are in units of the sizes' common divisor.
type walk struct {
	first, last []int32 // section of each buffer
	size        []int32
	capacity    int32
	live        []int32 // the buffer of each lane, or -1
	states
	records []record
	spare   states // scratch
	cut     bool
	made    int64
}

// A record says where a buffer was put into an order.
type record struct {
	before       int32 // the record of the buffer before it, or -1
	buffer       int32
	below, above int32 // buffers, or -1 for the floor and for the capacity
}

// Fit looks for a plan that fits the capacity, with so many states at most. The verdict is Unknown if a buffer has a gap, an alignment or a
// fixed offset, or if too many live at once.
func Fit(ctx context.Context, tl *timeline.Timeline, capacity int64, width int) (a Answer) {
	if tl.LowerBound > capacity {
		return Answer{Verdict: Never}
	}
	w, unit := walkOf(tl, capacity)
	if w == nil {
		return a
	}
	a.Verdict = w.run(ctx, tl.Sections(), width)
	a.States = w.made
	if a.Verdict == Fits {
		a.Offsets = make([]int64, len(w.size))
		for i, at := range w.offsets() {
			a.Offsets[i] = int64(at) * unit
		}
	}
	return a
}

// walkOf prepares a walk. It returns nil if the problem is not of the kind.
func walkOf(tl *timeline.Timeline, capacity int64) (w *walk, unit int64) {
	buffers := tl.Problem.Buffers
	if !tl.Plain {
		return nil, 0
	}
	for i := range buffers {
		unit = bound.GCD(unit, buffers[i].Size)
	}
	if unit == 0 || capacity/unit >= 1<<28 {
		return nil, 0
	}
	w = &walk{capacity: int32(capacity / unit)}
	for i := range buffers {
		s := tl.Span(int32(i))
		w.first, w.last = append(w.first, s.First), append(w.last, s.Last)
		w.size = append(w.size, int32(buffers[i].Size/unit))
	}
	return w, unit
}

// run walks through the sections.
func (w *walk) run(ctx context.Context, sections, width int) Verdict {
	begin, end := make([][]int32, sections+1), make([][]int32, sections+1)
	for i := range w.size {
		begin[w.first[i]], end[w.last[i]] = append(begin[w.first[i]], int32(i)), append(end[w.last[i]], int32(i))
	}
	w.states = states{n: 1, points: 2, distance: []int32{0}, record: []int32{-1}}
	for t, starting := range begin {
		for _, i := range end[t] {
			w.end(i)
		}
		if len(end[t]) > 0 {
			w.dominate()
		}
		// The largest first: fewest states have room for them.
		slices.SortFunc(starting, func(i, j int32) int {
			return cmp.Or(cmp.Compare(w.size[j], w.size[i]), cmp.Compare(w.last[j], w.last[i]), cmp.Compare(i, j))
		})
		for n, i := range starting {
			if w.points-2 >= mostLive {
				return Unknown
			}
			twin := int32(-1) // one that can change places with i
			if n > 0 && w.size[starting[n-1]] == w.size[i] && w.last[starting[n-1]] == w.last[i] {
				twin = starting[n-1]
			}
			w.start(i, twin)
			w.thin(t, width)
			w.note(i)
			switch {
			case w.n == 0 && !w.cut:
				return Never
			case w.n == 0 || ctx.Err() != nil:
				return Unknown
			}
		}
	}
	return Fits
}

// offsets returns the lowest offsets that the orders of the first state allow.
func (w *walk) offsets() []int32 {
	above, below := make([][]int32, len(w.size)), make([]int, len(w.size))
	on := func(i, j int32) {
		if i >= 0 && j >= 0 {
			above[i] = append(above[i], j)
			below[j]++
		}
	}
	for r := w.record[0]; r >= 0; r = w.records[r].before {
		x := w.records[r]
		on(x.below, x.buffer)
		on(x.buffer, x.above)
	}
	at := make([]int32, len(w.size))
	var ready []int32
	for i, n := range below {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range above[i] {
			at[j] = max(at[j], at[i]+w.size[i])
			if below[j]--; below[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return at
}
