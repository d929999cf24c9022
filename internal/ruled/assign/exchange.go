package assign

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: a first assignment by the loads alone. Bodies are taken in order of value, and each goes into the cheapest pool
// that has the room:
//
//	value = (dearest cost - cheapest cost) / (cells · sections)
//
// Bodies whose pools all have a capacity come first. Once there are prices (multipliers.go), the same is done with
// prices in place of costs. Then bodies are moved as long as that lowers the cost. A body moves into a cheaper pool
// that has the room. Or it takes the room of a body that goes into a dearer pool, if the two moves together save cost.
//
// Invariant: the loads fit all the time. Each exchange lowers the cost.
//
// Complexity: O(bodies · sections of a life) for the greedy pass; at most exchangeEffort steps for the rest.
//
// Source: greedy by density for the knapsack (Dantzig 1957), with time.
//
// Trials: docs/lab/ruled.md (reopening 40 bodies at a time and searching exactly found nothing better).

const exchangeEffort = 20_000_000

// greedy returns an assignment whose loads fit into room, or nil if a body has no room left. It changes room.
func (c *Choices) greedy(room Room) Assignment {
	open := c.Bodies[c.Single:]
	value := make([]float64, len(open))
	for k := range open {
		b, taken := &open[k], 0.0
		for n := range b.Pools {
			for m, u := range b.Uses {
				if c.room[b.Pools[n]] != nil {
					taken = max(taken, float64(b.cells[n][m])*float64(u.Last-u.First))
				}
			}
		}
		value[k] = float64(b.Costs[len(b.Costs)-1]-b.Costs[0]) / max(1, taken)
	}
	return c.inOrder(room, value, func(k, n int32) int64 { return open[k].Costs[n] })
}

// priced is greedy with the prices. Bodies are taken in order of how much the second best pool exceeds the best. Each
// goes into the pool with the least excess that has the room.
func (c *Choices) priced(room Room) Assignment {
	value := make([]float64, len(c.Prices.Excess))
	for k, all := range c.Prices.Excess {
		second := int64(math.MaxInt64)
		for n, x := range all {
			if n != slices.Index(all, 0) {
				second = min(second, x)
			}
		}
		value[k] = float64(second)
	}
	return c.inOrder(room, value, func(k, n int32) int64 { return c.Prices.Excess[k][n] })
}

// inOrder goes through the bodies in descending order of value. It puts each into the pool of least cost that has the
// room.
func (c *Choices) inOrder(room Room, value []float64, cost func(k, n int32) int64) Assignment {
	open := c.Bodies[c.Single:]
	bounded, order := make([]int, len(open)), make([]int32, len(open))
	for k := range open {
		order[k] = int32(k)
		if slices.ContainsFunc(open[k].Pools, func(q int32) bool { return c.room[q] == nil }) {
			bounded[k] = 1
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(bounded[x], bounded[y]), cmp.Compare(value[y], value[x]))
	})
	of := make(Assignment, len(open))
	for _, k := range order {
		b := &open[k]
		places := b.Places()
		slices.SortStableFunc(places, func(x, y int32) int { return cmp.Compare(cost(k, x), cost(k, y)) })
		n := slices.IndexFunc(places, func(n int32) bool { return b.FitsIn(int(n), room) })
		if n < 0 {
			return nil
		}
		of[k] = places[n]
		b.Take(int(of[k]), room, 1)
	}
	return of
}

// exchange lowers the cost of an assignment. room is what it leaves.
func (c *Choices) exchange(ctx context.Context, of Assignment, room Room) {
	if invariants.Enabled {
		defer c.checkRoom(of, room)
	}
	open := c.Bodies[c.Single:]
	order := make([]int32, 0, len(open))
	for k := range open {
		order = append(order, int32(k))
	}
	effort := exchangeEffort
	for better := true; better; {
		better = false
		// Bodies that may save most go first.
		slices.SortStableFunc(order, func(x, y int32) int {
			return cmp.Compare(open[y].Costs[of[y]]-open[y].Costs[0], open[x].Costs[of[x]]-open[x].Costs[0])
		})
		for _, k := range order {
			for n := range of[k] {
				if effort < 0 || ctx.Err() != nil {
					return
				}
				if open[k].Costs[n] < open[k].Costs[of[k]] && c.enter(of, room, k, n, &effort) {
					better = true
					break
				}
			}
		}
	}
}

// enter moves body k into its nth pool. If there is no room, it moves another body out for it.
func (c *Choices) enter(of Assignment, room Room, k, n int32, effort *int) bool {
	open := c.Bodies[c.Single:]
	b := &open[k]
	saved := b.Costs[of[k]] - b.Costs[n]
	put := func(k, n int32) {
		open[k].Take(int(of[k]), room, -1)
		open[k].Take(int(n), room, 1)
		of[k] = n
	}
	*effort -= b.Length()
	if b.FitsIn(int(n), room) {
		put(k, n)
		return true
	}
	old := of[k]
	for other := range open {
		x := &open[other]
		*effort--
		if int32(other) == k || x.Pools[of[other]] != b.Pools[n] || !x.meets(b) {
			continue
		}
		for m := int(of[other]) + 1; m < len(x.Pools) && x.Costs[m]-x.Costs[of[other]] < saved; m++ {
			*effort -= x.Length() + b.Length()
			from := of[other]
			x.Take(int(from), room, -1)
			fits := b.FitsIn(int(n), room)
			if fits {
				put(k, n)
				if fits = x.FitsIn(m, room); fits {
					x.Take(m, room, 1)
					of[other] = int32(m)
					return true
				}
				put(k, old)
			}
			x.Take(int(from), room, 1)
			if !fits && *effort < 0 {
				return false
			}
		}
	}
	return false
}

// meets reports whether the lives of two bodies meet, gaps left out.
func (b *Body) meets(x *Body) bool {
	return len(b.Uses) > 0 && len(x.Uses) > 0 && b.Uses[0].First < x.Uses[len(x.Uses)-1].Last &&
		x.Uses[0].First < b.Uses[len(b.Uses)-1].Last
}
