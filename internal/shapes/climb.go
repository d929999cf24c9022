package shapes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Idea: annealing over orders. At a scenario whose height is above its load, a chain of buffers, each right on the one
// below, reaches the top. One buffer of the chain moves to another place in the order. A move that raises the excess is
// taken with a chance that falls with time.
//
// Invariant: best is never above the plan of the largest sizes, in any pool, if the order it began with is not.
//
// Complexity: a move is a walk of the skyline, and O(pairs) for each scenario.
//
// Source: a prototype that tried insertions on critical chains, with all pairs in place of the skyline.

// A climber searches for an order that is low at some scenarios.
type climber struct {
	f     *field
	sizes [][]int64 // of each scenario; the first is the largest
	loads []int64   // of each scenario; of the first, nothing
	aims  []int64   // what climbs go for: see search
	caps  []int64   // of each pool, at the first scenario
	rng   *rand.Rand
	chain []int32
}

// A grade says how good an order is: first over, then worst, then sum.
type grade struct {
	over  float64 // how far it is above the plan of the largest sizes, as a share
	worst float64 // the largest excess over what is aimed at, as a share; the largest sizes aside
	sum   float64 // of the excesses
}

func (g grade) less(o grade) bool {
	if g.over != o.over {
		return g.over < o.over
	}
	if g.worst != o.worst {
		return g.worst < o.worst
	}
	return g.sum < o.sum
}

// cost is what annealing lowers. Excess at the largest sizes is dear, for no order that has any is taken in the end.
func (g grade) cost(dear float64) float64 {
	if g.over > 0 {
		return dear*g.over + g.sum + g.worst
	}
	return g.sum + g.worst
}

// perfect reports whether nothing can be better.
func (g grade) perfect() bool { return g.over == 0 && g.sum == 0 }

// A placed is an order with what follows from it at each scenario.
type placed struct {
	stack
	ends, tops [][]int64
	heights    []int64
	grade
}

func (c *climber) place(order []int32) *placed {
	x := &placed{stack: stack{order: slices.Clone(order)}, heights: make([]int64, len(c.sizes))}
	for range c.sizes {
		x.ends, x.tops = append(x.ends, make([]int64, c.f.n)), append(x.tops, make([]int64, c.f.pools))
	}
	c.judge(x)
	return x
}

// judge places an order at all scenarios.
func (c *climber) judge(x *placed) {
	c.f.trace(&x.stack)
	x.grade = grade{}
	for k := range c.sizes {
		h := c.f.place(&x.stack, c.sizes[k], x.ends[k], x.tops[k])
		x.heights[k] = h
		switch {
		case h < 0:
			x.grade = grade{over: math.Inf(1)}
			return
		case k == 0:
			for p, top := range x.tops[0] {
				x.over += excess(max(top, c.caps[p]), c.caps[p])
			}
		default:
			e := max(0, excess(h, c.aims[k]))
			x.worst = max(x.worst, e)
			x.sum += e
		}
	}
}

// excess returns how far a height is above a load, as a share of it.
func excess(height, load int64) float64 { return float64(height-load) / float64(max(1, load)) }

// Excess at the largest sizes costs dearest over the heat: so the search may pass through orders that are too high, and
// does not end at one.
const dearest = 0.2

// climb looks for a better order than from, for a number of moves, while the heat falls from hot to cold.
func (c *climber) climb(ctx context.Context, from []int32, moves int, hot, cold float64) ([]int32, grade) {
	now, next := c.place(from), c.place(from)
	best, grade := slices.Clone(from), now.grade
	position := make([]int32, c.f.n)
	for k, b := range now.order {
		position[b] = int32(k)
	}
	for i := 0; i < moves && !now.perfect(); i++ {
		if i&63 == 0 && ctx.Err() != nil {
			break
		}
		c.critical(now, position)
		b := c.chain[c.rng.IntN(len(c.chain))]
		from, to := position[b], int32(c.rng.IntN(c.f.n))
		if len(c.chain) > 1 && c.rng.IntN(2) == 0 {
			to = position[c.chain[c.rng.IntN(len(c.chain))]]
		}
		if from == to {
			continue
		}
		copy(next.order, now.order)
		if from < to {
			copy(next.order[from:to], now.order[from+1:to+1])
		} else {
			copy(next.order[to+1:from+1], now.order[to:from])
		}
		next.order[to] = b
		c.judge(next)
		heat := hot * math.Pow(cold/hot, float64(i)/float64(moves))
		dear := dearest / heat
		if d := next.cost(dear) - now.cost(dear); d <= 0 || c.rng.Float64() < math.Exp(-d/heat) {
			now, next = next, now
			for k := min(from, to); k <= max(from, to); k++ {
				position[now.order[k]] = k
			}
			if now.grade.less(grade) {
				grade = now.grade
				copy(best, now.order)
			}
		}
	}
	return best, grade
}

// critical finds a chain of buffers, each right on the next, from the top of a pool down, at a scenario with an excess.
func (c *climber) critical(x *placed, position []int32) {
	f, n, at := c.f, 0, 0
	for k := range c.sizes {
		if k == 0 && x.over > 0 || k > 0 && x.heights[k] > c.aims[k] {
			if n++; c.rng.IntN(n) == 0 {
				at = k
			}
		}
	}
	ends, tops := x.ends[at], x.tops[at]
	pool := c.rng.IntN(f.pools)
	b, n := int32(-1), 0
	for i, end := range ends {
		if end == tops[f.pool[i]] && int(f.pool[i]) == pool {
			if n++; c.rng.IntN(n) == 0 {
				b = int32(i)
			}
		}
	}
	c.chain = c.chain[:0]
	if b < 0 { // the pool is empty
		b = int32(c.rng.IntN(f.n))
	}
	for b >= 0 {
		c.chain = append(c.chain, b)
		start := ends[b] - c.sizes[at][b]
		k, under, n := position[b], int32(-1), 0
		for _, j := range x.below[x.first[k]:x.first[k+1]] {
			if end := ends[j]; end > start-f.align[b] && start > 0 {
				if n++; c.rng.IntN(n) == 0 {
					under = j
				}
			}
		}
		b = under
	}
}
