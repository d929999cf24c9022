package order

import (
	"context"
	"math/bits"
)

// Idea: orders to begin with, each in one pass. Before each step, operators run at once if they may, within a limit.
// Of the operators that are ready, the next is the one that
//
//	0: leaves the fewest bytes more than before
//	1: needs the fewest bytes while it runs, then leaves the fewest
//	2: is fed by the latest operator (depth first), then leaves the fewest
//
// Complexity: O(operators × ready).

const greedyRules = 3

// greedy returns an order by a rule, nil if the context ends before. What is within limit is free.
func (w *walk) greedy(ctx context.Context, rule int, limit int64, off *Techniques) []int32 {
	g := w.g
	w.clear()
	peak := g.start
	at := make([]int32, g.operators()) // when an operator ran
	for {
		if ctx.Err() != nil {
			return nil
		}
		from := len(w.trail)
		w.collapse(max(limit, peak), off)
		for k := from; k < len(w.trail); k++ {
			at[w.trail[k]] = int32(k)
		}
		best, bestFirst, bestSecond := int32(none), int64(0), int64(0)
		for k := range w.ready {
			for word := w.ready[k]; word != 0; word &= word - 1 {
				o := int32(k<<6 + bits.TrailingZeros64(word))
				during, after := w.cost(o)
				first, second := after, during
				switch rule {
				case 1:
					first, second = during, after
				case 2:
					latest := int32(-1)
					for _, q := range g.prior.of(o) {
						latest = max(latest, at[q])
					}
					first, second = -int64(latest), after
				}
				if best < 0 || first < bestFirst || first == bestFirst && second < bestSecond {
					best, bestFirst, bestSecond = o, first, second
				}
			}
		}
		if best < 0 {
			break
		}
		during, _ := w.cost(best)
		peak = max(peak, during)
		at[best] = int32(len(w.trail))
		w.run(best)
	}
	return append([]int32(nil), w.trail...)
}

// peak returns the peak of an order in the graph's numbers.
func (g *graph) peak(w *walk, order []int32) int64 {
	w.clear()
	peak := max(g.start, w.live)
	for _, o := range order {
		during, _ := w.cost(o)
		peak = max(peak, during)
		w.run(o)
	}
	return max(peak, w.live)
}
