package engine

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/plan"
)

// Idea: watching a search helps to understand it: what it places, where that fails, how far it goes back. A kernel and
// a ladder have a function for this, which is nil if nobody asks. They call it when they place a buffer and when they
// take one back. This file turns the calls into the moves of plan.Options.Moves.
//
// Moves are about whole partitions, in the order of the search. Stretches of time and composites are other problems
// with buffers of their own, so their searches tell no moves. If they find a plan, as the search over pairs does too,
// it is told as placements that differ from what stands.
//
// Invariant: the placements that stand are a stack. After the last move of a plan each buffer is where the plan has it.
//
// Complexity: O(1) for a move and O(1) for each placement that it takes back. If nobody asks,
// one comparison for each placement.

// told is the state of one partition according to the moves told so far.
type told struct {
	stack []common.Buffer // the placed buffers, in the order of their placement
	at    []int64         // per buffer: its offset, -1 if it is not placed
}

// clear forgets all placements, of n buffers.
func (s *told) clear(n int) {
	if s.at == nil {
		s.at = make([]int64, n)
	}
	for j := range s.at {
		s.at[j] = -1
	}
	s.stack = s.stack[:0]
}

// pop takes back j and all that was placed after it.
func (s *told) pop(j common.Buffer) {
	for last := len(s.stack) - 1; last >= 0; last-- {
		i := s.stack[last]
		s.stack, s.at[i] = s.stack[:last], -1
		if i == j {
			return
		}
	}
}

// initTelling makes the engine tell the moves of its run. It then has one worker.
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
