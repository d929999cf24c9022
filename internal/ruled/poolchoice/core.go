package poolchoice

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: if a set of bodies does not pack, mostly a small part of it, its core, does not pack either. Halves, quarters
// and so on of the set are left out, as long as the planner finds no plan of the rest within few nodes. What remains is
// small. So the planner is asked about it once more, with many nodes, and may prove that no plan has all of it in that
// pool.
//
// Invariant: no plan has all of a proven core in the pool. A core that is not proven is a guess: it guides the search,
// and no bound rests on it.
//
// Complexity: at most coreAsks questions with coreNodes each, and one with pools.PackNodes.
//
// Source: delta debugging (Zeller and Hildebrandt 2002), for conflict sets.

const (
	coreAsks  = 60
	coreNodes = 2_000
)

// A core is a set of bodies, ascending, that a pool cannot hold together.
type core struct {
	pool   int32
	bodies []int32
	proven bool
}

// heldBy reports whether an assignment puts all of a core into its pool.
func (x *core) heldBy(c *assign.Choices, of assign.Assignment) bool {
	for _, k := range x.bodies {
		b, n := &c.Bodies[k], int32(0)
		if int(k) >= c.Single {
			n = of[int(k)-c.Single]
		}
		if b.Pools[n] != x.pool {
			return false
		}
	}
	return true
}

// coreOf looks for a core of the pool's set in an assignment that does not pack.
func (x *packing) coreOf(ctx context.Context, pool int32, of assign.Assignment) (core, error) {
	ctx, cancel := run.Share(ctx, 4)
	defer cancel()
	var all []int32
	for k := range x.loads.Bodies {
		if (&core{pool: pool, bodies: []int32{int32(k)}}).heldBy(x.loads, of) {
			all = append(all, int32(k))
		}
	}
	// Bodies that live at about the same time are left out together.
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(x.firstSection(a), x.firstSection(b)) })
	asks := coreAsks
	fails := func(bodies []int32, nodes int64) (model.Status, error) {
		asks--
		return x.plans.Holds(ctx, pool, x.membersOf(bodies), nodes)
	}
	for parts := 2; len(all) > 1; {
		size := (len(all) + parts - 1) / parts
		shrunk := false
		for at := 0; at < len(all) && asks > 0 && !x.plans.Over(ctx); {
			rest := slices.Concat(all[:at], all[min(len(all), at+size):])
			status, err := fails(rest, coreNodes)
			if err != nil {
				return core{}, err
			}
			if !status.HasPlan() && (status == model.Infeasible || !x.plans.Over(ctx)) {
				all, shrunk = rest, true
			} else {
				at += size
			}
		}
		if asks <= 0 || x.plans.Over(ctx) || size == 1 && !shrunk {
			break
		}
		if parts = 2 * parts; size == 1 || parts > len(all) {
			parts = len(all)
		}
	}
	status, err := fails(all, pools.PackNodes)
	if err != nil {
		return core{}, err
	}
	slices.Sort(all)
	return core{pool, all, status == model.Infeasible}, nil
}

// firstSection is the first section of a body's life.
func (x *packing) firstSection(body int32) int32 {
	if uses := x.loads.Bodies[body].Uses; len(uses) > 0 {
		return uses[0].First
	}
	return 0
}

// membersOf returns the buffers of bodies, ascending.
func (x *packing) membersOf(bodies []int32) (members []int32) {
	for _, k := range bodies {
		members = append(members, x.loads.Bodies[k].Members...)
	}
	slices.Sort(members)
	return members
}
