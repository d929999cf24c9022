package climb

import (
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: n buffers have n! orders, 5,040 for seven buffers. All of them are placed, and nothing is left to search. Local
// search would place some of them again and again, for millions of steps. Without windows, one of these plans is
// optimal: first fit in the order of the offsets of an optimal plan puts no buffer higher than that plan does.
//
// Complexity: n! placements of n buffers, some ten milliseconds for seven.

// allOrders is the number of buffers up to which all orders are placed.
const allOrders = 7

// orders places all orders, until the goal is met or a limit comes.
func (w *worker) orders() {
	order := sorting.Count(len(w.tl.Problem.Buffers))
	for more := true; more && !w.done(); more = following(order) {
		_, height := w.lowest()
		w.steps.Add(int64(len(order)))
		offsets, _, _ := w.critical.memory.Below(w.watch, w.tl, order, place.FirstFit, height)
		if offsets != nil {
			w.keep(slices.Clone(offsets))
		}
	}
}

// following replaces an order by the next one in dictionary order. It returns false after the last.
func following(order []int32) bool {
	k := len(order) - 2
	for k >= 0 && order[k] > order[k+1] {
		k--
	}
	if k < 0 {
		return false
	}
	next := len(order) - 1
	for order[next] < order[k] {
		next--
	}
	order[k], order[next] = order[next], order[k]
	for i, j := k+1, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return true
}
