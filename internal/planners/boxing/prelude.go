package boxing

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: two kinds of problem need no boxes. If no lifespans overlap, all buffers share one offset. If all sizes are
// equal, the rows of a colouring are a lowest plan. For all other problems, two heuristics give the plan to beat: first
// fit by size, with ties by the longer lifespan, and with ties by the order of the input.
//
// Invariant: the result of boxing is never higher than the plan of either heuristic.
//
// Complexity: O(n log n), and two placements.
//
// Source: prelude_analysis of idealloc (a21f84d), which has only the first heuristic.

// easy returns the order for a problem that needs no boxes, or nil. It returns no plan, because tightening takes care
// of alignment, gaps and fixed offsets.
func (t *try) easy() []id {
	b := t.boxes
	items := make([]id, b.buffers)
	for k := range items {
		items[k] = id(k)
	}
	if b.disjoint(items) {
		return items
	}
	if least, most := b.heights(items); least < most {
		return nil
	}
	row, _ := t.colours.colour(b, items)
	rank := make([]int32, b.buffers)
	for k, i := range items {
		rank[i] = row[k]
	}
	b.sort(items, func(i, j id) int { return cmp.Compare(rank[i], rank[j]) })
	return items
}

// bootstrap places the two heuristics' orders and returns the lower plan. Fixed buffers do not collide.
func bootstrap(tl *timeline.Timeline, t *tightener) (offsets []int64, height, placed int64) {
	buffers := tl.Problem.Buffers
	order := make([]int32, len(buffers))
	for i := range order {
		order[i] = int32(i)
	}
	// If a limit cuts the sort, any order will do, because all buffers are stacked then.
	place.Sort(t.watch, order, func(i, j int32) int { return cmp.Compare(buffers[j].Size, buffers[i].Size) })
	height = math.MaxInt64
	got, h := t.place(order, height)
	offsets, height = slices.Clone(got), h
	if height == tl.LowerBound || t.watch.Over() {
		return offsets, height, int64(len(order))
	}
	whole := place.Sort(t.watch, order, func(i, j int32) int {
		x, y := &buffers[i], &buffers[j]
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(y.Upper-y.Lower, x.Upper-x.Lower))
	})
	if !whole {
		return offsets, height, int64(len(order))
	}
	if got, h := t.place(order, height); got != nil {
		offsets, height = slices.Clone(got), h
	}
	return offsets, height, 2 * int64(len(order))
}
