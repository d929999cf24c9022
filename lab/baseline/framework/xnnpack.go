package framework

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
)

// Idea: XNNPACK plans the values of a subgraph by decreasing size. The live blocks that share time with a value are
// joined if they touch. The value goes into the smallest hole between two of them that holds it, on a tie the lowest,
// or on top.
//
// Until July 2026 the hole below the lowest live block was never used: a value went on top of its only live block,
// even if there was room below. The parameter leading selects either form.
//
// Complexity: that of place.Place; O(conflicts · log) without the leading hole.
//
// Source: XNNPACK, memory-planner.c (75db3c0; a92db0e for the time before pull request 10801). Its sort is the C
// library's qsort, which need not be stable; here ties go to the input's order. Values that reuse an operand's memory
// in place have no mark in a problem.

func init() {
	register(planner{
		name:    "xnnpack",
		summary: "largest first, each in the smallest hole that fits",
		source:  "XNNPACK, memory-planner.c (75db3c0)",
		params: []param{
			{name: "leading", words: []string{"used", "ignored"}, summary: "the hole below the lowest live block; used, or ignored as before July 2026"},
		},
		gaps: true,
		place: func(t *task) error {
			order := t.sorted(t.larger)
			if t.choice("leading") == 0 {
				return t.placeInOrder(order, place.BestFit)
			}
			return t.abovePlaced(order)
		},
	})
}

// abovePlaced places an order by best fit, but never below the lowest conflict.
func (t *task) abovePlaced(order []int32) error {
	t.offsets = make([]int64, len(t.buffers))
	for i := range t.offsets {
		t.offsets[i] = -1
	}
	var live []int32
	for _, i := range order {
		if t.stopped() {
			return errStopped
		}
		live = slices.DeleteFunc(t.tl.AppendConflicts(live[:0], int(i)), func(j int32) bool { return t.offsets[j] < 0 })
		slices.SortFunc(live, func(a, b int32) int { return cmp.Compare(t.offsets[a], t.offsets[b]) })
		size, align := t.buffers[i].Size, t.buffers[i].Align()
		best, least, end := int64(-1), never, int64(0)
		for k, j := range live {
			start := bound.Up(end, align)
			if room := t.offsets[j] - start; k > 0 && room >= size && room < least {
				best, least = start, room
			}
			end = max(end, t.offsets[j]+t.buffers[j].Size)
		}
		if best < 0 {
			best = bound.Up(end, align)
		}
		t.offsets[i] = best
	}
	return nil
}
