package exact

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
		for _, j := range c.list {
			if k.huge && k.late() {
				return true
			}
			lb := k.lb[j]
			if k.plain {
				for s := k.first[j]; s < k.last[j]; s++ {
					low[s] = min(low[s], lb)
				}
				continue
			}
			for _, span := range k.spansOf(j) {
				for s := span.first; s < span.last; s++ {
					low[s] = min(low[s], lb+span.lower)
				}
			}
		}
	}
	for s := c.first; s < c.last; s++ {
		floor := k.floor[s]
		if k.sw.unallocatedFloor && low[s] != math.MaxInt64 {
			floor = max(floor, low[s])
		}
		if k.total[s] > 0 {
			if k.sw.monotonicFloor {
				floor = max(floor, c.off)
			}
			if k.sw.sectionInference {
				floor += k.total[s]
			}
		}
		if floor > k.limit {
			return false
		}
	}
	return true
}
