package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: what lies above a piece mostly starts higher than where the piece ends,
// for the two buffers are kept apart by another section, where they overlap more, or
// by alignments that have a common divisor. The least of these distances over all
// that a piece meets is its effective size: whatever lies above it in any of its
// sections starts at least as much higher. All inferences from sections take it in
// place of the size and need not know. Only the topmost piece of a section has
// nothing above it, and ends where its buffer does; which one that is, is not known,
// so each section is allowed the most by which one of its pieces may then overrun.
//
// Invariant: of two pieces in a section the upper one starts at or above the start
// of the lower one plus that one's effective size.
//
// Complexity: O(pieces²), once.
// Source: the effective size of MiniMalloc, section 5, of a pair; for whole sections
// Stowage.

// effectiveMost bounds the pairs of pieces that are looked at.
const effectiveMost = 1 << 20

// initEffective makes sizes of pieces effective.
func (k *kernel) initEffective(*timeline.Timeline, *timeline.Partition) {
	if k.stackable || !k.sw.effectiveSizes || k.windowed && k.distances == nil || len(k.span) > effectiveMost/len(k.span) {
		return
	}
	sizes := make([]int64, len(k.span))
	for x := range k.span {
		i, at, least := k.owner[x], &k.span[x], int64(math.MaxInt64)
		for y := range k.span {
			if j, to := k.owner[y], &k.span[y]; i != j && at.first < to.last && to.first < at.last {
				d := bound.Up(k.size[i], bound.GCD(k.of[i].align, k.of[j].align))
				if k.windowed {
					d, _ = k.distance(i, j)
				}
				least = min(least, d-at.lower+to.lower)
			}
		}
		if least == math.MaxInt64 {
			least = k.block[x].size
		}
		sizes[x] = least
	}
	for x, size := range sizes {
		k.effective = k.effective || size > k.block[x].size
		k.block[x].size = size
	}
}

// allow counts in the totals what a topmost piece may overrun.
func (k *kernel) allow() {
	if !k.effective {
		return
	}
	clear(k.allowance)
	for x, j := range k.owner {
		at := &k.span[x]
		over := k.of[j].ub + at.lower + k.block[x].size - k.limit
		for s := at.first; s < at.last; s++ {
			k.allowance[s] = min(k.allowance[s], -over)
		}
	}
	for s, less := range k.allowance {
		k.total[s] += less
	}
}
