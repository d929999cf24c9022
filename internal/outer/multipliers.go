package outer

import (
	"context"
	"math"
)

// Idea: give each cell of a pool in a section a price, and drop the capacities. Each body then goes where its own cost and the
// prices of the cells that it uses are least:
//
//	base   = sum over bodies of min over pools (cost + prices of its cells) - sum over sections of price · room
//	excess = how much more than that minimum a body's pool costs
//	cost   = base + sum of excesses + sum over sections of price · (room - cells in use)
//
// The equation holds of every assignment, and its last two sums are at least 0 if the loads fit. So base is a bound of the cost, and
// excesses say what every choice adds to it. The best prices make base the value of the linear relaxation.
//
// Prices rise where the cheapest choices need more cells than there are, and fall where they need fewer (subgradients, Held and
// Karp 1971). Steps are as long as the gap to a known cost allows (Polyak 1969), and shrink while base does not rise.
//
// Invariant: floating point finds the prices only. They are then whole numbers of 1/2^shift of the unit of cost, and base and excesses are
// computed with them exactly.
//
// Complexity: O(iterations · (uses · pools + sections · pools)).
//
// Tried and dropped: a knapsack for each section with the costs shared among sections. It is no better where sizes are small beside
// the capacity, and takes a table for each section.

const (
	mostIterations = 1_500
	fewIterations  = 60
	priceEffort    = 150_000_000 // steps of one call, of which fewIterations are run in any case
)

// prices are multipliers and what follows from them.
type prices struct {
	shift  uint
	of     [][]int64 // by pool and section; nil for a pool without capacity
	base   int64     // scaled by 2^shift
	excess [][]int64 // of each body with a choice, by pool of its list; scaled
}

// least returns the least cost of an assignment with this excess at least.
func (p *prices) least(excess int64) int64 {
	whole := p.base + excess
	return whole>>p.shift + min(1, whole&(1<<p.shift-1))
}

// gap returns the largest excess of assignments of this cost at most.
func (p *prices) gap(cost int64) int64 {
	if cost >= math.MaxInt64>>p.shift {
		return math.MaxInt64 / 4
	}
	return cost<<p.shift - p.base
}

// price looks for good prices. upper is the cost of a known assignment, or the sum of the largest costs.
func (c *chooser) price(ctx context.Context, upper int64) *prices {
	fixed := 0.0
	for _, b := range c.bodies[:c.single] {
		fixed += float64(b.costs[0])
	}
	open := c.bodies[c.single:]
	work := 1
	for k := range open {
		work += (len(open[k].uses) + 1) * len(open[k].pools)
	}
	of, sums, load := make([][]float64, len(c.room)), make([][]float64, len(c.room)), make([][]float64, len(c.room))
	var kept [][]float64
	for q, room := range c.room {
		if room != nil {
			of[q], sums[q], load[q] = make([]float64, c.slots), make([]float64, c.slots+1), make([]float64, c.slots+1)
			work += 3 * c.slots
		}
	}
	keep := func() {
		kept = make([][]float64, len(of))
		for q := range of {
			kept[q] = append([]float64(nil), of[q]...)
		}
	}
	best, stall, theta := 0.0, 0, 1.0
	for range min(mostIterations, max(fewIterations, priceEffort/work)) {
		if ctx.Err() != nil {
			break
		}
		value := fixed
		for q, room := range c.room {
			for t := range room {
				sums[q][t+1] = sums[q][t] + of[q][t]
				value -= of[q][t] * float64(room[t])
				load[q][t] = 0
			}
		}
		for k := range open {
			b := &open[k]
			at, least := 0, math.Inf(1)
			for n, q := range b.pools {
				cost := float64(b.costs[n])
				if c.room[q] != nil {
					for m, u := range b.uses {
						cost += float64(b.cells[n][m]) * (sums[q][u.last] - sums[q][u.first])
					}
				}
				if cost < least {
					at, least = n, cost
				}
			}
			value += least
			if q := b.pools[at]; c.room[q] != nil {
				for m, u := range b.uses {
					load[q][u.first] += float64(b.cells[at][m])
					load[q][u.last] -= float64(b.cells[at][m])
				}
			}
		}
		if kept == nil || value > best+1e-9*math.Abs(best) {
			best, stall = value, 0
			keep()
		} else if stall++; stall >= 20 {
			stall, theta = 0, theta/2
			for q := range of {
				copy(of[q], kept[q])
			}
			if theta < 1e-4 {
				break
			}
		}
		norm := 0.0
		for q, room := range c.room {
			sum := 0.0
			for t := range room {
				sum += load[q][t]
				load[q][t] = sum - float64(room[t])
				if over := load[q][t]; over > 0 || of[q][t] > 0 {
					norm += over * over
				} else {
					load[q][t] = 0
				}
			}
			if room != nil {
				load[q][c.slots] = 0
			}
		}
		if norm == 0 {
			break
		}
		step := theta * math.Max(float64(upper)-value, 1e-6*math.Abs(value)+1e-3) / norm
		for q, room := range c.room {
			for t := range room {
				of[q][t] = math.Max(0, of[q][t]+step*load[q][t])
			}
		}
	}
	return c.exactly(kept)
}

// exactly makes whole numbers of prices; nil for none.
func (c *chooser) exactly(of [][]float64) *prices {
	// All sums stay below this, and it below 2^61.
	most := 1.0
	for k := range c.bodies {
		b, dearest := &c.bodies[k], 0.0
		for n, q := range b.pools {
			cost := float64(b.costs[n])
			if of != nil && of[q] != nil {
				for m, u := range b.uses {
					for t := u.first; t < u.last; t++ {
						cost += float64(b.cells[n][m]) * of[q][t]
					}
				}
			}
			dearest = math.Max(dearest, cost)
		}
		most += dearest
	}
	for q := range of {
		for t, x := range of[q] {
			most += x * math.Abs(float64(c.room[q][t]))
		}
	}
	p := &prices{of: make([][]int64, len(c.room)), excess: make([][]int64, len(c.bodies)-c.single)}
	if s := 60 - math.Ceil(math.Log2(most)); s > 0 && !math.IsInf(most, 0) {
		p.shift = uint(min(s, 20))
	} else {
		of = nil // prices that would overflow are no prices
	}
	sums := make([][]int64, len(c.room))
	for q, room := range c.room {
		if room == nil {
			continue
		}
		p.of[q], sums[q] = make([]int64, c.slots), make([]int64, c.slots+1)
		for t := range room {
			if of != nil {
				p.of[q][t] = int64(of[q][t] * float64(int64(1)<<p.shift))
			}
			sums[q][t+1] = sums[q][t] + p.of[q][t]
			p.base -= p.of[q][t] * room[t]
		}
	}
	for k := range c.bodies {
		b := &c.bodies[k]
		if k < c.single {
			p.base += b.costs[0] << p.shift
			continue
		}
		all, least := make([]int64, len(b.pools)), int64(math.MaxInt64)
		for n, q := range b.pools {
			all[n] = b.costs[n] << p.shift
			if c.room[q] != nil {
				for m, u := range b.uses {
					all[n] += b.cells[n][m] * (sums[q][u.last] - sums[q][u.first])
				}
			}
			least = min(least, all[n])
		}
		for n := range all {
			all[n] -= least
		}
		p.base += least
		p.excess[k-c.single] = all
	}
	return p
}
