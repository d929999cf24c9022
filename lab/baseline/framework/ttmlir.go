package framework

import "github.com/stowage-go/stowage/internal/bound"

// Idea: tt-mlir places buffers by decreasing size, each in the tightest gap between those in its time. A quirk is
// kept: a gap is compared with the size of the buffer above it, not of the buffer to be placed. The buffer above came
// first, so it is no smaller. The plan is sound, but gaps go unused.
//
// Complexity: O(n²), a walk over all that is placed.
//
// Source: tt-mlir, lib/Dialect/D2M/Analysis/Allocation/Planner.cpp, greedy (19c86fc). Equal sizes come out of a heap
// there; here they go to the input's order. What it spills to larger memory under a limit has no place in a problem.

func init() {
	register(planner{
		name:    "tt-mlir",
		summary: "largest first, each in the smallest gap that would hold the buffer above the gap",
		source:  "tt-mlir, D2M allocation planner, greedy (19c86fc)",
		place: func(t *task) error {
			t.offsets = make([]int64, len(t.buffers))
			a := newArena(t)
			for _, i := range t.sorted(t.larger) {
				if t.stopped() {
					return errStopped
				}
				a.put(int(i), a.ttFit(int(i)))
			}
			return nil
		},
	})
}

// ttFit returns the offset for buffer i.
func (a *arena) ttFit(i int) int64 {
	b := &a.t.buffers[i]
	first, last := a.t.tl.Extent(i)
	best, least, current := int64(-1), never, int64(0)
	for k, from := range a.from {
		if a.last[k] <= first || a.first[k] >= last {
			continue
		}
		start := bound.Up(current, b.Align())
		// With alignments the buffer must fit, too: the one above it may be smaller
		// than what alignment takes from the gap.
		if gap := from - start; gap >= max(a.to[k]-from, b.Size) && gap < least {
			best, least = start, gap
		}
		current = max(current, a.to[k])
	}
	if best < 0 {
		return bound.Up(current, b.Align())
	}
	return best
}
