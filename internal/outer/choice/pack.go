package choice

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/model"
)

// Idea: an assignment whose loads fit need not pack. The planner is asked about a cheap assignment, pool by pool. If it finds no
// plan for a pool, six things are tried:
//
//	evict     the pool is planned without a capacity, as low as possible. Bodies that end above the capacity go to
//	          the next pool that has the room, and the rest has a plan
//	grow      as much of the assignment as packs, built up from nothing (grow.go)
//	orders    the cheapest assignment that packs, by a walk through the orders of live buffers (orders.go): a narrow walk first,
//	          and the long ones after a pass of check
//	check     the linear program of the loads goes on, with a row for each core that does not pack (check.go): a pass, and further
//	          ones after the long walks
//	without   the cheapest assignments without one of the bodies that cannot be together (without.go)
//	margin    if the search of without comes to no end: the walk through time with less room in that pool, in four steps
//
// The cheapest assignment that packs is kept. Then bodies go back into cheaper pools one by one, if the loads and the planner
// allow it.
//
// Invariant: for each pool of the assignment that is returned, a plan is known.
//
// Complexity: mostPacked questions to the planner, each with pools.PackNodes.
//
// Tried and dropped: asking about one assignment after another in order of cost. They differ in bodies that have nothing to do
// with why the first does not pack.

const mostPacked = 64

// firstNodes is for the second question about the cheapest assignment.
const firstNodes = 2 * pools.PackNodes

// packing is the search for an assignment that packs.
type packing struct {
	*chooser
	left  int   // questions
	nodes int64 // of each
	best  spread.Assignment
	least int64 // its cost
	cores []core
	found bool // best is the cheapest, but for what is not proven
}

// pack returns an assignment that packs and the cheapest of those tried, or nil.
func (c *chooser) pack(ctx context.Context, first spread.Assignment) (spread.Assignment, error) {
	x := &packing{chooser: c, left: mostPacked, nodes: pools.PackNodes, least: math.MaxInt64}
	failed, err := x.try(ctx, first)
	if err == nil && failed >= 0 && !c.Over(ctx) {
		// So much rests on the cheapest that it is asked about with more nodes, too.
		x.nodes = firstNodes
		failed, err = x.try(ctx, first)
		x.nodes = pools.PackNodes
	}
	if err != nil || failed < 0 {
		return x.best, err
	}
	if err := x.evict(ctx, slices.Clone(first)); err != nil {
		return nil, err
	}
	if err := x.grow(ctx, first); err != nil {
		return nil, err
	}
	o, err := x.briefly(ctx, failed)
	if err != nil {
		return nil, err
	}
	if x.least <= x.Low {
		return x.best, nil
	}
	k := x.checkerOf()
	useful, err := k.pass(ctx, 2)
	if err != nil {
		return nil, err
	}
	if err := x.atLength(ctx, o); err != nil {
		return nil, err
	}
	if useful {
		if err := k.run(ctx); err != nil {
			return nil, err
		}
	}
	if x.least <= x.Low {
		return x.best, nil
	}
	if !x.found {
		if err := x.without(ctx, first); err != nil {
			return nil, err
		}
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
	if x.nodes = pools.MoreNodes; c.Cost(first) < x.least && c.Cost(first) >= c.Low && !c.Over(ctx) {
		_, err = x.try(ctx, first)
	}
	return x.best, err
}

// margins asks for cheap assignments that leave more and more room in the pool that failed.
func (x *packing) margins(ctx context.Context, failed int32) (err error) {
	for _, part := range []int64{128, 64, 32, 16} {
		if failed < 0 || x.Pools[failed].Capacity == 0 || x.Over(ctx) {
			return nil
		}
		of, _ := x.Tighter(failed, part).Through(ctx, math.MaxInt64/4, nil)
		if of == nil || x.Cost(of) >= x.least {
			return nil
		}
		if failed, err = x.try(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// try asks whether an assignment packs, and keeps it if it is the cheapest. It returns the first pool without a plan, or -1.
func (x *packing) try(ctx context.Context, of spread.Assignment) (int32, error) {
	for q, members := range split(x.Pools, x.PoolOf(of)) {
		if len(members) == 0 {
			continue
		}
		x.left--
		status, err := x.Packs(ctx, int32(q), members, x.nodes)
		if err != nil || !status.HasPlan() {
			return int32(q), err
		}
	}
	if cost := x.Cost(of); cost < x.least {
		x.best, x.least = slices.Clone(of), cost
	}
	return -1, nil
}

// evict makes an assignment pack: what sticks out of a pool goes to a dearer one.
func (x *packing) evict(ctx context.Context, of spread.Assignment) error {
	room := x.RoomOf(of)
	for range 2 * len(x.Pools) {
		failed, err := x.try(ctx, of)
		if err != nil || failed < 0 || x.left <= 0 || x.Pools[failed].Capacity == 0 {
			return err
		}
		before := x.PoolOf(of)
		members := split(x.Pools, before)[failed]
		offsets, err := x.Lowest(ctx, failed, members)
		if err != nil || offsets == nil {
			return err
		}
		for k := range of {
			b := &x.Bodies[x.Single+k]
			out := b.Pools[of[k]] == failed && slices.ContainsFunc(b.Members, func(i int32) bool {
				return offsets[i]+x.Problem.Buffers[i].Size > x.Pools[failed].Capacity
			})
			if !out {
				continue
			}
			b.Take(int(of[k]), room, -1)
			next := slices.IndexFunc(b.Places(), func(n int32) bool { return n > of[k] && b.FitsIn(int(n), room) })
			if next < 0 {
				return nil
			}
			of[k] = int32(next)
			b.Take(next, room, 1)
		}
		now := x.PoolOf(of)
		left := slices.DeleteFunc(members, func(i int32) bool { return now[i] != before[i] })
		fits := !slices.ContainsFunc(left, func(i int32) bool { return offsets[i]+x.Problem.Buffers[i].Size > x.Pools[failed].Capacity })
		if fits && len(left) > 0 {
			x.Offer(failed, left, offsets)
		}
	}
	return nil
}

// back puts bodies of the best assignment into cheaper pools, those that save most first.
func (x *packing) back(ctx context.Context) error {
	if x.best == nil {
		return nil
	}
	room := x.RoomOf(x.best)
	open := x.Bodies[x.Single:]
	order := make([]int, len(open))
	for k := range order {
		order[k] = k
	}
	saves := func(k int) int64 { return open[k].Costs[x.best[k]] - open[k].Costs[0] }
	slices.SortStableFunc(order, func(a, b int) int { return int(max(-1, min(1, saves(b)-saves(a)))) })
	for _, k := range order {
		b := &open[k]
		for n := range int(x.best[k]) {
			if x.left <= 0 || x.Over(ctx) {
				return nil
			}
			old := x.best[k]
			if b.Costs[n] >= b.Costs[old] || !b.FitsIn(n, room) {
				continue
			}
			of := slices.Clone(x.best)
			of[k] = int32(n)
			failed, err := x.try(ctx, of)
			if err != nil {
				return err
			}
			if failed < 0 {
				b.Take(int(old), room, -1)
				b.Take(n, room, 1)
				break
			}
		}
	}
	return nil
}

// split returns the members of each pool.
func split(all []model.Pool, of []int32) [][]int32 {
	in := make([][]int32, len(all))
	for i, q := range of {
		in[q] = append(in[q], int32(i))
	}
	return in
}
