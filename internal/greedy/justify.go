package greedy

import (
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: turn a plan upside down, and let all buffers fall: first fit in descending order of their ends. By induction
// the old place of each is still free, so none ends higher than before, and many fall into holes that no order before
// had. Small holes far apart become one at the top, which is the ground of the next turn. Most of the gain comes in the
// first ten turns.
//
// Orders compete as they are placed, and whichever is the lowest so far is turned. So an order may lead though another
// one that was turned is lower.
//
// Invariant: a turn never makes a plan higher.
//
// Complexity: a placement a turn. In a round there are as many turns as a portfolio may have placements by first fit.
//
// Alignments may be in the way upside down. The plan is then as before. With gaps or fixed offsets nothing is turned.
//
// Source: double justification of schedules, with offsets in place of times. Valls, Ballestín and Quintanilla,
// "Justification and RCPSP: a technique that pays" (2005).
//
// Trials: docs/lab/greedy.md (chance in the order of ends, everywhere or around the top).

const (
	// idleTurns is how many turns in a row may gain too little: the two directions.
	idleTurns = 2
	// A turn gains too little if it takes less than one part in littlePart of the distance from the plan to the bound.
	littlePart = 64
)

// turnable reports whether plans are turned: there are many buffers, which have neither gaps nor fixed offsets.
func (p *Portfolio) turnable() bool {
	return len(p.tl.Problem.Buffers) >= thresholds.TurnsLeast && !p.tl.HasGaps() && MovableAll(p.tl)
}

// turned turns a plan over and over as long as that lowers it. The plan is the portfolio's own.
func (p *Portfolio) turned(plan []int64, height int64) ([]int64, int64) {
	w := place.Watch(p.ctx, p.tl)
	defer w.Close()
	return turn(w, &p.memory, &p.orders, p.tl, plan, height, p.goal, &p.turns)
}

// Turn turns a plan over and over as long as that lowers it, until it is as low as the goal, and most times at most. No
// buffer has a gap or a fixed offset. It returns the plan, which may be in the memory of the one before, and its
// height.
func Turn(
	w *run.Watch, m *place.Memory, tl *timeline.Timeline, plan []int64, height, goal, most int64,
) ([]int64, int64) {
	return turn(w, m, new(scratch), tl, plan, height, goal, &most)
}

// turn is Turn, with memory for orders. left is how many turns are left.
func turn(
	w *run.Watch, m *place.Memory, s *scratch, tl *timeline.Timeline, plan []int64, height, goal int64, left *int64,
) ([]int64, int64) {
	buffers := tl.Problem.Buffers
	for idle := 0; idle < idleTurns && height > goal && *left > 0 && !(w != nil && w.Over()); *left-- {
		s.back()
		key := s.keys.Take(len(buffers))
		for i := range key {
			key[i] = uint64(plan[i] + buffers[i].Size)
		}
		order := s.byColumns(w, len(buffers), [][]uint64{key})
		if order == nil {
			break // a limit
		}
		next, lower, _ := m.Below(w, tl, order, place.FirstFit, height+1)
		if next == nil {
			break
		}
		if idle++; height-lower > (height-tl.LowerBound)/littlePart {
			idle = 0
		}
		m.Keep(plan)
		plan, height = next, lower
	}
	return plan, height
}
