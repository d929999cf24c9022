package canonical

import "math"

// Section inference, as in the paper: what is unplaced in a section s lies above a floor, so
//
//	floor(s) + total(s) <= limit
//
// The floor is the largest of three numbers: the top of what is placed in s, the offset placed last
// (monotonic floor), and the least start of an unplaced piece in s (unallocated floor, the paper's
// effective height).
//
// If the suffix bound is on, this file is not used, because that bound implies this one.
//
// Complexity: O(sum over unplaced buffers of their sections).
//
// Source: MiniMalloc, section 6.2.

// sectionsFit reports whether every section of c has room for its unplaced pieces.
func (k *Kernel) sectionsFit(c component) bool {
	low := k.low
	if k.sw.UnallocatedFloor {
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
		if k.sw.UnallocatedFloor && low[s] != math.MaxInt64 {
			floor = max(floor, low[s])
		}
		if k.sw.MonotonicFloor {
			floor = max(floor, c.off)
		}
		if k.sw.SectionInference {
			floor += k.total[s]
		}
		if floor > k.limit {
			return false
		}
	}
	return true
}
