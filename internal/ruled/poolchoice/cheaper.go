package poolchoice

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: no body should stay in a dearer pool if a cheaper pool has a free place for it. So at the end this file goes
// through the bodies of the plan, in order of what they would save. Each body moves into the cheapest pool that has a
// free place, at the lowest offset. A body that moves makes room for others, so this is repeated until no body moves.
//
// Invariant: no other body is moved. Measures before the cost in the objective do not get worse.
//
// Complexity: O(dearer bodies · life) a round, and for each that has the room O(bodies that share a section with it).
//
// Source: ExecuTorch's tests of banked planning state the property: no buffer lies in a slow bank if a faster bank has
// free room for it.

// neighbours finds the bodies that share a section with a body.
type neighbours struct {
	present  [][]int32 // of each section, its bodies
	everyone []int32
	pairs    *places.Pairs
	crowded  bool    // present is empty because it would be too long
	near     []int32 // scratch
}

// cheapen moves bodies of a plan into cheaper pools that have a free place for them. It reports whether a body has
// moved.
func (c *chooser) cheapen(of []int32, offsets []int64) bool {
	objective := c.lowering.Problem.Objective()
	if !slices.Contains(objective, model.MeasureCost) {
		return false
	}
	moved, at := false, make(assign.Assignment, len(c.loads.Bodies)-c.loads.Single)
	for k := range at {
		b := &c.loads.Bodies[c.loads.Single+k]
		at[k] = int32(slices.Index(b.Pools, of[b.Members[0]]))
	}
	room := c.loads.RoomOf(at)
	// A place becomes free only in a pool that has lost a body.
	lost := slices.Repeat([]bool{true}, len(c.lowering.Pools))
	for slices.Contains(lost, true) {
		type offer struct {
			body, place int32
			saved       int64
		}
		var offers []offer
		for k, now := range at {
			b := &c.loads.Bodies[c.loads.Single+k]
			for n, cost := range b.Costs {
				if cost < b.Costs[now] && lost[b.Pools[n]] {
					offers = append(offers, offer{int32(k), int32(n), b.Costs[now] - cost})
				}
			}
		}
		clear(lost)
		sorting.Structs(offers, func(x, y offer) int { return cmp.Compare(y.saved, x.saved) })
		for _, x := range offers {
			b, now := &c.loads.Bodies[c.loads.Single+int(x.body)], at[x.body]
			pool, before := b.Pools[x.place], b.Pools[now]
			if b.Costs[x.place] >= b.Costs[now] || !b.FitsIn(int(x.place), room) {
				continue // it has moved, or there is no room
			}
			to, ok := c.free(b, pool, of, offsets)
			if !ok {
				continue
			}
			old := make([]int64, len(b.Members))
			values := c.measured(of, offsets)
			for m, i := range b.Members {
				old[m], of[i], offsets[i] = offsets[i], pool, to[m]
			}
			if objective[0] == model.MeasureCost || slices.Compare(c.measured(of, offsets), values) < 0 {
				moved, lost[before], at[x.body] = true, true, x.place
				b.Take(int(now), room, -1)
				b.Take(int(x.place), room, 1)
				continue
			}
			for m, i := range b.Members {
				of[i], offsets[i] = before, old[m]
			}
		}
	}
	return moved
}

// beside returns bodies that share a section with b. All bodies that may conflict with b are among them.
func (c *chooser) beside(b *assign.Body) []int32 {
	if c.near.present == nil {
		c.near.present = make([][]int32, c.loads.Sections+1)
		c.near.pairs = places.NewPairs(c.lowering.Problem, c.lowering.Conflicts)
		sum := 0
		for k := range c.loads.Bodies {
			sum += c.loads.Bodies[k].Length()
			c.near.everyone = append(c.near.everyone, int32(k))
		}
		for k := range c.loads.Bodies {
			for _, u := range c.loads.Bodies[k].Uses {
				for t := u.First; t < u.Last && sum <= mostPresent; t++ {
					c.near.present[t] = append(c.near.present[t], int32(k))
				}
			}
		}
		c.near.crowded = sum > mostPresent
	}
	sum := 0
	for _, u := range b.Uses {
		for t := u.First; t < u.Last; t++ {
			sum += len(c.near.present[t])
		}
	}
	if c.near.crowded || sum > len(c.loads.Bodies) {
		return c.near.everyone
	}
	c.near.near = c.near.near[:0]
	for _, u := range b.Uses {
		for t := u.First; t < u.Last; t++ {
			c.near.near = append(c.near.near, c.near.present[t]...)
		}
	}
	slices.Sort(c.near.near)
	c.near.near = slices.Compact(c.near.near)
	return c.near.near
}

// mostPresent is the most entries of the lists in present.
const mostPresent = 8_000_000

// measured returns the measures of the objective, or nil if cost is the first of them.
func (c *chooser) measured(of []int32, offsets []int64) (values []int64) {
	if c.costFirst {
		return nil
	}
	all := model.MeasuresOf(c.lowering.Problem, &model.Plan{Offsets: offsets, Pools: of})
	for _, m := range c.lowering.Problem.Objective() {
		values = append(values, model.ValueOf(all, m))
	}
	return values
}

// free returns the lowest free offsets for a body's members in a pool.
func (c *chooser) free(b *assign.Body, pool int32, of []int32, offsets []int64) ([]int64, bool) {
	strip := c.lowering.Strip(pool, b.Members, nil)
	if strip.Impossible != "" || strip.Shared != nil && strip.Shared.Boxes != nil { // objects might grow
		return nil, false
	}
	body, p := strip.Problem.Buffers[0], c.lowering.Problem
	var taken []model.Range // offsets that the body may not have, half-open
	objects := c.lowering.Pools[pool].Objects
	beside := c.beside(b)
	if objects {
		beside = c.near.everyone
	}
	for _, k := range beside {
		other := &c.loads.Bodies[k]
		if of[other.Members[0]] != pool || other == b {
			continue
		}
		for _, i := range other.Members {
			for m, j := range b.Members {
				between := c.near.pairs.Between
				if objects {
					between = c.near.pairs.Objects
				}
				between(j, i, func(low, high int64) {
					taken = append(taken, model.Range{
						Lower: offsets[i] + low - strip.At[m] + 1, Upper: offsets[i] + high - strip.At[m],
					})
				})
			}
		}
	}
	for _, r := range c.lowering.Pools[pool].Reserved {
		for m, j := range b.Members {
			at := strip.At[m]
			taken = append(taken, model.Range{Lower: r.Lower - p.Buffers[j].Size + 1 - at, Upper: r.Upper - at})
		}
	}
	at := int64(0)
	if body.Fixed != nil {
		at = *body.Fixed
	}
	for _, x := range lower.Merged(taken) {
		if x.Lower <= at && at < x.Upper {
			if body.Fixed != nil {
				return nil, false
			}
			at = (x.Upper + body.Alignment - 1) / body.Alignment * body.Alignment
		}
	}
	all := make([]int64, len(b.Members))
	for m, j := range b.Members {
		all[m] = at + strip.At[m]
		if end := all[m] + p.Buffers[j].Size; c.lowering.Pools[pool].Capacity > 0 && end > c.lowering.Pools[pool].Capacity {
			return nil, false
		}
	}
	return all, true
}

// cheapenBest cheapens the best plan. A pool that a body has left may have a lower plan, so it is planned again if the
// limits allow.
func (c *chooser) cheapenBest(ctx context.Context) error {
	for r := c.best; r != nil && c.cheapen(r.Pools, r.Offsets); r = c.best {
		for q, members := range split(c.lowering.Pools, r.Pools) {
			if len(members) > 0 {
				c.plans.Offer(int32(q), members, r.Offsets)
			}
		}
		r.Measures = model.MeasuresOf(c.lowering.Problem, &r.Plan)
		r.Height = model.ValueOf(r.Measures, model.MeasureHeight)
		if c.plans.Over(ctx) {
			return nil
		}
		again, err := c.plans.Plan(ctx, r.Pools)
		if err != nil {
			return err
		}
		if !again.Status.HasPlan() || !c.better(&again) {
			return nil
		}
		c.best = &again
	}
	return nil
}
