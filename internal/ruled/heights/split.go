package heights

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// Idea: the sum of heights is at least the sum of the greatest loads, and pools can mostly be planned at their loads,
// or nearly. Let each pool p pay w(p, t) for a byte in section t, at most 1 for all of its sections together. The
// height of p is then at least what its bodies pay in all, so for each choice of pools
//
//	sum of heights >= sum over bodies of their price in the cheapest pool
//
// which is the dual of the linear program that splits bodies between pools. The prices climb by subgradients: a section
// pays more if the cheapest choices fill it. Each of these choices is also a plan of loads. The best is improved by
// taking bodies to other pools while the sum of the greatest loads falls.
//
// The height of the highest pool is one height for all: then all sections of all pools pay at most 1 together.
//
// Invariant: the bound is computed in whole numbers from prices that are rounded down, so no plan is below it. The
// pools returned are allowed.
//
// Complexity: climbs · (life of all bodies · pools + sections · pools · log(sections)), then passes over bodies · pools
// · sections.
//
// Source: Lagrangian relaxation by Polyak's step (1969); projection onto a simplex (Held, Wolfe and Crowder, 1974).

const (
	climbs      = 1_500       // steps of the prices
	idleClimbs  = 60          // climbs without a better bound until the step is halved
	leastUnit   = 1 << 20     // what the sections of a pool pay together, at least
	mostUnit    = 1 << 40     // at most
	mostSplit   = 300_000_000 // loads looked at
	firstMoves  = 1_000       // for each body, before branches
	moreMoves   = 5_000       // in each later round
	moreRounds  = 4
	mostClimbed = 300_000_000 // prices looked at by climbs
)

// A split is the state of the search.
type split struct {
	*Field
	price [][]float64 // of each pool in each section
	units [][]int64   // the same in whole numbers
	unit  int64       // what is 1 in these
	from  []int32     // of each body, where its pools begin in paid
	paid  []int64     // by each body in each of its pools, in whole numbers
	load  [][]int64   // of a choice, of each pool in each section
	top   []int64     // the greatest load of each pool
	in    []int32     // the pool of each body
	bound int64
	best  []int32
	least int64 // the sum of the greatest loads of best
	floor int64 // a load that is good enough; 0 if the sum of loads is to be low
	one   bool  // there is one height for all pools, so the greatest load of all is to be low
}

// Split returns a bound of the sum of all heights, and pools for the buffers whose greatest loads have a low sum. It
// starts from the pools of a plan.
func (f *Field) Split(ctx context.Context, pools []int32, round uint64) (bound int64, of []int32) {
	x := f.split(pools)
	if x == nil {
		return 0, pools
	}
	x.fill()
	x.keep()
	if round == 0 {
		x.climb(ctx)
		x.improve(ctx, 0, firstMoves)
		x.branch(ctx)
	}
	for n := range uint64(moreRounds) { // each ends elsewhere
		x.improve(ctx, 1+round*moreRounds+n, moreMoves)
	}
	return x.bound, f.each(x.best)
}

// highest returns a bound of the height of the highest pool, and pools for the buffers whose greatest load is low. It
// starts from the pools of a plan.
func (f *Field) highest(ctx context.Context, pools []int32) (bound int64, of []int32) {
	free := !slices.ContainsFunc(f.bodies, func(b body) bool { return len(b.pools) < len(f.pools) })
	x := f.split(pools)
	if x == nil || free { // parts of all bodies in all pools say no more than the sum of all loads
		return 0, pools
	}
	x.one = true
	x.fill()
	x.keep()
	x.climb(ctx)
	x.branch(ctx)
	return x.bound, f.each(x.best)
}

// even returns pools for the buffers whose greatest loads are above floor by little, in all. It starts from the pools
// of a plan.
func (f *Field) even(ctx context.Context, pools []int32, floor int64, round uint64) []int32 {
	x := f.split(pools)
	if x == nil {
		return pools
	}
	x.floor, x.bound = floor, floor*int64(len(f.pools))
	x.fill()
	x.keep()
	x.improve(ctx, round, moreMoves)
	return f.each(x.best)
}

// each returns the pool of each buffer by that of each body.
func (f *Field) each(in []int32) []int32 {
	of := make([]int32, len(f.p.Buffers))
	for k := range f.bodies {
		for _, i := range f.bodies[k].members {
			of[i] = in[k]
		}
	}
	return of
}

// split returns the state at the pools of a plan, or nil if there is no section or sizes are too large.
func (f *Field) split(pools []int32) *split {
	total := int64(1)
	for k := range f.bodies {
		total += f.bodies[k].size
	}
	if f.sections == 0 || total > math.MaxInt64/leastUnit/4 {
		return nil
	}
	x := &split{Field: f, in: make([]int32, len(f.bodies)), top: make([]int64, len(f.pools)), unit: leastUnit}
	for x.unit < mostUnit && total <= math.MaxInt64/x.unit/8 {
		x.unit *= 2
	}
	for range f.pools {
		x.price, x.units = append(x.price, make([]float64, f.sections)), append(x.units, make([]int64, f.sections))
		x.load = append(x.load, make([]int64, f.sections))
	}
	for k := range f.bodies {
		x.in[k] = pools[f.bodies[k].members[0]]
		x.from = append(x.from, int32(len(x.paid)))
		x.paid = append(x.paid, make([]int64, len(f.bodies[k].pools))...)
	}
	return x
}

// fill computes the loads.
func (x *split) fill() {
	for q := range x.load {
		clear(x.load[q])
	}
	for k, q := range x.in {
		x.move(int32(k), q, 1)
	}
	for q := range x.load {
		x.top[q] = x.topOf(int32(q))
	}
}

// topOf returns the greatest load of a pool, or the floor if that is more.
func (x *split) topOf(q int32) int64 { return max(x.floor, slices.Max(x.load[q])) }

// move adds a body to the loads of a pool, or takes it away.
func (x *split) move(k, q int32, sign int64) {
	for _, u := range x.bodies[k].uses {
		for t := u.First; t < u.Last; t++ {
			x.load[q][t] += sign * (u.To - u.From)
		}
	}
}

// keep makes the choice the best, if its loads have a lower sum.
func (x *split) keep() {
	value := int64(0)
	for _, top := range x.top {
		if value += top; x.one {
			value = max(value-top, top)
		}
	}
	if x.best == nil || value < x.least {
		x.best, x.least = slices.Clone(x.in), value
	}
}

// climb raises the bound.
func (x *split) climb(ctx context.Context) {
	fullest, most := 0, int64(-1) // all pools begin with the section in which most bytes are live
	for t := range x.sections {
		sum := int64(0)
		for q := range x.load {
			sum += x.load[q][t]
		}
		if sum > most {
			fullest, most = t, sum
		}
	}
	for q := range x.price {
		if x.price[q][fullest] = 1; x.one {
			x.price[q][fullest] /= float64(len(x.price))
		}
	}
	work := int64(0)
	for k := range x.bodies {
		for _, u := range x.bodies[k].uses {
			work += int64(u.Last-u.First) * int64(len(x.bodies[k].pools))
		}
	}
	work += int64(8 * x.sections * len(x.pools))
	step, idle, value := 1.0, 0, 0.0
	sorted := make([]float64, x.sections*len(x.price))
	for n := range int64(climbs) {
		if n*work > mostClimbed || n%16 == 0 && ctx.Err() != nil {
			return
		}
		now := x.choose()
		x.fill()
		x.keep()
		if idle++; now > value {
			value, idle = now, 0
			x.bound = max(x.bound, x.up(x.whole(nil)))
		}
		if x.bound >= x.least {
			return
		}
		if idle > idleClimbs {
			step, idle = step/2, 0
		}
		norm := 0.0
		for q := range x.load {
			for _, load := range x.load[q] {
				norm += float64(load) * float64(load)
			}
		}
		if norm == 0 || step < 1.0/1024 {
			return
		}
		by := step * (float64(x.least) - now) / norm
		for q := range x.price {
			for t, load := range x.load[q] {
				x.price[q][t] += by * float64(load)
			}
			if !x.one {
				project(x.price[q:q+1], sorted)
			}
		}
		if x.one {
			project(x.price, sorted)
		}
	}
}

// choose puts each body into its cheapest pool, and returns what all pay.
func (x *split) choose() (sum float64) {
	for k := range x.bodies {
		b := &x.bodies[k]
		least := math.Inf(1)
		for _, q := range b.pools {
			paid := 0.0
			for _, u := range b.uses {
				for _, price := range x.price[q][u.First:u.Last] {
					paid += price * float64(u.To-u.From)
				}
			}
			if paid < least {
				least, x.in[k] = paid, q
			}
		}
		sum += least
	}
	return sum
}

// whole computes what bodies pay in whole numbers, and returns the bound of the prices for all choices that leave out
// some pools of bodies, in the order of paid. nil leaves out none.
func (x *split) whole(out []bool) (sum int64) {
	left := x.unit
	for q := range x.price {
		most := 0
		for t, price := range x.price[q] {
			x.units[q][t] = min(left, int64(price*float64(x.unit)))
			if left -= x.units[q][t]; price > x.price[q][most] {
				most = t
			}
		}
		if !x.one {
			x.units[q][most], left = x.units[q][most]+left, x.unit
		}
	}
	for k := range x.bodies {
		b := &x.bodies[k]
		least := int64(math.MaxInt64)
		for n, q := range b.pools {
			paid := int64(0)
			for _, u := range b.uses {
				for _, price := range x.units[q][u.First:u.Last] {
					paid += price * (u.To - u.From)
				}
			}
			e := int(x.from[k]) + n
			if x.paid[e] = paid; out == nil || !out[e] {
				least = min(least, paid)
			}
		}
		sum += least
	}
	return sum
}

// up turns a sum of what bodies pay into bytes. Heights are whole numbers.
func (x *split) up(paid int64) int64 { return (paid + x.unit - 1) / x.unit }

// project moves prices to the nearest ones that are at least 0 and at most 1 together. sorted is scratch.
func project(prices [][]float64, sorted []float64) {
	sum, sorted := 0.0, sorted[:0]
	for _, of := range prices {
		for t := range of {
			of[t] = max(of[t], 0)
			sum += of[t]
		}
		sorted = append(sorted, of...)
	}
	if sum <= 1 {
		return
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	above, less := 0.0, 0.0
	for n, p := range sorted {
		above += p
		if cut := (above - 1) / float64(n+1); cut < p {
			less = cut
		}
	}
	for _, of := range prices {
		for t := range of {
			of[t] = max(0, of[t]-less)
		}
	}
}

// improve takes a body of the best choice to another pool, or exchanges two. What makes the sum larger is kept with a
// probability that falls (simulated annealing).
func (x *split) improve(ctx context.Context, round uint64, moves int) {
	copy(x.in, x.best)
	x.fill()
	sum, n := x.least, len(x.bodies)
	state := uint64(n) + round<<32
	below := func(n int) int { return int(splitmix.Next(&state) % uint64(n)) }
	steps := min(mostSplit/(2*x.sections), moves*n)
	warm := float64(x.least) / float64(max(1, n))
	for s := range steps {
		if x.least <= x.bound || s%256 == 0 && ctx.Err() != nil {
			return
		}
		k := int32(below(n))
		b := &x.bodies[k]
		from, q, other := x.in[k], b.pools[below(len(b.pools))], int32(-1)
		if s%2 == 0 { // a body that meets it comes in its place
			if len(x.near[k]) == 0 {
				continue
			}
			other = x.near[k][below(len(x.near[k]))].other
			if q = x.in[other]; !slices.Contains(b.pools, q) || !slices.Contains(x.bodies[other].pools, from) {
				continue
			}
		}
		if q == from {
			continue
		}
		shift := func(from, q int32) {
			x.move(k, from, -1)
			x.move(k, q, 1)
			if other >= 0 {
				x.move(other, q, -1)
				x.move(other, from, 1)
			}
		}
		shift(from, q)
		topFrom, topTo := x.topOf(from), x.topOf(q)
		more := topFrom + topTo - x.top[from] - x.top[q]
		heat := warm * math.Pow(0.002, float64(s)/float64(steps))
		if more > 0 && float64(splitmix.Next(&state)>>11)/(1<<53) >= math.Exp(-float64(more)/heat) {
			shift(q, from)
			continue
		}
		if x.in[k] = q; other >= 0 {
			x.in[other] = from
		}
		if x.top[from], x.top[q], sum = topFrom, topTo, sum+more; sum < x.least {
			x.least = sum
			copy(x.best, x.in)
		}
	}
}
