package outer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: bodies that may be in several pools are assigned to them first by loads and costs alone, and pools are planned afterwards.
//
//	sections.go     what lives together, and how much room each pool has for it
//	exchange.go     a first assignment, greedily, and exchanges
//	multipliers.go  prices for room: a bound of the cost, and what each choice adds to it
//	through.go      the cheapest assignment whose loads fit, through time, or a better bound
//	pack.go         an assignment that packs; core.go and without.go for those that do not
//	branch.go       every other assignment that may be better
//	floors.go       bounds of heights that hold whatever the choice
//	cheaper.go      the plan at the end: nothing is left in a dearer pool that fits into a cheaper one
//	answers.go      what planners have said of a pool with a set of buffers
//
// Invariant: what is said of the cost is said of all assignments whose loads fit, so of all plans. A limit leaves bounds as they are,
// and at least one assignment is planned in any case.
//
// Complexity: that of the parts. Only branch.go is exponential, and it has limits of its own.

// firstWidth and mostWidth are the most states of a section in walks through time, the first and the second.
const firstWidth, mostWidth = 200, 20_000

// A chooser searches the assignments of bodies to pools.
type chooser struct {
	*search
	bodies    []choice  // those with one pool first
	single    int       // the number of these
	slots     int       // sections
	room      [][]int64 // of each pool and section, the cells that are left beside bodies with one pool; nil without a capacity
	prices    *prices
	costFirst bool  // cost is the first measure
	low       int64 // no plan costs less
	best      *plan.Result
	floors    floors
	cheapest  assignment // by the loads
	neighbours
	branch
}

// neighbours say who shares a section with whom (cheaper.go).
type neighbours struct {
	present  [][]int32 // of each section, its bodies
	everyone []int32
	crowded  bool    // present would be too long, and is empty
	near     []int32 // scratch
}

// A choice is a body and the pools that it may be in, cheapest first.
type choice struct {
	members []int32
	pools   []int32
	costs   []int64
	uses    []use
	cells   [][]int64 // of each pool of the list and each use; nil for a pool without a capacity
	size    int64
}

// choose looks for a good choice of pools, and for a proof that there is no better one.
func (s *search) choose(ctx context.Context, began time.Time) (plan.Result, error) {
	s.kept = &answers{}
	c := &chooser{search: s, costFirst: s.Problem.Objective()[0] == model.MeasureCost}
	return c.decide(ctx, began)
}

func (c *chooser) decide(ctx context.Context, began time.Time) (plan.Result, error) {
	s := c.search
	if !c.prepare() {
		return s.infeasible("pools", began), nil
	}
	first, ok := c.relaxed(ctx)
	if !ok {
		return s.infeasible("loads", began), nil
	}
	c.cheapest = first
	if first != nil {
		packed, err := c.pack(ctx, first)
		if err != nil {
			return plan.Result{}, err
		}
		if packed != nil {
			first = packed
		}
	}
	if err := c.explore(ctx, first); err != nil {
		return plan.Result{}, err
	}
	switch {
	case c.best != nil:
		return c.result(), nil
	case c.cut || len(c.answers) > 0:
		return plan.Result{Status: model.Unknown, Planner: s.planner.Name(), Stopped: cmp.Or(s.stopped, plan.StopEffort)}, nil
	}
	return s.infeasible(cmp.Or(c.by, "pools"), began), nil
}

// prepare lists the bodies and sections. It returns false if a body has no pool.
func (c *chooser) prepare() bool {
	p := c.Problem
	body, _ := c.Bodies()
	index := make(map[int32]int)
	for i := range p.Buffers {
		root := int32(i)
		if body != nil {
			root = body[i]
		}
		k, known := index[root]
		if !known {
			k = len(c.bodies)
			index[root] = k
			c.bodies = append(c.bodies, choice{})
		}
		b := &c.bodies[k]
		b.members = append(b.members, int32(i))
		b.size += p.Buffers[i].Size
	}
	for k := range c.bodies {
		b := &c.bodies[k]
		for q := range c.Pools {
			if c.may(b.members, int32(q)) {
				b.pools = append(b.pools, int32(q))
			}
		}
		cost := func(q int32) (sum int64) {
			for _, i := range b.members {
				sum += p.Buffers[i].CostIn(c.Pools, q)
			}
			return sum
		}
		slices.SortStableFunc(b.pools, func(x, y int32) int { return cmp.Compare(cost(x), cost(y)) })
		for _, q := range b.pools {
			b.costs = append(b.costs, cost(q))
		}
		if len(b.pools) == 0 {
			return false
		}
		if len(b.pools) == 1 {
			c.single++
		}
	}
	// Bodies without a choice first, then the largest.
	slices.SortStableFunc(c.bodies, func(x, y choice) int {
		return cmp.Or(cmp.Compare(min(len(x.pools), 2), min(len(y.pools), 2)), cmp.Compare(y.size, x.size))
	})
	c.sections()
	return true
}

// relaxed looks for the cheapest assignment whose loads fit, and for a bound of the cost. It returns false if there is none, and nil
// if none is known.
func (c *chooser) relaxed(ctx context.Context) (assignment, bool) {
	fits := true
	for k := range c.bodies[:c.single] {
		fits = c.bodies[k].take(0, c.room, 1) && fits
	}
	if !fits {
		return nil, false
	}
	room := c.roomOf(nil)
	first := c.greedy(room)
	upper := int64(0)
	for k := range c.bodies {
		upper += c.bodies[k].costs[len(c.bodies[k].costs)-1]
	}
	if first != nil {
		c.exchange(ctx, first, room)
		upper = c.cost(first)
	}
	c.prices = c.price(ctx, upper)
	c.low = c.prices.least(0)
	room = c.roomOf(nil)
	if other := c.priced(room); other != nil {
		c.exchange(ctx, other, room)
		if cost := c.cost(other); first == nil || cost < upper {
			first, upper = other, cost
		}
	}
	width := firstWidth
	for {
		limit := int64(math.MaxInt64 / 4)
		if first != nil {
			if upper <= c.low {
				return first, true
			}
			limit = c.prices.gap(upper - 1)
		}
		of, least := c.through(ctx, c.prices, limit, width, nil)
		if of == nil && least == math.MaxInt64 {
			// Nothing below the limit.
			c.low = max(c.low, upper)
			return first, first != nil
		}
		c.low = max(c.low, c.prices.least(least))
		if of != nil && (first == nil || c.cost(of) < upper) {
			first, upper = of, c.cost(of)
		}
		if width == mostWidth || c.late(ctx) {
			return first, true
		}
		width = mostWidth
	}
}
