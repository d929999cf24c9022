package boxing

import (
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: take the buffers in their loose order, and put each where it fits, first or best, among those already placed.
// Small problems use the list of package place, which allocates nothing. Others use its tree.
//
// Invariant: after each step the placed buffers are a valid plan.
//
// Complexity: O(n²) for the list; O(n log² n) for the tree.
//
// Source: do_best_fit of idealloc (a21f84d), which sorts the placed conflicts of each buffer, from an interference
// graph. Such a graph takes quadratic memory if lifespans are long: S_1 has 43 million pairs.

// tightener places buffers in an order. It belongs to one worker.
type tightener struct {
	tl      *timeline.Timeline
	watch   *run.Watch
	fit     place.Fit
	list    *place.List // nil if the list will not do
	offsets []int64     // by buffer of the problem; the answer of the list
}

func newTightener(w *run.Watch, tl *timeline.Timeline, fit place.Fit) *tightener {
	t := &tightener{tl: tl, watch: w, fit: fit}
	if place.Listable(tl) {
		n := len(tl.Problem.Buffers)
		t.offsets = make([]int64, n)
		t.list = place.NewList(n)
	}
	return t
}

// place returns the plan of the order and its height, or nil if that height is not under below. The offsets are valid
// until the next call.
func (t *tightener) place(order []int32, below int64) ([]int64, int64) {
	if t.list == nil {
		offsets, height, _ := place.Below(t.watch, t.tl, order, t.fit, below)
		return offsets, height
	}
	t.list.Reset()
	var height int64
	for _, i := range order {
		b := &t.tl.Problem.Buffers[i]
		first, last := t.tl.Extent(int(i))
		offset := t.list.Put(first, last, b.Size, b.Align(), t.fit)
		t.offsets[i] = offset
		if height = max(height, offset+b.Size); height >= below {
			return nil, 0
		}
	}
	return t.offsets, height
}
