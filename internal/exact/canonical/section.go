package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Section inference, as in the paper: what is unplaced in a section s lies above a floor, so
//
//	floor(s) + total(s) <= limit
//
// The floor is the largest of three numbers: the top of what is placed in s, the offset placed last (monotonic floor),
// and the least start of an unplaced piece in s (unallocated floor, the paper's effective height).
//
// If the suffix bound is on, this file is not used, because that bound implies this one.
//
// Complexity: O(sum over unplaced buffers of their sections).
//
// Source: MiniMalloc, section 6.2.

// floors has the tops of what is placed. Only the inference of the paper reads them; the suffix bound reads bounds
// instead.
type floors struct {
	of  []int64 // per section: the top of what is placed there; the trail restores it
	low []int64 // per section: the least start of an unplaced piece, within one call
}

func (f *floors) add(a *arrays) { a.numbers.Add(a.m, &f.low) }

// liftFloors raises the floors of the sections of j to its top.
func (k *Kernel) liftFloors(j common.Buffer) {
	if k.sw.SuffixBound {
		return
	}
	for x := Piece(j); x != none; x = k.next[x] {
		at := &k.span[x]
		top := k.lb[j] + at.lower + k.block[x].size
		for s := at.first; s < at.last; s++ {
			if k.floors.of[s] < top {
				k.set(int32(2*k.n)+int32(s), top)
			}
		}
	}
}

// sectionsFit reports whether every section of c has room for its unplaced pieces.
func (k *Kernel) sectionsFit(c component) bool {
	low := k.floors.low
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
		floor := k.floors.of[s]
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
