package cp

import (
	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
)

// Idea: guess, propagate, and on a contradiction take back the last guess and try its next value. When nothing is
// left to guess, the lower bounds are a plan, because propagation has carried every order through to them.
//
// Invariant: frame d holds the guess that opened level d+1 of the engine; all
// values before it have been refuted under the guesses below.
//
// Complexity: memory is one frame a level; a node allocates nothing.
//
// Left out: bisecting ranges of offsets. Guessing the order decides the same without the grid.

// A frame is a guess: an order or an offset.
type frame struct {
	literal int32 // the order, if buffer < 0
	second  bool  // the other order has been refuted
	buffer  int32 // the buffer with a guessed offset, -1 for an order
	offset  int64
}

// search explores the engine from its root. If the outcome is Found, the lower bounds are a plan.
func (s *solver) search(e *pairwise.Engine) descend.Outcome {
	s.frames = s.frames[:0]
	for {
		f, ok := s.choose(e)
		if !ok {
			return descend.Found
		}
		if !s.budget.Spend() {
			return descend.Stopped
		}
		s.frames = append(s.frames, f)
		for !guess(e, &s.frames[len(s.frames)-1]) {
			if !s.backtrack(e) {
				return descend.Refuted
			}
			if !s.budget.Spend() {
				return descend.Stopped
			}
		}
	}
}

// guess opens a level for a frame and reports whether no contradiction shows.
func guess(e *pairwise.Engine, f *frame) bool {
	if f.buffer >= 0 {
		return e.Place(f.buffer, f.offset)
	}
	return e.Order(f.literal)
}

// backtrack takes back guesses up to one with a value left, and moves that on. It returns false if there is none.
func (s *solver) backtrack(e *pairwise.Engine) bool {
	for len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		e.Pop()
		if f.buffer >= 0 {
			if at, ok := e.Lowest(f.buffer, f.offset+1); ok {
				f.offset = at
				return true
			}
		} else if !f.second {
			f.literal, f.second = f.literal^1, true
			return true
		}
		s.budget.Backtracks++
		s.frames = s.frames[:len(s.frames)-1]
	}
	return false
}
