package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a piece x may need more space than its size, because nothing can start right above it. The buffers
// may be kept further apart in another section where they overlap more, or by a common divisor of their
// alignments. The effective size of x is
//
//	effective(x) = min over pieces y that meet x of distance(x, y)
//
// Each piece above x, in any of its sections, starts at least that much above the start of x. All inferences
// about sections use the effective size as the size, and need not know about it.
//
// The topmost piece of a section needs only its size, since nothing lies above it. It is not known which piece is
// the topmost one. So the total of each section is lowered by an allowance:
//
//	allowance(s) = -max(0, max over pieces x of s of ub(x) + lower(x) + effective(x) - limit)
//
// The maximum is how far a piece of s can reach above the limit if its effective size is counted.
//
// Invariant: of two pieces in a section, the upper one starts at or above the start of the lower one plus the
// effective size of the lower one.
//
// Complexity: O(pieces²), once.
//
// Source: the effective size of MiniMalloc, section 5, which is about a pair. For whole sections: Stowage.

// effectiveSizes has the allowances of sections if some piece has an effective size above its size.
type effectiveSizes struct {
	any       bool    // some piece has an effective size above its size
	allowance []int64 // per section, at most zero: the allowance of the formula above
}

func (e *effectiveSizes) add(a *arrays) { a.numbers.Add(a.m, &e.allowance) }

// effectiveMost bounds the pairs of pieces that are compared.
const effectiveMost = 1 << 20

// initEffective replaces the sizes of pieces by their effective sizes.
func (k *Kernel) initEffective(*timeline.Timeline, *timeline.Partition) {
	if k.stackable || !k.sw.EffectiveSizes || k.Windowed && k.distances == nil || len(k.span) > effectiveMost/len(k.span) {
		return
	}
	sizes := make([]int64, len(k.span))
	for x := range k.span {
		i, at, least := k.owner[x], &k.span[x], int64(math.MaxInt64)
		for y := range k.span {
			if j, to := k.owner[y], &k.span[y]; i != j && at.first < to.last && to.first < at.last {
				d := bound.Up(k.size[i], bound.GCD(k.of[i].align, k.of[j].align))
				if k.Windowed {
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
		k.effective.any = k.effective.any || size > k.block[x].size
		k.block[x].size = size
	}
}

// allow adds to the total of each section its allowance, which is zero or negative.
func (k *Kernel) allow() {
	if !k.effective.any {
		return
	}
	clear(k.effective.allowance)
	for x, j := range k.owner {
		at := &k.span[x]
		over := k.of[j].ub + at.lower + k.block[x].size - k.limit
		for s := at.first; s < at.last; s++ {
			k.effective.allowance[s] = min(k.effective.allowance[s], -over)
		}
	}
	for s, less := range k.effective.allowance {
		k.total[s] += less
	}
}
