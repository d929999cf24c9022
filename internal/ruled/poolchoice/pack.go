package poolchoice

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/ruled/stage"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an assignment whose loads fit need not pack. The planner is asked about a cheap assignment, pool by pool. If it
// finds no plan for a pool, these steps follow:
//
//	evict     the pool is planned without a capacity, as low as possible. Bodies that end above the capacity go to
//	          the next pool that has the room, and the rest has a plan
//	grow      as much of the assignment as packs, built up from nothing (grow.go)
//	orders    the cheapest assignment that packs, by a walk through the orders of live buffers (orders.go): a narrow
//	          walk first, and the long ones after a pass of check
//	check     the linear program of the loads goes on, with a row for each core that does not pack (check.go): a pass,
//	          and further ones after the long walks
//	without   the cheapest assignments without one of the bodies that cannot be together (without.go)
//
// The cheapest assignment that packs is kept.
//
// Invariant: for each pool of the assignment that is returned, a plan is known.
//
// Complexity: mostPacked questions to the planner, each with pools.PackNodes.
//
// Trials: docs/lab/ruled.md (assignments in order of cost differ in bodies that are not why the first fails).

const mostPacked = 64

// firstNodes is the node limit of the second question about the cheapest assignment.
const firstNodes = 2 * pools.PackNodes

// steps are the ways to find an assignment that packs, in order.
var steps = []stage.Stage[*packing]{
	{Name: "cheapest", Does: "whether the cheapest by the loads packs", Run: (*packing).begin},
	{Name: "evict", Does: "what sticks out of a pool goes to a dearer one", Run: (*packing).evict},
	{Name: "grow", Does: "as much of the cheapest as packs", Run: (*packing).grow},
	{Name: "orders", Does: "the cheapest that packs, by the orders of live buffers", Run: (*packing).orders},
	{Name: "check", Does: "branches of the linear program, with cores", Run: (*packing).check},
	{Name: "long orders", Does: "wider walks through the orders", For: (*packing).walking, Run: (*packing).longOrders},
	{Name: "check on", Does: "further branches, with more nodes", For: (*packing).checking, Run: (*packing).checkOn},
	{Name: "without", Does: "the cheapest without one buffer of a core", For: (*packing).open, Run: (*packing).without},
}

// packing is the search for an assignment that packs.
type packing struct {
	lowering  *lower.Lowering
	plans     *pools.Search
	loads     *assign.Choices
	costFirst bool
	first     assign.Assignment // the cheapest by the loads
	failed    int32             // its first pool without a plan, or -1
	left      int               // questions
	nodes     int64             // of each
	best      assign.Assignment
	least     int64 // its cost
	cores     []core
	found     bool           // best is the cheapest, unless unproven cores exclude a cheaper one
	walks     *assign.Orders // of the pool that failed; nil if there are none
	checker   *checker       // nil if there is nothing to check
	useful    bool           // its last pass was of use
}

func (c *chooser) packing(first assign.Assignment) *packing {
	return &packing{
		lowering: c.lowering, plans: c.plans, loads: c.loads, costFirst: c.costFirst,
		first: first, left: mostPacked, nodes: pools.PackNodes, least: math.MaxInt64,
	}
}

// pack looks for an assignment that packs and is the cheapest of those tried.
func (c *chooser) pack(ctx context.Context) error {
	x := c.packing(c.byLoads)
	err := stage.Run(ctx, x, steps, c.tell)
	if x.best != nil {
		c.packed = x.best
	}
	return err
}

// Done reports whether the search is over: the assignment that is cheapest by the loads packs, or no assignment is
// cheaper than the best.
func (x *packing) Done() bool {
	return x.best != nil && x.failed < 0 || x.least <= x.loads.Low
}

// Turn says how far the search is.
func (x *packing) Turn() plan.Turn { return plan.Turn{Nodes: x.plans.Stats().Nodes} }

// open reports whether a cheaper assignment may be found.
func (x *packing) open() bool { return !x.found }

// walking reports whether longer walks may be of use, and checking whether further passes may.
func (x *packing) walking() bool { return x.walks != nil }

func (x *packing) checking() bool { return x.useful }

// begin asks about the assignment that is cheapest by the loads. Much depends on it, so begin asks a second time with
// more nodes.
func (x *packing) begin(ctx context.Context) (err error) {
	x.failed, err = x.try(ctx, x.first)
	if err == nil && x.failed >= 0 && !x.plans.Over(ctx) {
		x.nodes = firstNodes
		x.failed, err = x.try(ctx, x.first)
		x.nodes = pools.PackNodes
	}
	return err
}

// try asks whether an assignment packs, and keeps it if it is the cheapest. It returns the first pool without a plan,
// or -1.
func (x *packing) try(ctx context.Context, of assign.Assignment) (int32, error) {
	for q, members := range split(x.lowering.Pools, x.loads.PoolOf(of)) {
		if len(members) == 0 {
			continue
		}
		x.left--
		status, err := x.plans.Packs(ctx, int32(q), members, x.nodes)
		if err != nil || !status.HasPlan() {
			return int32(q), err
		}
	}
	if cost := x.loads.Cost(of); cost < x.least {
		x.best, x.least = slices.Clone(of), cost
	}
	return -1, nil
}

// evict makes an assignment pack: bodies that end above the capacity of their pool go to a dearer pool.
func (x *packing) evict(ctx context.Context) error {
	of := slices.Clone(x.first)
	room := x.loads.RoomOf(of)
	for range 2 * len(x.lowering.Pools) {
		failed, err := x.try(ctx, of)
		if err != nil || failed < 0 || x.left <= 0 || x.lowering.Pools[failed].Capacity == 0 {
			return err
		}
		before := x.loads.PoolOf(of)
		members := split(x.lowering.Pools, before)[failed]
		offsets, err := x.plans.Lowest(ctx, failed, members, pools.PackNodes)
		if err != nil || offsets == nil {
			return err
		}
		for k := range of {
			b := &x.loads.Bodies[x.loads.Single+k]
			out := b.Pools[of[k]] == failed && slices.ContainsFunc(b.Members, func(i int32) bool {
				return offsets[i]+x.lowering.Problem.Buffers[i].Size > x.lowering.Pools[failed].Capacity
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
		now := x.loads.PoolOf(of)
		left := slices.DeleteFunc(members, func(i int32) bool { return now[i] != before[i] })
		if len(left) == 0 {
			continue
		}
		if s := x.lowering.Strip(failed, left, nil); s.Height(s.Lower(offsets)) <= x.lowering.Pools[failed].Capacity {
			x.plans.Offer(failed, left, offsets)
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
