package tela

import (
	"slices"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a caller may watch the search through plan.Move: it is told of each placement and of each that is taken back.
// A tree begins with nothing placed. A jump back over several points is one move. The completion orders pairs, so its
// plan is told as placements when it is done.
//
// Complexity: O(1) a placement, and a comparison if nobody watches.

// story is what has been told of a partition.
type story struct {
	tell func(plan.Move) // nil where nobody asks
	at   []int64         // of each buffer its offset; -1 for none
}

// begins tells that a tree begins.
func (s *search) begins(capacity int64) {
	if s.story.tell == nil {
		return
	}
	s.story.at = slices.Repeat([]int64{-1}, int(s.n))
	s.story.tell(plan.Move{Kind: plan.MoveBegin, Buffer: int(s.engine.ID(0)), Offset: capacity})
}

// places tells that a buffer is placed.
func (s *search) places(j int32, offset int64) {
	if s.story.tell == nil {
		return
	}
	s.story.at[j] = offset
	s.story.tell(plan.Move{Kind: plan.MovePlace, Buffer: int(s.engine.ID(j)), Offset: offset})
}

// takesBack tells that the placements of some buffers are taken back, the first of them and those that came after it.
func (s *search) takesBack(first int32, after ...point) {
	if s.story.tell == nil {
		return
	}
	s.story.at[first] = -1
	for k := range after {
		s.story.at[after[k].chosen] = -1
	}
	s.story.tell(plan.Move{Kind: plan.MoveBack, Buffer: int(s.engine.ID(first))})
}

// finds tells of a plan, which is in the engine's ranges.
func (s *search) finds(height int64) {
	if s.story.tell == nil {
		return
	}
	for j, was := range s.story.at {
		if at, _ := s.engine.Range(int32(j)); at != was {
			s.places(int32(j), at)
		}
	}
	s.story.tell(plan.Move{Kind: plan.MovePlan, Buffer: int(s.engine.ID(0)), Offset: height})
}
