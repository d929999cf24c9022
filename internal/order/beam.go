package order

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// Idea: if the exact search does not finish, beams look for orders, and then dives (dive.go). A dive has a limit and
// goes deep below it. A beam has no limit, and goes all the way with few sets. Each round extends all its sets by one
// operator, and keeps those with the lowest peak so far, then the fewest live bytes. Operators that may run at once
// below the peak so far run at once. Widths are 8, 16, 32, …, each from both ends, while states are left.
//
// Invariant: a beam never extends a set whose peak is that of a known order.
//
// Complexity: O(width × operators × (what the ready operators touch + the distance between its sets)) for a width.
//
// Source: beam search is old (Lowerre 1976); for the order of operators see Liberis and Lane (arXiv 1910.05110).

// beamLeast is the width of the first beams. Each further pair is twice as wide.
const beamLeast = 8

// beamed is a set of operators of a beam.
type beamed struct {
	set    bitset
	peak   int64
	live   int64
	parent int32   // in the list of all sets of the beam, none for the first
	ran    []int32 // operators that have run since the parent
}

// beams looks for orders below the peak of f, with at most so many states.
func (f *found) beams(ctx context.Context, g *graph, states int, off *Techniques) {
	sides := []*graph{g}
	if !off.Backward {
		sides = append(sides, g.reversed())
	}
	most := f.states + states
	for width := beamLeast; width <= states; width *= 2 {
		for k, side := range sides {
			if f.peak <= f.bound || f.states >= most || ctx.Err() != nil {
				return
			}
			order, kept := side.beam(ctx, width, f.bound, f.peak, most-f.states, off)
			f.states += kept
			if order == nil {
				continue
			}
			if k > 0 {
				slices.Reverse(order)
			}
			f.keep(g, order)
		}
	}
}

// beam returns an order with a peak below a known one, or nil if it finds none with so many states. Costs within
// limit do not count. kept is how many states it took.
func (g *graph) beam(ctx context.Context, width int, limit, below int64, most int, off *Techniques) (order []int32,
	kept int,
) {
	w := newWalk(g)
	var all []beamed
	keep := func(parent int32, peak int64) {
		all = append(all, beamed{slices.Clone(w.done), peak, w.live, parent, slices.Clone(w.trail)})
	}
	peak := max(g.start, limit)
	w.collapse(peak, off)
	keep(none, peak)
	type step struct {
		from        int32
		o           int32
		peak, after int64
	}
	var steps []step
	seen := make(map[string]bool)
	for first := 0; ; {
		last := len(all)
		steps = steps[:0]
		for s := first; s < last; s++ {
			w.set(all[s].set)
			for k := range w.ready {
				for word := w.ready[k]; word != 0; word &= word - 1 {
					o := int32(k<<6 + bits.TrailingZeros64(word))
					if during, after := w.cost(o); during < below {
						steps = append(steps, step{int32(s), o, max(all[s].peak, during), after})
					}
				}
			}
		}
		slices.SortStableFunc(steps, func(a, b step) int {
			return cmp.Or(cmp.Compare(a.peak, b.peak), cmp.Compare(a.after, b.after))
		})
		clear(seen)
		for _, x := range steps {
			if len(all)-last == width {
				break
			}
			w.set(all[x.from].set)
			w.run(x.o)
			w.collapse(x.peak, off)
			if w.done.count() == g.operators() {
				order = slices.Clone(w.trail)
				for s := x.from; s >= 0; s = all[s].parent {
					order = slices.Concat(all[s].ran, order)
				}
				return order, len(all)
			}
			if key := w.done.key(); !seen[key] {
				seen[key] = true
				keep(x.from, x.peak)
			}
			if len(all) >= most || ctx.Err() != nil {
				return nil, len(all)
			}
		}
		if len(all) == last {
			return nil, len(all)
		}
		first = last
	}
}
