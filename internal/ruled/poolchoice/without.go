package poolchoice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: if a core C does not pack in a pool (core.go), some body of C must go elsewhere. So the assignments fall into
// classes, one for each body of C:
//
//	class i    the ith body of C is not in the pool, and those before it are
//
// The walk through time finds the cheapest assignment of each class. If the walk is cut off, it finds a cheap one and a
// bound. The planner is asked about the assignment of the class with the lowest bound. If that does not pack either,
// its class is split in the same way.
//
// Invariant: take an assignment that costs less than the best that packs. It is in a class of the queue, or the planner
// was asked about it. So if the queue is empty, the best plan is the cheapest. If a core is not proven or a walk was
// cut off, the least cost of the classes concerned is a bound.
//
// Complexity: a walk for each body of a core, at most mostWalks.
//
// Source: no-goods of logic-based Benders decomposition (Hooker and Ottosson 2003), branched on as Lawler (1972) does
// for the k best solutions.

// mostWalks is the most walks for classes.
const mostWalks = 3_000

// A class is the set of assignments that keep to some bans, with a cheap assignment of it whose loads fit.
type class struct {
	banned map[ban]bool
	of     assign.Assignment
	low    int64 // no assignment of the class costs less; of may cost more if a walk was cut off
}

// A ban keeps a body out of a pool of its list.
type ban struct {
	body  int32
	place int32
}

// classes is the queue of classes that are left to ask about.
type classes struct {
	packing *packing
	plans   *pools.Search
	loads   *assign.Choices
	queue   []class
	low     int64 // the least cost of a class that is left undecided
	walks   int
}

// without looks for the cheapest assignment that packs. It starts from a cheap assignment that does not. It raises the
// bound of the cost if it can.
func (x *packing) without(ctx context.Context) error {
	ctx, cancel := run.Share(ctx, 3)
	defer cancel()
	c := &classes{
		packing: x, plans: x.plans, loads: x.loads, queue: []class{{nil, x.first, x.loads.Low}}, low: math.MaxInt64,
	}
	for len(c.queue) > 0 {
		now := c.cheapest()
		if now.low >= x.least {
			break
		}
		if x.left <= 0 || c.walks >= mostWalks || x.plans.Over(ctx) {
			x.loads.Low = max(x.loads.Low, min(c.low, now.low)) // the other classes cost no less
			return nil
		}
		y, err := x.heldCore(ctx, now.of)
		if err != nil {
			return err
		}
		if y != nil {
			c.divide(ctx, &now, y)
		} else if now.low < x.loads.Cost(now.of) {
			c.low = min(c.low, now.low)
		}
	}
	x.found = true
	if low := min(c.low, x.least); low < math.MaxInt64 {
		x.loads.Low = max(x.loads.Low, low)
	}
	return nil
}

// cheapest takes the class with the lowest bound out of the queue.
func (c *classes) cheapest() class {
	next := 0
	for k := range c.queue {
		if c.queue[k].low < c.queue[next].low {
			next = k
		}
	}
	now := c.queue[next]
	c.queue = slices.Delete(c.queue, next, next+1)
	return now
}

// heldCore returns a core that an assignment puts into one pool, if possible a known core. It returns nil if the
// assignment packs.
func (x *packing) heldCore(ctx context.Context, of assign.Assignment) (*core, error) {
	for k := range x.cores {
		if x.cores[k].heldBy(x.loads, of) {
			return &x.cores[k], nil
		}
	}
	failed, err := x.try(ctx, of)
	if err != nil || failed < 0 {
		return nil, err
	}
	found, err := x.coreOf(ctx, failed, of)
	if err != nil {
		return nil, err
	}
	x.cores = append(x.cores, found)
	return &x.cores[len(x.cores)-1], nil
}

// divide replaces a class whose assignment holds a core by the classes of that core.
func (c *classes) divide(ctx context.Context, now *class, y *core) {
	if !y.proven {
		c.low = min(c.low, now.low)
	}
	for _, k := range c.packing.movable(y, now.of) {
		here := ban{k, now.of[k]}
		if c.walks++; c.walks > mostWalks || c.plans.Over(ctx) {
			c.low = min(c.low, now.low)
			return
		}
		banned := map[ban]bool{here: true}
		for b := range now.banned {
			banned[b] = true
		}
		limit := int64(math.MaxInt64 / 4)
		if c.packing.least < math.MaxInt64 {
			limit = c.loads.Prices.Gap(c.packing.least - 1)
		}
		of, least := c.loads.Through(ctx, limit, func(body, place int32) bool { return !banned[ban{body, place}] })
		switch {
		case of != nil:
			c.queue = append(c.queue, class{banned, of, min(c.loads.Cost(of), c.loads.Prices.Least(least))})
		case least < math.MaxInt64:
			c.low = min(c.low, c.loads.Prices.Least(least))
		}
		// From now on this body stays.
		now.banned = c.packing.stays(now.banned, here)
	}
}

// movable returns the bodies of a core that have a choice, in ascending order of the cost of moving elsewhere.
func (x *packing) movable(y *core, of assign.Assignment) (in []int32) {
	moves := make([]int64, len(of))
	for _, body := range y.bodies {
		k := body - int32(x.loads.Single)
		if k < 0 {
			continue
		}
		in = append(in, k)
		moves[k] = math.MaxInt64
		for m, excess := range x.loads.Prices.Excess[k] {
			if int32(m) != of[k] {
				moves[k] = min(moves[k], excess)
			}
		}
	}
	slices.SortStableFunc(in, func(a, b int32) int { return cmp.Compare(moves[a], moves[b]) })
	return in
}

// stays returns the bans, and bans that leave a body only one pool.
func (x *packing) stays(banned map[ban]bool, b ban) map[ban]bool {
	all := make(map[ban]bool, len(banned)+1)
	for k := range banned {
		all[k] = true
	}
	for n := range x.loads.Bodies[x.loads.Single+int(b.body)].Pools {
		if int32(n) != b.place {
			all[ban{b.body, int32(n)}] = true
		}
	}
	return all
}
