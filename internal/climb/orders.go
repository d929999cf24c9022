package climb

import (
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: few buffers have few orders, up to 5,040 of seven. They are all placed, and nothing is
// left to search: local search would place some of them again and again, for millions of
// steps. Without windows one of these plans is as low as any. Take a lowest plan, and its
// buffers by their offsets: first fit, in this order, puts none of them higher.
//
// Invariant: order is the next one to be placed.
//
// Complexity: n! placements of n buffers, some ten milliseconds for seven.

// fewBuffers is up to how many buffers all orders are placed.
const fewBuffers = 7

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

// following makes an order the next one, as words in a dictionary follow one another; false
// after the last.
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
