package cp

import "github.com/stowage-go/stowage/internal/planners/pairwise"

// Idea: first fail, the one rule of plain constraint programming. An order has two values, and an offset as many as
// its range has, so orders come first. Of the orders, the next pair is the one whose buffers have the fewest offsets
// left. Of the offsets, the next buffer is the one with the smallest range. Ties go to the lower number, and values
// are tried in ascending order. Nothing here knows about memory.
//
// Complexity: a scan of the pairs or the buffers.

// choose returns the next guess; ok is false if nothing is left to guess.
func (s *solver) choose(e *pairwise.Engine) (f frame, ok bool) {
	if s.offsets {
		return s.chooseOffset(e)
	}
	return s.chooseOrder(e)
}

func (s *solver) chooseOrder(e *pairwise.Engine) (f frame, ok bool) {
	best := int64(-1)
	for p := range int32(e.Pairs()) {
		if e.Decided(p) >= 0 {
			continue
		}
		if !s.firstFail {
			return frame{literal: 2 * p, buffer: -1}, true
		}
		a, b := e.Pair(p)
		if left := width(e, a) + width(e, b); best < 0 || left < best {
			best = left
			f, ok = frame{literal: 2 * p, buffer: -1}, true
		}
	}
	return f, ok
}

func (s *solver) chooseOffset(e *pairwise.Engine) (f frame, ok bool) {
	best := int64(-1)
	for j := range int32(e.Len()) {
		if e.Placed(j) {
			continue
		}
		lo, _ := e.Range(j)
		if !s.firstFail {
			return frame{buffer: j, offset: lo}, true
		}
		if left := width(e, j); best < 0 || left < best {
			best = left
			f, ok = frame{buffer: j, offset: lo}, true
		}
	}
	return f, ok
}

// width is the length of a buffer's range of offsets.
func width(e *pairwise.Engine, j int32) int64 {
	lo, hi := e.Range(j)
	return hi - lo
}
