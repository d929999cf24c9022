package spread

import (
	"cmp"
	"slices"
)

// Idea: between two sections, what is to come depends on a state by the room that its live bodies will still take. So one state
// makes another superfluous if it costs no more and takes no more room in any later section:
//
//	cost(a) <= cost(b)  and  load(a, pool, t) <= load(b, pool, t) for all later sections t  =>  b is dropped
//
// The cost here is that of the bodies that have begun, without prices. Loads only change where a use of a live body begins or ends,
// so they are compared there.
//
// Invariant: whatever completes b completes a, at no higher cost.
//
// Complexity: for each state, mostRivals comparisons with those that cost a little less, and dominanceEffort loads on average.
//
// Measured on A of the challenging suite with fast memory of 30% of the load: the cheapest assignment is proven, within 2,000 states
// a section. Without dominance 20,000 are too few. Of F and H five of six are proven, and without it none.
//
// Tried and dropped: to compare with the cheapest states, not with those that cost a little less. It drops too few.
//
// Source: dominance in dynamic programs for the knapsack (Weingartner and Ness 1967), with loads over time.

const (
	mostRivals      = 200 // that a state is compared with
	dominanceEffort = 400 // comparisons of loads for each state
)

// dominate drops states that others make superfluous from section t on.
func (w *walk) dominate(t int) {
	if len(w.states) < 2 || w.plain {
		return
	}
	at := w.turns(t)
	width := len(at) * len(w.pools)
	w.effort += len(w.states) * (width + w.lanes)
	loads := make([]int64, len(w.states)*width)
	for s := range w.states {
		mine := loads[s*width : (s+1)*width]
		for lane, k := range w.owner {
			if k < 0 {
				continue
			}
			b, n := &w.bodies[k], w.lives(s)[lane]
			pool := slices.Index(w.pools, b.Pools[n])
			if pool < 0 {
				continue
			}
			for u, use := range b.Uses {
				from, _ := slices.BinarySearch(at, use.First)
				to, _ := slices.BinarySearch(at, use.Last)
				for x := from; x < to; x++ {
					mine[pool*len(at)+x] += b.cells[n][u]
				}
			}
		}
	}
	order := make([]int32, len(w.states))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.states[a].cost, w.states[b].cost), cmp.Compare(w.states[a].excess, w.states[b].excess), cmp.Compare(a, b))
	})
	var front []int32
	effort := dominanceEffort * len(w.states)
	out := make([]bool, len(w.states))
	for _, s := range order {
		mine := loads[int(s)*width : (int(s)+1)*width]
		for k := range min(len(front), mostRivals) {
			f := front[len(front)-1-k]
			other := loads[int(f)*width : (int(f)+1)*width]
			x := 0
			for x < width && other[x] <= mine[x] {
				x++
			}
			if effort -= x + 1; x == width {
				out[s] = true
				break
			}
			if effort <= 0 {
				break
			}
		}
		if !out[s] {
			front = append(front, s)
		}
		if effort <= 0 {
			break
		}
	}
	w.effort += dominanceEffort*len(w.states) - effort
	left := 0
	for s := range w.states {
		if !out[s] {
			w.move(left, s)
			left++
		}
	}
	w.keep(left)
}

// turns returns t and the later sections in which loads of live bodies may change, ascending.
func (w *walk) turns(t int) []int32 {
	next := int32(t)
	at := []int32{next}
	for _, k := range w.owner {
		if k < 0 {
			continue
		}
		for _, u := range w.bodies[k].Uses {
			if u.First > next {
				at = append(at, u.First)
			}
		}
	}
	for _, k := range w.owner {
		if k >= 0 {
			for _, u := range w.bodies[k].Uses {
				if u.Last > next {
					at = append(at, u.Last)
				}
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}
