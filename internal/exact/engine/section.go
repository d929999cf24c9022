package engine

import "math"

// Section inference, as in the paper: in each section, what is unplaced lies
// above the floor, so floor + total must not exceed the limit. The floor is the
// top of what is placed; no lower than the offset just placed (monotonic
// floor), and no lower than the least offset of what is unplaced (unallocated
// floor, the paper's effective height).
//
// With the suffix bound on, this file is not used: that bound implies it.
//
// Complexity: O(sum over unplaced buffers of their sections).
// Source: MiniMalloc, section 6.2.

// sectionsFit reports whether every section of c can take what is unplaced.
func (k *kernel) sectionsFit(c component) bool {
	low := k.low
	if k.sw.unallocatedFloor {
		for s := c.first; s < c.last; s++ {
			low[s] = math.MaxInt64
		}
		for _, j := range k.listOf(c) {
			if k.huge && k.late() {
				return true
			}
			for x := Piece(j); x != none; x = k.next[x] {
				at := &k.span[x]
				start := k.lb[j] + at.lower
				for s := at.first; s < at.last; s++ {
					low[s] = min(low[s], start)
				}
			}
		}
	}
	for s := c.first; s < c.last; s++ {
		if k.live[s] == 0 {
			continue
		}
		floor := k.floor[s]
		if k.sw.unallocatedFloor && low[s] != math.MaxInt64 {
			floor = max(floor, low[s])
		}
		if k.sw.monotonicFloor {
			floor = max(floor, c.off)
		}
		if k.sw.sectionInference {
			floor += k.total[s]
		}
		if floor > k.limit {
			return false
		}
	}
	return true
}
