package order

import "context"

// Idea: two searches look for the same order, one from each end (reverse.go), with one limit. If one of them has
// nothing left within the limit, no order has a peak within it, and the limit rises for both. The search with fewer
// states goes on, so the two together take at most about twice the states of the better one. If branches join more
// often than they split, the better one is the search from the end, by a factor of a hundred and more: see TestEnds.
//
// Invariant: no order has a peak below limit.

// turn is how many states a search opens before it looks at the other.
const turn = 32

// ends is a search from both ends.
type ends struct {
	g     *graph
	sides []*search // forward, and backward unless it is off
	limit int64
	below int64 // an order with this peak is known; only lower ones are sought
}

// newEnds prepares a search for an order of g with a peak less than below. No order of g with a peak less than limit
// matters.
func newEnds(g *graph, limit, below int64, off *Techniques) *ends {
	e := &ends{g: g, limit: limit, below: below}
	e.sides = append(e.sides, newSearch(g, limit, below, off))
	if !off.Backward && !e.sides[0].full {
		e.sides = append(e.sides, newSearch(g.reversed(), limit, below, off))
	}
	return e
}

// states returns how many states both searches keep.
func (e *ends) states() int {
	n := 0
	for _, s := range e.sides {
		n += s.states.count()
	}
	return n
}

// next returns the search with fewer states.
func (e *ends) next() *search {
	if len(e.sides) > 1 && e.sides[1].states.count() < e.sides[0].states.count() {
		return e.sides[1]
	}
	return e.sides[0]
}

// run searches until an order is found within limit, there is none below e.below, the states are most, or the
// context ends. It reports which of the first two it was.
func (e *ends) run(ctx context.Context, most int) bool {
	for {
		if e.found() != nil {
			return true
		}
		if e.states() >= most || ctx.Err() != nil {
			return false
		}
		s := e.next()
		for range turn {
			if s.full || len(s.stack) == 0 || e.states() >= most {
				break
			}
			s.open()
		}
		if s.full || len(s.stack) > 0 {
			continue
		}
		if len(s.later) == 0 || s.later[0].least >= e.below {
			e.limit = e.below
			return true
		}
		e.limit = s.later[0].least
		for _, s := range e.sides {
			s.raise(e.limit)
		}
	}
}

// found returns the search that has reached the full set, nil if none has.
func (e *ends) found() *search {
	for _, s := range e.sides {
		if s.full {
			return s
		}
	}
	return nil
}

// way returns the order that was found, in the graph's numbers.
func (e *ends) way() []int32 {
	s := e.found()
	order := s.way()
	if s != e.sides[0] {
		for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
			order[i], order[j] = order[j], order[i]
		}
	}
	return order
}
