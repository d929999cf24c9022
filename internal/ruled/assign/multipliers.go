package assign

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: give each cell of a pool in a section a price, and drop the capacities. Each body then goes where its own cost
// and the prices of the cells that it uses are least:
//
//	base   = sum over bodies of min over pools (cost + prices of its cells) - sum over sections of price · room
//	excess = how much more than that minimum a body's pool costs
//	cost   = base + sum of excesses + sum over sections of price · (room - cells in use)
//
// The equation holds for every assignment. Its last two sums are at least 0 if the loads fit. So base is a lower bound
// of the cost, and an excess says how much a choice adds to it. With the best prices, base is the value of the linear
// relaxation.
//
// If the cheapest choices need more cells of a section than there are, its price rises; if they need fewer, it falls.
// The first steps follow the slope at the current prices, which is quick at the start (Held and Karp 1971). Later steps
// go from the best prices along a mean of slopes, which does not swing (the volume algorithm, Barahona and Anbil 2000).
// Steps are as long as the gap to a known cost allows (Polyak 1969), and become shorter while base does not rise.
//
// Invariant: floating point only finds the prices. They are then rounded to multiples of 1/2^shift of the unit of cost,
// and base and excesses are computed from these exactly.
//
// Complexity: O(iterations · (uses · pools + sections · pools)).
//
// Trials: docs/lab/ruled.md (current slopes alone, means alone and a knapsack for each section give worse bounds).

const (
	mostIterations = 3_000
	fewIterations  = 60
	priceEffort    = 150_000_000 // steps of one call, of which fewIterations are run in any case
)

// Prices are multipliers and what follows from them.
type Prices struct {
	shift  uint
	of     [][]int64 // by pool and section; nil for a pool without capacity
	base   int64     // scaled by 2^shift
	Excess [][]int64 // of each body with a choice, by pool of its list; scaled
	covers []*weighing
	each   []int64 // price of each of covers
	step   int64   // costs of all assignments differ by multiples of this
	rest   int64   // the cost of some assignment
}

// Least returns the least cost that an assignment with at least this excess can have.
func (p *Prices) Least(excess int64) int64 {
	whole := p.base + excess
	least := whole>>p.shift + min(1, whole&(1<<p.shift-1))
	return least + modulo(p.rest-least, p.step)
}

// modulo is the remainder, at least 0, and 0 if step is 0.
func modulo(x, step int64) int64 {
	if step == 0 {
		return 0
	}
	return (x%step + step) % step
}

// Gap returns the largest excess that an assignment of at most this cost can have.
func (p *Prices) Gap(cost int64) int64 {
	if cost >= math.MaxInt64>>p.shift {
		return math.MaxInt64 / 4
	}
	return (cost-modulo(cost-p.rest, p.step))<<p.shift - p.base
}

// A climb is the search for good prices.
type climb struct {
	choices        *Choices
	of, load, sums [][]float64 // by pool and section: prices, cells less room, sums of prices; nil without a capacity
	kept           [][]float64 // the best prices
	best           float64     // their bound
	upper          float64
}

// price looks for good prices. upper is the cost of a known assignment, or the sum of the largest costs.
func (c *Choices) price(ctx context.Context, upper int64) *Prices {
	x := &climb{
		choices: c, of: c.perCell(), load: c.perCell(), sums: c.perCell(), kept: c.perCell(), upper: float64(upper),
	}
	work := 1
	for k := range c.Bodies[c.Single:] {
		b := &c.Bodies[c.Single+k]
		work += (len(b.Uses) + 1) * len(b.Pools)
	}
	for q := range c.room {
		work += 3 * len(c.room[q])
	}
	iterations := min(mostIterations, max(fewIterations, priceEffort/work))
	x.best = x.relax()
	x.slopes(ctx, iterations/4)
	x.means(ctx, iterations)
	return c.exactly(x.kept, nil, nil)
}

// perCell returns a slice for each pool with a capacity: a number for each section, and one more.
func (c *Choices) perCell() [][]float64 {
	all := make([][]float64, len(c.room))
	for q, room := range c.room {
		if room != nil {
			all[q] = make([]float64, c.Sections+1)
		}
	}
	return all
}

// keep keeps the prices if their bound is the best. It returns whether it is.
func (x *climb) keep(value float64) bool {
	if value <= x.best {
		return false
	}
	x.best = value
	for q := range x.of {
		copy(x.kept[q], x.of[q])
	}
	return true
}

// step returns the length of a step along a slope, or 0 if it is flat.
func (x *climb) step(theta, value, norm float64) float64 {
	if norm == 0 {
		return 0
	}
	return theta * math.Max(x.upper-value, 1e-6*math.Abs(value)+1e-3) / norm
}

// walk sets the prices to those at from, a step along slope.
func (x *climb) walk(from, slope [][]float64, step float64) {
	for q := range x.of {
		for t := range x.of[q] {
			x.of[q][t] = math.Max(0, from[q][t]+step*slope[q][t])
		}
	}
}

// steepness returns the squared length of a slope. Parts that would lower a price of 0 are left out.
func steepness(slope, of [][]float64) (sum float64) {
	for q := range slope {
		for t, over := range slope[q] {
			if over > 0 || of[q][t] > 0 {
				sum += over * over
			}
		}
	}
	return sum
}

// slopes goes along the slope at the current prices.
func (x *climb) slopes(ctx context.Context, iterations int) {
	stall, theta := 0, 1.0
	for range iterations {
		value := x.relax()
		if x.keep(value) {
			stall = 0
		} else if stall++; stall >= 10 {
			stall, theta = 0, theta/2
			x.walk(x.kept, x.load, 0)
		}
		step := x.step(theta, value, steepness(x.load, x.of))
		if step == 0 || theta < 1e-3 || ctx.Err() != nil {
			return
		}
		x.walk(x.of, x.load, step)
	}
}

// means goes from the best prices along a mean of slopes.
func (x *climb) means(ctx context.Context, iterations int) {
	const shortest = 1e-5
	x.walk(x.kept, x.load, 0)
	x.relax()
	mean := x.choices.perCell()
	for q := range mean {
		copy(mean[q], x.load[q])
	}
	stall, theta, most, before := 0, 0.1, 0.1, x.best
	for n := range iterations {
		step := x.step(theta, x.best, steepness(mean, x.kept))
		if step == 0 || theta < shortest || ctx.Err() != nil {
			return
		}
		x.walk(x.kept, mean, step)
		value := x.relax()
		// The share of the new slope that makes the mean shortest, within limits.
		now, both, old := 0.0, 0.0, 0.0
		for q := range mean {
			for t, y := range mean[q] {
				g := x.load[q][t]
				now, both, old = now+g*g, both+g*y, old+y*y
			}
		}
		share := most
		if d := now - 2*both + old; d > 0 {
			share = math.Max(most/10, math.Min(most, (old-both)/d))
		}
		little := value < x.best+1e-4*math.Abs(x.best)
		if x.keep(value) && both > 0 {
			theta = math.Min(2, theta*1.1)
		}
		if little {
			stall++
		}
		if stall >= 20 {
			stall, theta = 0, theta*0.66
		}
		if n%100 == 99 {
			if x.best < before+0.01*math.Abs(before) {
				most = math.Max(most/2, shortest)
			}
			before = x.best
		}
		for q := range mean {
			for t := range mean[q] {
				mean[q][t] += share * (x.load[q][t] - mean[q][t])
			}
		}
	}
}

// relax puts each body into the pool that is cheapest for it with the prices, and returns the bound. load becomes the
// cells in use less the room, of each section.
func (x *climb) relax() float64 {
	c, of, sums, load, value := x.choices, x.of, x.sums, x.load, 0.0
	for k := range c.Bodies[:c.Single] {
		value += float64(c.Bodies[k].Costs[0])
	}
	for q, room := range c.room {
		for t := range room {
			sums[q][t+1] = sums[q][t] + of[q][t]
			value -= of[q][t] * float64(room[t])
			load[q][t] = 0
		}
	}
	open := c.Bodies[c.Single:]
	for k := range open {
		b := &open[k]
		at, least := 0, math.Inf(1)
		for n, q := range b.Pools {
			cost := float64(b.Costs[n])
			if c.room[q] != nil {
				for m, u := range b.Uses {
					cost += float64(b.cells[n][m]) * (sums[q][u.Last] - sums[q][u.First])
				}
			}
			if cost < least {
				at, least = n, cost
			}
		}
		value += least
		if q := b.Pools[at]; c.room[q] != nil {
			for m, u := range b.Uses {
				load[q][u.First] += float64(b.cells[at][m])
				load[q][u.Last] -= float64(b.cells[at][m])
			}
		}
	}
	for q, room := range c.room {
		sum := 0.0
		for t := range room {
			sum += load[q][t]
			load[q][t] = sum - float64(room[t])
		}
		if room != nil {
			load[q][c.Sections] = 0
		}
	}
	return value
}

// exactly turns prices into whole numbers. nil means no prices. The price of a cover is for a unit of weight.
func (c *Choices) exactly(of [][]float64, covers []*weighing, each []float64) *Prices {
	p := &Prices{of: make([][]int64, len(c.room)), Excess: make([][]int64, len(c.Bodies)-c.Single)}
	if s := 60 - math.Ceil(math.Log2(c.mostSum(of, covers, each))); s > 0 {
		p.shift = uint(min(s, 20))
	} else {
		of, covers = nil, nil // prices that would overflow are dropped
	}
	weighed := make([][]int64, len(c.Bodies)-c.Single) // by place
	for n, x := range covers {
		price := int64(math.Max(0, each[n]) * float64(int64(1)<<p.shift))
		p.covers, p.each = append(p.covers, x), append(p.each, price)
		p.base -= price * x.most
		for m, k := range x.bodies {
			b := &c.Bodies[c.Single+int(k)]
			if weighed[k] == nil {
				weighed[k] = make([]int64, len(b.Pools))
			}
			weighed[k][slices.Index(b.Pools, x.pool)] += price * x.weights[m]
		}
	}
	sums := make([][]int64, len(c.room))
	for q, room := range c.room {
		if room == nil {
			continue
		}
		p.of[q], sums[q] = make([]int64, c.Sections), make([]int64, c.Sections+1)
		for t := range room {
			if of != nil {
				p.of[q][t] = int64(of[q][t] * float64(int64(1)<<p.shift))
			}
			sums[q][t+1] = sums[q][t] + p.of[q][t]
			p.base -= p.of[q][t] * room[t]
		}
	}
	for k := range c.Bodies {
		b := &c.Bodies[k]
		if k < c.Single {
			p.base += b.Costs[0] << p.shift
			p.rest += b.Costs[0]
			continue
		}
		p.rest += b.Costs[0]
		all, least := make([]int64, len(b.Pools)), int64(math.MaxInt64)
		for n, q := range b.Pools {
			all[n] = b.Costs[n] << p.shift
			p.step = bound.GCD(p.step, b.Costs[n]-b.Costs[0])
			if w := weighed[k-c.Single]; w != nil {
				all[n] += w[n]
			}
			if c.room[q] != nil {
				for m, u := range b.Uses {
					all[n] += b.cells[n][m] * (sums[q][u.Last] - sums[q][u.First])
				}
			}
			least = min(least, all[n])
		}
		for n := range all {
			all[n] -= least
		}
		p.base += least
		p.Excess[k-c.Single] = all
	}
	return p
}

// mostSum is what the sums of exactly stay below. It must be below 2^61.
func (c *Choices) mostSum(of [][]float64, covers []*weighing, each []float64) float64 {
	most := 1.0
	for n, x := range covers {
		sum := float64(x.most)
		for _, w := range x.weights {
			sum += float64(w)
		}
		most += sum * math.Max(0, each[n])
	}
	for k := range c.Bodies {
		b, dearest := &c.Bodies[k], 0.0
		for n, q := range b.Pools {
			cost := float64(b.Costs[n])
			if of != nil && of[q] != nil {
				for m, u := range b.Uses {
					for t := u.First; t < u.Last; t++ {
						cost += float64(b.cells[n][m]) * of[q][t]
					}
				}
			}
			dearest = math.Max(dearest, cost)
		}
		most += dearest
	}
	for q := range of {
		for t, free := range c.room[q] {
			most += of[q][t] * math.Abs(float64(free))
		}
	}
	return most
}
