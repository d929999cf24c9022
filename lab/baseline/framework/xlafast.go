package framework

import (
	"cmp"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
)

// Idea: these are XLA's heaps whose time does not grow with the conflicts. Fast merge sweeps through time with a list
// of free chunks. A buffer takes the smallest chunk that is large enough, on a tie the lowest. When it ends, its
// memory joins the free chunks beside it. Fast split is for problems that are too slow otherwise: the first 500 in
// the spatial order are placed as by xla-heap, and all others by such a sweep above them.
//
// A chunk's size counts from its first aligned byte. The bytes before it go with the buffer and come back with it.
//
// Invariant: the chunks are sorted by offset, disjoint, no two touch, and the last one has no end.
//
// Complexity: O(n · chunks); XLA keeps them in trees.
//
// Source: XLA, FinishFastMerge and FinishFastSplit of ConstrainedGlobalDecreasingSizeBestFitHeap, and FreeChunksManager
// (heap_simulator 0e06ac8). XLA puts colocated buffers, which a problem cannot have yet, among the first whatever their
// place in the order.

// xlaExact is how many buffers fast split places exactly.
const xlaExact = 500

func init() {
	register(planner{
		name:    "xla-fast-merge",
		summary: "by start, each in the smallest chunk that is large enough",
		source:  "XLA, FinishFastMerge (0e06ac8)",
		place: func(t *task) error {
			c := t.xlaClock()
			t.offsets = make([]int64, len(t.buffers))
			return t.xlaSweep(c, c.sorted(t, 3), 0)
		},
	})
	register(planner{
		name:    "xla-fast-split",
		summary: "the first buffers in the spatial order as in xla-heap, the others above them as in xla-fast-merge",
		source:  "XLA, FinishFastSplit (0e06ac8)",
		params: []param{
			{name: "exact", otherwise: xlaExact, least: 0, most: 1 << 40, summary: "number of buffers that are placed as in xla-heap"},
		},
		place: func(t *task) error {
			c := t.xlaClock()
			order := c.sorted(t, 0)
			exact := int(min(t.number("exact"), int64(len(order))))
			// The buffers that the order leaves out are placed too, and then moved.
			if t.offsets, _ = place.Place(t.watch, t.tl, order[:exact], place.BestFit); t.offsets == nil {
				return errStopped
			}
			var top int64
			for _, i := range order[:exact] {
				top = max(top, t.offsets[i]+t.buffers[i].Size)
			}
			rest := order[exact:]
			t.sort(rest, func(a, b int32) int { return cmp.Compare(c.start[a], c.start[b]) })
			return t.xlaSweep(c, rest, top)
		},
	})
}

// A chunk is a stretch of free bytes.
type chunk struct{ from, to int64 }

// xlaSweep places the buffers of an order by start from an offset on.
func (t *task) xlaSweep(c *xlaClock, order []int32, from int64) error {
	ends := slices.Clone(order)
	t.sort(ends, func(a, b int32) int { return cmp.Compare(c.end[a], c.end[b]) })
	free := []chunk{{from, never}}
	taken := make([]int64, len(t.buffers)) // where the buffer's chunk began
	for _, i := range order {
		if t.stopped() {
			return errStopped
		}
		for ; c.end[ends[0]] <= c.start[i]; ends = ends[1:] {
			j := ends[0]
			free = join(free, chunk{taken[j], t.offsets[j] + t.buffers[j].Size})
		}
		size, align := t.buffers[i].Size, t.buffers[i].Align()
		best, least := -1, never
		for k, f := range free {
			if usable := f.to - bound.Up(f.from, align); usable >= size && (best < 0 || usable < least) {
				best, least = k, usable
			}
		}
		taken[i] = free[best].from
		t.offsets[i] = bound.Up(taken[i], align)
		if free[best].from = t.offsets[i] + size; free[best].from == free[best].to {
			free = slices.Delete(free, best, best+1)
		}
	}
	return nil
}

// join adds a chunk to a list, and makes one of those that touch.
func join(free []chunk, c chunk) []chunk {
	k := sort.Search(len(free), func(k int) bool { return free[k].from >= c.to })
	if k < len(free) && free[k].from == c.to {
		free[k].from = c.from
	} else {
		free = slices.Insert(free, k, c)
	}
	if k > 0 && free[k-1].to == free[k].from {
		free[k-1].to = free[k].to
		free = slices.Delete(free, k, k+1)
	}
	return free
}
