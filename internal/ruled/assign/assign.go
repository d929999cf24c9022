// Package assign assigns buffers to pools by loads and costs alone. It asks no planner. If an assignment has a plan,
// its loads fit. The converse does not hold: loads may fit without a plan.
//
//	overload.go     bodies that need more than the pools in which they may be have, whatever the assignment
//	sections.go     which bodies live together, and how much room each pool has for them
//	exchange.go     a first assignment, greedily, and exchanges
//	tighten.go      room that whole bodies cannot use
//	multipliers.go  prices for room: a bound of the cost, and what each choice adds to it
//	planes.go       better prices, and prices of inequalities: a linear program that covers are cut off from
//	covers.go       sets of bodies that do not fit together, as inequalities
//	tree.go         branches of the linear program, each with a body in the pool or out of it
//	cores.go        the same with a check whether an assignment packs, and rows for what does not
//	through.go      the cheapest assignment whose loads fit, through time, or a better bound
//	deepen.go       that walk within a small excess first, then more
//	dominance.go    states of that walk that others make superfluous
//	orders.go       the same question for the walk through the orders of live buffers (internal/ruled/stackdp)
//
// Invariant: a bound of the cost holds for all assignments whose loads fit, so for all plans. A limit never makes a
// bound false.
package assign

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/sorting"
)

// firstWidth is the most states of a section in the first walk through time. Each later walk has ten times as many, up
// to mostWidth.
const firstWidth, mostWidth = 200, 20_000

// Choices are a problem as bodies that may be in pools, and pools with room in sections.
type Choices struct {
	lowering *lower.Lowering
	Bodies   []Body // those with one pool first
	Single   int    // the number of these
	Sections int
	Prices   *Prices // set by Cheapest
	Low      int64   // no plan costs less; set by Cheapest
	sets     *places.Sets
	room     Room    // what bodies with one pool leave
	program  *planes // set by Cheapest, if there is one
}

// A Room has the cells of each pool and section that are free. It is nil for a pool without a capacity.
type Room [][]int64

// A Body is a set of buffers that lie together, and the pools that they may be in, cheapest first.
type Body struct {
	Members []int32
	Pools   []int32
	Costs   []int64 // of each pool of the list
	Uses    []Use
	cells   [][]int64 // of each pool of the list and each use; nil for a pool without a capacity
	size    int64
}

// Brief gives a step its part of the time that is left.
type Brief func(context.Context) (context.Context, context.CancelFunc)

// An Assignment says for each body with a choice which entry of its list of pools it takes.
type Assignment []int32

// New lists the choices of a problem. sets has the places that its bodies may have. If there is no plan, why says who
// proves it: places.Proved, or "loads" (overload.go).
func New(l *lower.Lowering, sets *places.Sets) (c *Choices, why string) {
	c = &Choices{lowering: l, sets: sets}
	if !c.list() || c.sets.None() {
		return nil, places.Proved
	}
	c.measure()
	if c.hall() != nil || !c.forced() {
		return nil, "loads"
	}
	c.tighten()
	return c, ""
}

// list lists the bodies. It returns false if one has no place.
func (c *Choices) list() bool {
	p := c.lowering.Problem
	body, _ := c.lowering.Conflicts.Bodies()
	index := make(map[int32]int)
	for i := range p.Buffers {
		root := int32(i)
		if body != nil {
			root = body[i]
		}
		k, known := index[root]
		if !known {
			k = len(c.Bodies)
			index[root] = k
			c.Bodies = append(c.Bodies, Body{})
		}
		b := &c.Bodies[k]
		b.Members = append(b.Members, int32(i))
		b.size += p.Buffers[i].Size
	}
	for k := range c.Bodies {
		b := &c.Bodies[k]
		for q := range c.lowering.Pools {
			if c.sets.May(b.Members[0], int32(q)) {
				b.Pools = append(b.Pools, int32(q))
			}
		}
		cost := func(q int32) (sum int64) {
			for _, i := range b.Members {
				sum += p.Buffers[i].CostIn(c.lowering.Pools, q)
			}
			return sum
		}
		slices.SortStableFunc(b.Pools, func(x, y int32) int { return cmp.Compare(cost(x), cost(y)) })
		for _, q := range b.Pools {
			b.Costs = append(b.Costs, cost(q))
		}
		if len(b.Pools) == 0 {
			return false
		}
		if len(b.Pools) == 1 {
			c.Single++
		}
	}
	// Bodies without a choice first, then the largest.
	sorting.Structs(c.Bodies, func(x, y Body) int {
		return cmp.Or(cmp.Compare(min(len(x.Pools), 2), min(len(y.Pools), 2)), cmp.Compare(y.size, x.size))
	})
	return true
}

// Cheapest looks for the cheapest assignment whose loads fit, and for a bound of the cost. It returns false if no such
// assignment exists, and a nil assignment if it found none. The longer walks are left out if late says so, and brief
// limits the time of each.
func (c *Choices) Cheapest(ctx context.Context, late func() bool, brief Brief) (Assignment, bool) {
	room := c.RoomOf(nil)
	first := c.greedy(room)
	upper := int64(0)
	for k := range c.Bodies {
		upper += c.Bodies[k].Costs[len(c.Bodies[k].Costs)-1]
	}
	if first != nil {
		c.exchange(ctx, first, room)
		upper = c.Cost(first)
	}
	c.Prices = c.price(ctx, upper)
	other, program := c.planed(ctx, upper)
	c.program = program
	if other != nil && other.Least(0) > c.Prices.Least(0) {
		c.Prices = other
	}
	c.Low = c.Prices.Least(0)
	room = c.RoomOf(nil)
	if other := c.priced(room); other != nil {
		c.exchange(ctx, other, room)
		if cost := c.Cost(other); first == nil || cost < upper {
			first, upper = other, cost
		}
	}
	for width := firstWidth; ; width = min(10*width, mostWidth) {
		limit := int64(math.MaxInt64 / 4)
		if first != nil {
			if upper <= c.Low {
				return first, true
			}
			limit = c.Prices.Gap(upper - 1)
		}
		now, cancel := brief(ctx)
		of, least := c.deepen(now, limit, width, nil)
		cancel()
		if of == nil && least == math.MaxInt64 {
			// No assignment is below the limit.
			c.Low = max(c.Low, upper)
			return first, first != nil
		}
		c.Low = max(c.Low, c.Prices.Least(least))
		if of != nil && (first == nil || c.Cost(of) < upper) {
			first, upper = of, c.Cost(of)
		}
		last := width == mostWidth || late()
		if (width == firstWidth || last) && program != nil && c.Low < upper {
			now, cancel := brief(ctx)
			of, low := program.branch(now, upper, treeEffort)
			cancel()
			if of != nil {
				first, upper = of, c.Cost(of)
			}
			c.Low = max(c.Low, low)
		}
		if last {
			return first, true
		}
	}
}

// RoomOf returns the room that an assignment leaves. For nil it is the room that bodies without a choice leave.
func (c *Choices) RoomOf(of Assignment) Room {
	room := make(Room, len(c.room))
	for q := range room {
		room[q] = slices.Clone(c.room[q])
	}
	for k, n := range of {
		c.Bodies[c.Single+k].Take(int(n), room, 1)
	}
	return room
}

// PoolOf returns the pool of each buffer.
func (c *Choices) PoolOf(of Assignment) []int32 {
	pools := make([]int32, len(c.lowering.Problem.Buffers))
	for k := range c.Bodies {
		b, n := &c.Bodies[k], int32(0)
		if k >= c.Single {
			n = of[k-c.Single]
		}
		for _, i := range b.Members {
			pools[i] = b.Pools[n]
		}
	}
	return pools
}

// Cost returns what an assignment costs, with the bodies that have no choice.
func (c *Choices) Cost(of Assignment) (sum int64) {
	for k := range c.Bodies[:c.Single] {
		sum += c.Bodies[k].Costs[0]
	}
	for k, n := range of {
		sum += c.Bodies[c.Single+k].Costs[n]
	}
	return sum
}

// Places are the places in a body's list.
func (b *Body) Places() []int32 {
	all := make([]int32, len(b.Pools))
	for n := range all {
		all[n] = int32(n)
	}
	return all
}

// Area is the size of a body times the sections of its life.
func (b *Body) Area() int64 { return b.size * int64(b.Length()) }

// Length is the number of sections of a body's life.
func (b *Body) Length() (sum int) {
	for _, u := range b.Uses {
		sum += int(u.Last - u.First)
	}
	return sum
}
