package merge

import (
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/beam"
	"github.com/stowage-go/stowage/model"
)

// Idea: where little fits together, exact search ends many problems at the goal without a wrong turn (halve.go). Where
// it makes one, it does not come back from it. Ejections (internal/beam) take back any choice, so they have what is
// left of the turn, with the buffers as they are. Four ways take turns, since each ends problems that the others leave:
//
//	nothing  from no plan, at the goal (persist.go)
//	lower    from the lowest plan, step by step: ceilings are part of the way down
//	goal     from the lowest plan, at the goal: the ceiling goes up if buffers stay out for long
//	fresh    from a plan of their own, made from nothing a little above the goal, step by step
//
// The first ends most problems, in one to ten nodes for each buffer. Steps come near the goal always: what is left
// after some twenty nodes for each buffer is some hundredths of a percent. Where they stay in a trap, a fresh plan has
// others.
//
// Only with gaps, as what lives across the end of a step that repeats has: otherwise merging, beam and climb lower the
// plan in the same time.
//
// Invariant: a plan is kept if it is lower.
//
// Complexity: a node places one buffer, in O(d log d) for d buffers that are live with it. The nodes of a turn take as
// long as exact search would for those that are left of its limit.
//
// Source: Stowage.
//
// Trials: docs/lab/merge.md (each way alone, the order by area).

const (
	// loneWork is how many neighbours ejections look at in the time of a node.
	loneWork = 1000
	// loneMost is how many pairs of buffers may be live together: with more of them a turn takes seconds.
	loneMost = 1 << 18
	// loneEach is the least number of nodes for each buffer that a way has, unless the turn has fewer.
	loneEach = 4
	// loneAbove is how far above the goal a fresh plan is made: one part in so many.
	loneAbove = 64
)

// alone is what these ejections have found out.
type alone struct {
	ways int  // that had a turn, of all runs
	won  bool // they have lowered the plan in this run
}

// alones reports whether these ejections are used.
func (s *search) alones() bool { return s.set.lone && s.tl.HasGaps() && beam.Ejects(s.tl) }

// lone lowers the plan by ejections of the buffers as they are, until the nodes of the turn are used up. Without a
// limit it has as many as an attempt.
func (s *search) lone(rng *rand.Rand) {
	if s.done() || !s.alones() {
		return
	}
	n, pairs := int64(len(s.tl.Problem.Buffers)), s.meetings()
	if pairs > loneMost {
		return
	}
	e := s.aloneEjector(rng)
	if e == nil {
		return
	}
	most := halveNodes * n
	if s.o.NodeLimit > 0 {
		most = s.o.NodeLimit - s.nodes
	}
	each := max(1, loneWork*n/max(1, 2*pairs)) // ejections in the time of a node
	most = min(most, math.MaxInt64/each)
	part := max(loneEach*n, most*each/4)
	for left := most * each; left > 0 && !s.done(); {
		nodes := s.oneWay(e, min(part, left))
		left -= nodes
		s.nodes += (nodes + each - 1) / each
	}
	if s.o.NodeLimit > 0 {
		s.nodes = min(s.nodes, s.o.NodeLimit)
	}
}

// aloneEjector returns the ejections of all buffers.
func (s *search) aloneEjector(rng *rand.Rand) *beam.Ejector {
	return beam.NewEjector(s.watch, s.tl, rng.Uint64(), s.set.scarcity)
}

// oneWay makes the turn of one way, and returns how many nodes it took, one at least.
func (s *search) oneWay(e *beam.Ejector, limit int64) (nodes int64) {
	var offsets []int64
	before, below := s.height, max(s.goal, s.height-s.step)
	switch s.alone.ways % 4 {
	case 0:
		offsets, nodes = e.Persist(s.goal, below, limit)
	case 1:
		offsets, nodes = e.Lower(s.best, s.height, s.goal, limit)
	case 2:
		offsets, nodes = e.Attempt(s.best, s.goal, below, limit)
	default:
		ceiling := s.goal + s.goal/loneAbove
		if offsets, nodes = e.Persist(ceiling, ceiling, limit); offsets != nil {
			height, more := model.HeightOf(s.tl.Problem, offsets), int64(0)
			offsets, more = e.Lower(offsets, height, s.goal, limit-nodes)
			nodes += more
		}
	}
	if s.alone.ways++; offsets != nil {
		s.keep(offsets)
		s.alone.won = s.alone.won || s.height < before
	}
	return max(1, nodes)
}

// meetings returns how often a buffer is live where another one begins to be: for each pair once, or once for each
// meeting of the two.
func (s *search) meetings() (pairs int64) {
	begin := make([]int64, s.tl.Sections()+1)
	end := make([]int64, s.tl.Sections()+1)
	for i := range s.tl.Problem.Buffers {
		for _, x := range s.tl.Spans(i) {
			begin[x.First]++
			end[x.Last]++
		}
	}
	live := int64(0)
	for k := range begin {
		live -= end[k]
		pairs += begin[k]*live + begin[k]*(begin[k]-1)/2
		live += begin[k]
	}
	return pairs
}
