package engine

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a search is understood by watching it: what it places, where that fails, how far
// it goes back. So it says what it does where somebody asks, and nowhere else: a kernel
// and a ladder have a function that is nil otherwise, and look at it where they place and
// where they take back. All that makes a story of that is here.
//
// What is told is of whole partitions in the order of the search. Stretches of time and
// composites are other problems, with buffers of their own, and are not told of; what
// pairs of orders, ranges that are chosen or composites make of a plan in the end is told
// as placements that go elsewhere.
//
// Invariant: placements that stand are a stack; the last of a plan's moves leaves each
// buffer where the plan has it.
//
// Complexity: O(1) a move and O(1) for each placement that it takes back; one comparison
// for each placement where nobody asks.

// told is what has been told of a partition.
type told struct {
	stack []common.Buffer // what is placed, in the order of its placement
	at    []int64         // and where; -1 for what is not
}

// clear forgets what was placed before, of n buffers.
func (s *told) clear(n int) {
	if s.at == nil {
		s.at = make([]int64, n)
	}
	for j := range s.at {
		s.at[j] = -1
	}
	s.stack = s.stack[:0]
}

// pop takes back j and what came after it.
func (s *told) pop(j common.Buffer) {
	for last := len(s.stack) - 1; last >= 0; last-- {
		i := s.stack[last]
		s.stack, s.at[i] = s.stack[:last], -1
		if i == j {
			return
		}
	}
}

// initTelling has the engine tell of its run.
func (e *engine) initTelling(tell func(plan.Move)) {
	e.workers = 1
	parts := make([]told, len(e.parts))
	e.tell = func(p int, kind plan.MoveKind, j common.Buffer, at int64) {
		s, buffers := &parts[p], e.tl.Partitions[p].Buffers
		if kind == plan.MoveBegin || s.at == nil {
			s.clear(len(buffers))
		}
		place := func(j common.Buffer, at int64) {
			if s.at[j] < 0 {
				s.stack = append(s.stack, j)
			}
			s.at[j] = at
			tell(plan.Move{Kind: plan.MovePlace, Buffer: int(buffers[j]), Offset: at})
		}
		switch kind {
		case plan.MoveBegin:
			tell(plan.Move{Kind: kind, Buffer: int(buffers[0]), Offset: at})
		case plan.MovePlace:
			place(j, at)
		case plan.MoveBack:
			s.pop(j)
			tell(plan.Move{Kind: kind, Buffer: int(buffers[j])})
		case plan.MoveDone:
			tell(plan.Move{Kind: kind, Buffer: int(buffers[0])})
		case plan.MovePlan:
			for j, at := range e.parts[p].offsets {
				if s.at[j] != at {
					place(common.Buffer(j), at)
				}
			}
			tell(plan.Move{Kind: kind, Buffer: int(buffers[0]), Offset: e.parts[p].height})
		}
	}
}
