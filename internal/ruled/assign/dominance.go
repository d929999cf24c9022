package assign

import (
	"cmp"
	"slices"
)

// Idea: between two sections, only one thing in a state matters for what follows: the room that its live bodies will
// take in later sections. So state a makes state b superfluous if a costs no more and takes no more room in any later
// section:
//
//	cost(a) <= cost(b)  and  load(a, pool, t) <= load(b, pool, t) for all later sections t  =>  b is dropped
//
// cost is the cost of the bodies that have begun, without prices. Loads change only where a use of a live body begins
// or ends, so they are compared only there.
//
// Invariant: whatever completes b completes a, at no higher cost.
//
// Complexity: for each state, mostRivals comparisons with the states that cost a little less, and dominanceEffort loads
// on average.
//
// Trials: docs/lab/ruled.md (without dominance 2 of 33 choices are proven instead of 10).
//
// Source: dominance in dynamic programs for the knapsack (Weingartner and Ness 1967), with loads over time.

const (
	mostRivals      = 200 // that a state is compared with
	dominanceEffort = 400 // comparisons of loads for each state
)

// dominate drops states that are superfluous from section t on.
func (w *walk) dominate(t int) {
	if w.plain {
		return
	}
	loads, width := w.later(t)
	order := make([]int32, len(w.states))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &w.states[a], &w.states[b]
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.excess, y.excess), cmp.Compare(a, b))
	})
	most := w.effort + dominanceEffort*len(w.states)
	out := make([]bool, len(w.states))
	var front []int32 // those that stay, in order
	for _, s := range order {
		if w.effort > most {
			break
		}
		mine := loads[int(s)*width : (int(s)+1)*width]
		for k := len(front) - 1; k >= max(0, len(front)-mostRivals) && !out[s]; k-- {
			other := loads[int(front[k])*width : (int(front[k])+1)*width]
			x := 0
			for x < width && other[x] <= mine[x] {
				x++
			}
			w.effort += x + 1
			out[s] = x == width
		}
		if !out[s] {
			front = append(front, s)
		}
	}
	left := 0
	for s := range w.states {
		if !out[s] {
			w.move(left, s)
			left++
		}
	}
	w.truncate(left)
}

// later returns the loads of the live bodies of each state from section t on. A state has width numbers, by pool and by
// the sections in which loads may change.
func (w *walk) later(t int) (loads []int64, width int) {
	at := w.turns(int32(t))
	width = len(at) * len(w.pools)
	w.effort += len(w.states) * (width + w.lanes)
	loads = make([]int64, len(w.states)*width)
	for lane, k := range w.owner {
		if k < 0 {
			continue
		}
		b := &w.bodies[k]
		for u, use := range b.Uses {
			from, _ := slices.BinarySearch(at, use.First)
			to, _ := slices.BinarySearch(at, use.Last)
			for s := range w.states {
				n := w.lives(s)[lane]
				if pool := slices.Index(w.pools, b.Pools[n]); pool >= 0 {
					for x := from; x < to; x++ {
						loads[s*width+pool*len(at)+x] += b.cells[n][u]
					}
				}
			}
		}
	}
	return loads, width
}

// turns returns t and the later sections in which loads of live bodies may change, ascending.
func (w *walk) turns(t int32) []int32 {
	at := []int32{t}
	for _, k := range w.owner {
		if k < 0 {
			continue
		}
		for _, u := range w.bodies[k].Uses {
			for _, x := range [...]int32{u.First, u.Last} {
				if x > t {
					at = append(at, x)
				}
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}
