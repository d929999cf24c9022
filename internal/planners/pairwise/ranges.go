package pairwise

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: the free offsets of a buffer are its range without the ranges that the placed buffers of its pairs forbid.
// The bounds lie outside of forbidden ranges. The ranges between them are computed on demand, since few ask.
//
// Complexity: O(d log d) for d placed neighbours.

// A span is a range of offsets, exclusive at both ends, that a placed buffer forbids.
type span struct{ above, below int64 }

// forbidden sets e.blocks to what placed buffers forbid buffer j, ascending.
func (e *Engine) forbidden(j int32) {
	e.blocks = e.blocks[:0]
	lo, hi := e.Range(j)
	for h := e.from[j]; h < e.from[j+1]; h++ {
		k := e.other[h]
		if !e.isPlaced[k] {
			continue
		}
		at := e.value[2*k]
		s := span{above: at - e.dist(e.literal[h], j), below: at + e.dist(e.literal[h]^1, k)}
		if s.below > lo && s.above < hi {
			e.blocks = append(e.blocks, s)
		}
	}
	slices.SortFunc(e.blocks, func(a, b span) int { return cmp.Compare(a.above, b.above) })
}

// Lowest returns the lowest offset of buffer j that is at least from, within its
// range, and forbidden by no placed buffer; ok is false if there is none.
func (e *Engine) Lowest(j int32, from int64) (offset int64, ok bool) {
	lo, hi := e.Range(j)
	offset = bound.Up(max(lo, from), e.align[j])
	if offset > hi {
		return 0, false
	}
	if offset == lo {
		return lo, true
	}
	e.forbidden(j)
	for _, s := range e.blocks {
		if s.above < offset && offset < s.below {
			if offset = bound.Up(s.below, e.align[j]); offset > hi {
				return 0, false
			}
		}
	}
	return offset, true
}

// A Free is a range of offsets, inclusive at both ends, that a buffer may take.
type Free struct{ Lo, Hi int64 }

// Free appends to dst the ranges of offsets of buffer j that lie within its bounds and that no placed buffer forbids,
// ascending. Their ends are multiples of the alignment.
func (e *Engine) Free(dst []Free, j int32) []Free {
	lo, hi := e.Range(j)
	if lo > hi {
		return dst
	}
	e.forbidden(j)
	for _, s := range e.blocks {
		end := bound.Down(s.above, e.align[j])
		if lo <= end {
			dst = append(dst, Free{lo, end})
		}
		if s.below > lo {
			lo = bound.Up(s.below, e.align[j])
		}
	}
	if lo <= hi {
		dst = append(dst, Free{lo, hi})
	}
	return dst
}

// Skyline returns the lowest offset of buffer j, rounded up, above every placed neighbour that is not fixed. ok is
// false if that offset is out of its range or forbidden.
func (e *Engine) Skyline(j int32) (offset int64, ok bool) {
	lo, _ := e.Range(j)
	top := lo
	for h := e.from[j]; h < e.from[j+1]; h++ {
		if k := e.other[h]; e.isPlaced[k] && e.fixed[k] < 0 {
			top = max(top, e.value[2*k]+e.dist(e.literal[h]^1, k))
		}
	}
	return e.Lowest(j, top)
}

// Slack returns the room that a literal leaves between the bounds of its two buffers: the number of bytes by which they
// may still move before it is refuted.
func (e *Engine) Slack(literal int32) int64 {
	lower, upper := e.first[literal>>1], e.second[literal>>1]
	if literal&1 == 1 {
		lower, upper = upper, lower
	}
	return -e.value[2*upper+1] - e.value[2*lower] - e.dist(literal, lower)
}
