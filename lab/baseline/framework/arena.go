package framework

import (
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: TFLite's arena keeps placed buffers in a list by offset. A new buffer walks along the list and skips what it
// shares no time with. Of the holes between two of the others, it takes the smallest one that holds it, and the
// lowest on a tie. Without such a hole it goes on top.
//
// A quirk of both TFLite and IREE: a hole is compared by its size after the start is aligned, but remembered by its
// size before. If alignment makes a hole smaller, a later hole with the same usable size may replace it. Without
// alignment this is plain best fit.
//
// Invariant: the list is sorted by offset; its entries are a valid plan.
//
// Complexity: O(n) a buffer, O(n²) in all; 30,000 buffers take a quarter of a second.
//
// Source: TensorFlow Lite, simple_memory_arena (TensorFlow 0e44793); the same walk in IREE, LayoutSlices (b48a595).
//
// Left out: the interval sets of package greedy, which are faster but cannot have the quirk.

// An arena is a list of placed buffers by offset, as columns.
type arena struct {
	t           *task
	first, last []int32 // the sections from a buffer's first to its last
	from, to    []int64 // its bytes
	align       int64   // at a multiple of which buffers start, as at one of their own
}

// newArena returns an arena with the buffers that have fixed offsets. After a limit some may be missing; fill checks
// that.
func newArena(t *task) *arena {
	n := len(t.buffers)
	a := &arena{
		t: t, first: make([]int32, 0, n), last: make([]int32, 0, n), from: make([]int64, 0, n),
		to: make([]int64, 0, n), align: 1,
	}
	for i := range t.buffers {
		if at := t.buffers[i].Fixed; at != nil {
			if t.stopped() {
				break
			}
			a.put(i, *at)
		}
	}
	return a
}

// bestFit returns the offset for buffer i. If early is set, the walk ends at a hole that is filled to the last byte,
// as in TFLite. IREE goes on.
func (a *arena) bestFit(i int, early bool) int64 {
	const none = int64(1)<<62 - 1
	b := &a.t.buffers[i]
	size := b.Size
	align, _ := common(a.align, b.Align()) // whether there is one is asked before
	first, last := a.t.tl.Extent(i)
	firsts, lasts, from, to := a.first, a.last[:len(a.first)], a.from[:len(a.first)], a.to[:len(a.first)]
	best, hole, current := none, none, int64(0)
	for k, f := range firsts {
		if lasts[k] <= first || f >= last {
			continue
		}
		start := bound.Up(current, align)
		if start+size <= from[k] && from[k]-start < hole {
			best, hole = start, from[k]-current
		}
		current = max(current, to[k])
		if early && hole == 0 {
			break
		}
	}
	if best == none {
		return bound.Up(current, align)
	}
	return best
}

// put places buffer i, behind those at the same offset.
func (a *arena) put(i int, offset int64) {
	a.t.offsets[i] = offset
	first, last := a.t.tl.Extent(i)
	k := sort.Search(len(a.from), func(k int) bool { return a.from[k] > offset })
	a.first, a.last = slices.Insert(a.first, k, first), slices.Insert(a.last, k, last)
	a.from, a.to = slices.Insert(a.from, k, offset), slices.Insert(a.to, k, offset+a.t.buffers[i].Size)
}

// fill places the buffers of an order that have no fixed offset.
func (a *arena) fill(order []int32, early bool) error {
	for _, i := range order {
		if a.t.stopped() {
			return errStopped
		}
		if a.t.buffers[i].Fixed == nil {
			a.put(int(i), a.bestFit(int(i), early))
		}
	}
	return nil
}
