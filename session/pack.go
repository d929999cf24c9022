package session

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a walk over overlaps (overlap.go) ends when no two buffers overlap. Often it is almost there: the buffers lie
// in the right order, but some must give way by a few bytes, and others above them, too. Each of these steps takes
// the walk a dead end or more. But two passes over the buffers decide whether the order has a plan. So at each dead
// end the walk asks:
//
//	bytes
//	  |  [ a ]              |  [ a ]
//	  |  [ b ####]          |  [ b ]
//	  |      [ c ]          |      [ c ]
//	  +---------- time      +---------- time
//	  b and c overlap       c is the lower one: b and a go up
//
// First pass, from the lowest buffer up: each takes the least offset above its predecessors that no held buffer
// forbids. If a buffer ends above the capacity, the order has no plan. Second pass, from the highest buffer down:
// each takes the greatest offset below those before it. So each buffer has a least and a greatest offset. At last
// each buffer goes, from the lowest up, as near to its old offset as these limits and its neighbours allow, because
// movement counts.
//
// Invariant: an order has a plan if and only if the lowest offsets are one. The greatest offset of a buffer is not
// below its least one. Any offset between the two, above the buffers placed so far, can be completed.
//
// Complexity: O(n + pairs that are live together) for a pass; more only if pinned buffers push another one on. A pass
// that fails ends at the first buffer above the capacity, and costs as much as one to three moves of the walk.
//
// Source: the longest paths of disjunctive graphs (Roy and Sussmann 1964), in which an order of the operations gives
// their earliest and latest starts.
//
// It doubles the plans that walks find in the same time (docs/lab/session.md).

// pack looks for a plan in which the buffers keep their order. It reports whether there is one, which is then in h.at.
func (h *overlaps) pack() bool {
	if !h.lowest() {
		return false
	}
	h.greatest()
	h.nearest()
	return true
}

// order calls do for each buffer that is not held, the one with the lowest offset first, until it returns false.
func (h *overlaps) order(do func(i int32) bool) bool {
	for _, e := range h.ends {
		if i := e.code >> 1; e.code&1 == 0 && !h.held[i] && !do(i) {
			return false
		}
	}
	return true
}

// lowest sets h.tops, as low as the order allows. It reports whether all buffers end at or below the capacity.
func (h *overlaps) lowest() bool {
	clear(h.tops)
	buffers, capacity := h.c.s.p.Buffers, h.c.s.p.Capacity
	return h.order(func(i int32) bool {
		size := buffers[i].Size
		low := h.over(i, h.support(i))
		h.tops[i] = low + size
		return low <= capacity-size
	})
}

// support returns the highest top of the buffers below buffer i that have one.
func (h *overlaps) support(i int32) int64 {
	low := int64(0)
	for _, j := range h.meet(i) {
		low = max(low, h.tops[j])
	}
	return low
}

// greatest sets h.bottoms, as high as the order allows.
func (h *overlaps) greatest() {
	for i := range h.bottoms {
		h.bottoms[i] = math.MaxInt64
	}
	for k := len(h.ends) - 1; k >= 0; k-- {
		i := h.ends[k].code >> 1
		if h.ends[k].code&1 != 0 || h.held[i] {
			continue
		}
		high := h.c.s.p.Capacity
		for _, j := range h.meet(i) {
			high = min(high, h.bottoms[j])
		}
		h.bottoms[i] = h.under(i, high-h.c.s.p.Buffers[i].Size)
	}
}

// nearest sets the offsets, each as near to the one before the call as it can be.
func (h *overlaps) nearest() {
	clear(h.tops)
	h.order(func(i int32) bool {
		want := h.c.old[i]
		if want == away {
			want = h.at[i]
		}
		h.at[i] = h.over(i, max(min(want, h.bottoms[i]), h.support(i)))
		h.tops[i] = h.top(i)
		return true
	})
}

// over returns the least offset of buffer i, at or above low, that its alignment and the held buffers allow.
func (h *overlaps) over(i int32, low int64) int64 {
	b, row := &h.c.s.p.Buffers[i], h.row(i)
	for again := true; again; {
		low, again = bound.Up(low, b.Align()), false
		for _, f := range h.pins {
			if row[f] > 0 && h.at[f] < low+b.Size && low < h.top(f) {
				low, again = h.top(f), true
			}
		}
	}
	return low
}

// under returns the greatest offset of buffer i, at or below high, that its alignment and the held buffers allow. There
// must be one.
func (h *overlaps) under(i int32, high int64) int64 {
	b, row := &h.c.s.p.Buffers[i], h.row(i)
	for again := true; again; {
		high, again = bound.Down(high, b.Align()), false
		for _, f := range h.pins {
			if row[f] > 0 && h.at[f] < high+b.Size && high < h.top(f) {
				high, again = h.at[f]-b.Size, true
			}
		}
	}
	return high
}
