package outer

import (
	"context"
	"math"
	"slices"
)

// Idea: loads that fit need not pack. The planner is asked about the sets of a cheap assignment, pool by pool. Where it finds
// no plan
//
//	evict     the set is planned without a capacity, as low as it goes; bodies that end above the capacity go to
//	          the next pool that has the room. What is left has a plan
//	without   the cheapest assignments without one of the bodies that cannot be together (without.go)
//	margin    if that comes to no end, the walk through time is repeated with less room in that pool, in four steps
//
// and the cheapest assignment that packs is kept. Then bodies go back into cheaper pools one by one, if the loads and the
// planner allow it.
//
// Invariant: each pool of the assignment that is returned has a plan that is known.
//
// Complexity: mostPacked questions to the planner, each with packNodes.
//
// Tried and dropped: asking for one assignment after another in order of cost. They differ in bodies that have nothing to do with why it does not pack.

const mostPacked = 64

// packing is the search for an assignment that packs.
type packing struct {
	*chooser
	left  int   // questions
	nodes int64 // of each
	best  assignment
	least int64 // its cost
	cores []core
	found bool // best is the cheapest, but for what is not proven
}

// pack returns an assignment that packs and the cheapest of those tried, or nil.
func (c *chooser) pack(ctx context.Context, first assignment) (assignment, error) {
	x := &packing{chooser: c, left: mostPacked, nodes: packNodes, least: math.MaxInt64}
	failed, err := x.try(ctx, first)
	if err != nil || failed < 0 {
		return x.best, err
	}
	if err := x.evict(ctx, slices.Clone(first)); err != nil {
		return nil, err
	}
	if err := x.without(ctx, first); err != nil {
		return nil, err
	}
	if !x.found {
		if err := x.margins(ctx, failed); err != nil {
			return nil, err
		}
	}
	if err := x.back(ctx); err != nil {
		return nil, err
	}
	// The cheapest is worth another question.
	if x.nodes = moreNodes; c.cost(first) < x.least && !c.late(ctx) {
		_, err = x.try(ctx, first)
	}
	return x.best, err
}

// margins asks for cheap assignments that leave more and more room in the pool that failed.
func (x *packing) margins(ctx context.Context, failed int32) (err error) {
	whole := x.room
	defer func() { x.room = whole }()
	for _, part := range []int64{128, 64, 32, 16} {
		if failed < 0 || whole[failed] == nil || x.late(ctx) {
			return nil
		}
		x.room = slices.Clone(whole)
		x.room[failed] = slices.Clone(whole[failed])
		for t := range x.room[failed] {
			x.room[failed][t] -= whole[failed][t] / part
		}
		of, _ := x.through(ctx, x.prices, math.MaxInt64/4, firstWidth, nil)
		if of == nil || x.cost(of) >= x.least {
			return nil
		}
		if failed, err = x.try(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// try asks whether an assignment packs, and keeps it if it is the cheapest. It returns the first pool without a plan, or -1.
func (x *packing) try(ctx context.Context, of assignment) (int32, error) {
	for q, members := range x.split(x.pooled(of)) {
		if len(members) == 0 {
			continue
		}
		x.left--
		status, err := x.packs(ctx, int32(q), members, x.nodes)
		if err != nil || !status.HasPlan() {
			return int32(q), err
		}
	}
	if cost := x.cost(of); cost < x.least {
		x.best, x.least = slices.Clone(of), cost
	}
	return -1, nil
}

// pooled returns the pool of each buffer.
func (c *chooser) pooled(of assignment) []int32 {
	pools := make([]int32, len(c.Problem.Buffers))
	for k := range c.bodies {
		b, n := &c.bodies[k], int32(0)
		if k >= c.single {
			n = of[k-c.single]
		}
		for _, i := range b.members {
			pools[i] = b.pools[n]
		}
	}
	return pools
}

// evict makes an assignment pack: what sticks out of a pool goes to a dearer one.
func (x *packing) evict(ctx context.Context, of assignment) error {
	room := x.roomOf(of)
	for range 2 * len(x.Pools) {
		failed, err := x.try(ctx, of)
		if err != nil || failed < 0 || x.left <= 0 || x.Pools[failed].Capacity == 0 {
			return err
		}
		members := x.split(x.pooled(of))[failed]
		strip := x.Strip(failed, members, nil)
		a, err := x.briefly(ctx, packNodes, func(ctx context.Context) (answer, error) { return x.plan(ctx, strip, 0, true) })
		if err != nil || a.offsets == nil {
			return err
		}
		offsets, pools := make([]int64, len(x.Problem.Buffers)), x.pooled(of)
		strip.Lift(a.offsets, offsets)
		for k := range of {
			b := &x.bodies[x.single+k]
			out := b.pools[of[k]] == failed && slices.ContainsFunc(b.members, func(i int32) bool {
				return offsets[i]+x.Problem.Buffers[i].Size > x.Pools[failed].Capacity
			})
			if !out {
				continue
			}
			b.take(int(of[k]), room, -1)
			next := slices.IndexFunc(b.places(), func(n int32) bool { return n > of[k] && b.fitsIn(int(n), room) })
			if next < 0 {
				return nil
			}
			of[k] = int32(next)
			b.take(next, room, 1)
		}
		now := x.pooled(of)
		left := slices.DeleteFunc(members, func(i int32) bool { return now[i] != pools[i] })
		fits := !slices.ContainsFunc(left, func(i int32) bool { return offsets[i]+x.Problem.Buffers[i].Size > x.Pools[failed].Capacity })
		if fits && len(left) > 0 {
			k := x.kept.find(failed, left)
			k.offered, k.unlifted = make([]int64, len(left)), true
			for n, i := range left {
				k.offered[n] = offsets[i]
			}
		}
	}
	return nil
}

// roomOf returns the room that an assignment leaves.
func (c *chooser) roomOf(of assignment) [][]int64 {
	room := make([][]int64, len(c.room))
	for q := range room {
		room[q] = slices.Clone(c.room[q])
	}
	for k, n := range of {
		c.bodies[c.single+k].take(int(n), room, 1)
	}
	return room
}

// back puts bodies of the best assignment into cheaper pools, those that save most first.
func (x *packing) back(ctx context.Context) error {
	if x.best == nil {
		return nil
	}
	room := x.roomOf(x.best)
	open := x.bodies[x.single:]
	order := make([]int, len(open))
	for k := range order {
		order[k] = k
	}
	saves := func(k int) int64 { return open[k].costs[x.best[k]] - open[k].costs[0] }
	slices.SortStableFunc(order, func(a, b int) int { return int(max(-1, min(1, saves(b)-saves(a)))) })
	for _, k := range order {
		b := &open[k]
		for n := range int(x.best[k]) {
			if x.left <= 0 || x.late(ctx) {
				return nil
			}
			old := x.best[k]
			if b.costs[n] >= b.costs[old] || !b.fitsIn(n, room) {
				continue
			}
			of := slices.Clone(x.best)
			of[k] = int32(n)
			failed, err := x.try(ctx, of)
			if err != nil {
				return err
			}
			if failed < 0 {
				b.take(int(old), room, -1)
				b.take(n, room, 1)
				break
			}
		}
	}
	return nil
}

// late reports whether the run's limits are over.
func (c *chooser) late(ctx context.Context) bool {
	return ctx.Err() != nil || c.options.NodeLimit > 0 && c.stats.Nodes >= c.options.NodeLimit
}
