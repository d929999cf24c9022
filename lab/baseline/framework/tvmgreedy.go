package framework

import (
	"cmp"
	"strings"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
)

// Idea: TVM's unified static memory planner (USMP) had two greedy algorithms that differ only in their order. A
// buffer goes on top of all placed buffers that it conflicts with. Holes are never filled.
//
//	tvm-greedy-by-size       size, number of conflicts, name, all descending
//	tvm-greedy-by-conflicts  number of conflicts, size, name, all descending
//
// Names are compared as strings, so that the plan depends on what buffers are called; b9 goes before b10.
//
// Complexity: O(n log n); USMP itself walks the conflicts of each buffer.
//
// Source: Apache TVM, tir/usmp/algo/greedy (a531d170^, the revision before USMP was removed). There is one pool here,
// without a bound. USMP rounds a start by the alignment of the buffer below; here it is the buffer's own.
//
// Not copied: with bounded pools, a pool that was ruled out as too full comes back with the next conflict.

func init() {
	register(planner{
		name:    "tvm-greedy-by-size",
		summary: "largest first, each above all buffers that it conflicts with; holes stay empty",
		source:  "Apache TVM, USMP greedy_by_size (a531d170^)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			return t.onTop(t.sorted(t.usmpOrder()))
		},
	})
	register(planner{
		name:    "tvm-greedy-by-conflicts",
		summary: "most conflicts first, each above all buffers that it conflicts with; holes stay empty",
		source:  "Apache TVM, USMP greedy_by_conflicts (a531d170^)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			degree := t.degrees()
			crowded := func(a, b int) int { return cmp.Compare(degree[b], degree[a]) }
			return t.onTop(t.sorted(keys(crowded, t.larger, t.nameDescending)))
		},
	})
}

// usmpOrder is the order that greedy-by-size and hill-climb start from.
func (t *task) usmpOrder() func(a, b int) int {
	degree := t.degrees()
	crowded := func(a, b int) int { return cmp.Compare(degree[b], degree[a]) }
	return keys(t.larger, crowded, t.nameDescending)
}

func (t *task) nameDescending(a, b int) int {
	return strings.Compare(t.buffers[b].ID, t.buffers[a].ID)
}

// onTop places the buffers of an order, each above all that it conflicts with.
func (t *task) onTop(order []int32) error {
	sky := place.NewSkyline(t.tl.Sections())
	t.offsets = make([]int64, len(t.buffers))
	put := func(i int, offset int64) {
		t.offsets[i] = offset
		for _, s := range t.tl.Spans(i) {
			sky.Raise(s.First, s.Last, offset+t.buffers[i].Size)
		}
	}
	for i := range t.buffers {
		if at := t.buffers[i].Fixed; at != nil {
			put(i, *at)
		}
	}
	for _, i := range order {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		if b.Fixed != nil {
			continue
		}
		var top int64
		for _, s := range t.tl.Spans(int(i)) {
			top = max(top, sky.Highest(s.First, s.Last))
		}
		put(int(i), bound.Up(top, b.Align()))
	}
	return nil
}
