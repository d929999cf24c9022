package order

import (
	"context"
	"math/bits"
	"slices"
)

// Idea: if the exact search does not finish, many partial orders grow at the same rate, one step each round, and only
// the best of a round go on: those with the lowest peak so far, then the fewest live bytes. What is below the bound
// is free, so a peak below it counts as the bound. Each step collapses within the peak of its partial order. There is
// a beam from each end.
//
// Complexity: O(width × rounds × what a state's ready operators touch) for one beam.
//
// Source: beam search (Lowerre 1976).

// narrow is the width of the beams.
const narrow = 8

// partial is a state of a round.
type partial struct {
	peak, live int64
	state      int32
}

func (a partial) compare(b partial) int {
	switch {
	case a.peak != b.peak:
		return compare(a.peak, b.peak)
	case a.live != b.live:
		return compare(a.live, b.live)
	}
	return compare(int64(a.state), int64(b.state))
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// beams runs a beam from both ends, each with at most a quarter of the states that are left.
func (f *found) beams(ctx context.Context, g *graph, most int, off *Techniques) {
	quarter := (most - f.states) / 4
	if !off.Backward {
		if order := f.beam(ctx, g.reversed(), f.states+quarter, off); order != nil {
			slices.Reverse(order)
			f.take(g, order)
		}
	}
	if order := f.beam(ctx, g, f.states+quarter, off); order != nil {
		f.take(g, order)
	}
}

// beam returns an order of a graph, which may be reversed, with a peak below that of f, nil if it has found none.
func (f *found) beam(ctx context.Context, g *graph, most int, off *Techniques) (best []int32) {
	s := newSearch(g, f.bound, f.peak, off)
	defer func() { f.states += s.states.count() }()
	if s.full {
		return s.way()
	}
	w, below := s.w, f.peak
	round, next := []partial{{f.bound, w.live, 0}}, []partial(nil)
	for len(round) > 0 {
		next = next[:0]
		for _, e := range round {
			if f.states+s.states.count() >= most || ctx.Err() != nil {
				return best
			}
			w.set(s.states.set(e.state))
			for k := range w.ready {
				for word := w.ready[k]; word != 0; word &= word - 1 {
					o := int32(k<<6 + bits.TrailingZeros64(word))
					during, _ := w.cost(o)
					peak := max(e.peak, during)
					if peak >= below {
						continue
					}
					w.run(o)
					w.collapse(peak, off)
					s.limit = peak
					before := s.states.count()
					if s.enter(e.state, o); s.full {
						best, below, s.full = s.way(), peak, false
						w.set(s.states.set(e.state)) // way has walked elsewhere
						continue
					}
					if s.states.count() > before {
						next = append(next, partial{peak, w.live, int32(before)})
					}
					w.undo(0)
				}
			}
		}
		slices.SortFunc(next, partial.compare)
		for len(next) > 0 && (len(next) > narrow || next[len(next)-1].peak >= below) {
			next = next[:len(next)-1]
		}
		round, next = next, round
	}
	return best
}
