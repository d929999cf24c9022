package outer

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Idea: a first assignment by the loads alone. Greedy: bodies go in order of value, each into the cheapest pool that has the room:
//
//	value = (dearest cost - cheapest cost) / (cells · sections)
//
// with the bodies first that have no pool without a capacity. The same again once there are prices (multipliers.go), where they stand in for
// costs. Then bodies are moved while that lowers the cost: into a cheaper pool
// that has the room, or in exchange for one body that goes into a dearer one, if the two together save.
//
// Invariant: the loads fit all the time. Each exchange lowers the cost.
//
// Complexity: O(bodies · sections of a life) for the greedy pass; at most exchangeEffort steps for the rest.
//
// Source: greedy by density for the knapsack (Dantzig 1957), with time.
//
// Tried and dropped: reopening 40 bodies at a time and searching their pools exactly. On five networks and training steps of up to 18,692
// buffers it found nothing better, in up to 7 s.

const exchangeEffort = 20_000_000

// An assignment has the place in its list of each body with a choice.
type assignment []int32

// cost returns what an assignment costs, with the bodies that have no choice.
func (c *chooser) cost(of assignment) (sum int64) {
	for k := range c.bodies[:c.single] {
		sum += c.bodies[k].costs[0]
	}
	for k, n := range of {
		sum += c.bodies[c.single+k].costs[n]
	}
	return sum
}

// greedy returns an assignment whose loads fit in room, which it changes, or nil if a body has no room left.
func (c *chooser) greedy(room [][]int64) assignment {
	open := c.bodies[c.single:]
	value := make([]float64, len(open))
	for k := range open {
		b, taken := &open[k], 0.0
		for n := range b.pools {
			for m, u := range b.uses {
				if c.room[b.pools[n]] != nil {
					taken = max(taken, float64(b.cells[n][m])*float64(u.last-u.first))
				}
			}
		}
		value[k] = float64(b.costs[len(b.costs)-1]-b.costs[0]) / max(1, taken)
	}
	return c.inOrder(room, value, func(k, n int32) int64 { return open[k].costs[n] })
}

// priced is greedy by what the prices say: bodies in order of what the second best pool costs more than the best, each into the pool with the
// least excess that has the room.
func (c *chooser) priced(room [][]int64) assignment {
	value := make([]float64, len(c.prices.excess))
	for k, all := range c.prices.excess {
		second := int64(math.MaxInt64)
		for n, x := range all {
			if n != slices.Index(all, 0) {
				second = min(second, x)
			}
		}
		value[k] = float64(second)
	}
	return c.inOrder(room, value, func(k, n int32) int64 { return c.prices.excess[k][n] })
}

// inOrder puts bodies into the pool of least cost that has the room, those of most value first.
func (c *chooser) inOrder(room [][]int64, value []float64, cost func(k, n int32) int64) assignment {
	open := c.bodies[c.single:]
	bounded, order := make([]int, len(open)), make([]int32, len(open))
	for k := range open {
		order[k] = int32(k)
		if slices.ContainsFunc(open[k].pools, func(q int32) bool { return c.room[q] == nil }) {
			bounded[k] = 1
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(bounded[x], bounded[y]), cmp.Compare(value[y], value[x]))
	})
	of := make(assignment, len(open))
	for _, k := range order {
		b := &open[k]
		places := b.places()
		slices.SortStableFunc(places, func(x, y int32) int { return cmp.Compare(cost(k, x), cost(k, y)) })
		n := slices.IndexFunc(places, func(n int32) bool { return b.fitsIn(int(n), room) })
		if n < 0 {
			return nil
		}
		of[k] = places[n]
		b.take(int(of[k]), room, 1)
	}
	return of
}

// places are the places in a body's list.
func (b *choice) places() []int32 {
	all := make([]int32, len(b.pools))
	for n := range all {
		all[n] = int32(n)
	}
	return all
}

// exchange lowers the cost of an assignment. room is what it leaves.
func (c *chooser) exchange(ctx context.Context, of assignment, room [][]int64) {
	open := c.bodies[c.single:]
	order := make([]int32, 0, len(open))
	for k := range open {
		order = append(order, int32(k))
	}
	effort := exchangeEffort
	for better := true; better; {
		better = false
		// What may save most goes first.
		slices.SortStableFunc(order, func(x, y int32) int {
			return cmp.Compare(open[y].costs[of[y]]-open[y].costs[0], open[x].costs[of[x]]-open[x].costs[0])
		})
		for _, k := range order {
			for n := range of[k] {
				if effort < 0 || ctx.Err() != nil {
					return
				}
				if open[k].costs[n] < open[k].costs[of[k]] && c.enter(of, room, k, n, &effort) {
					better = true
					break
				}
			}
		}
	}
}

// enter moves body k into its nth pool, if need be in exchange for another body.
func (c *chooser) enter(of assignment, room [][]int64, k, n int32, effort *int) bool {
	open := c.bodies[c.single:]
	b := &open[k]
	saved := b.costs[of[k]] - b.costs[n]
	put := func(k, n int32) {
		open[k].take(int(of[k]), room, -1)
		open[k].take(int(n), room, 1)
		of[k] = n
	}
	*effort -= b.length()
	if b.fitsIn(int(n), room) {
		put(k, n)
		return true
	}
	old := of[k]
	for other := range open {
		x := &open[other]
		*effort--
		if int32(other) == k || x.pools[of[other]] != b.pools[n] || !x.meets(b) {
			continue
		}
		for m := int(of[other]) + 1; m < len(x.pools) && x.costs[m]-x.costs[of[other]] < saved; m++ {
			*effort -= x.length() + b.length()
			from := of[other]
			x.take(int(from), room, -1)
			fits := b.fitsIn(int(n), room)
			if fits {
				put(k, n)
				if fits = x.fitsIn(m, room); fits {
					x.take(m, room, 1)
					of[other] = int32(m)
					return true
				}
				put(k, old)
			}
			x.take(int(from), room, 1)
			if !fits && *effort < 0 {
				return false
			}
		}
	}
	return false
}

// length is the number of sections of a body's life.
func (b *choice) length() (sum int) {
	for _, u := range b.uses {
		sum += int(u.last - u.first)
	}
	return sum
}

// meets reports whether the lives of two bodies meet, gaps left out.
func (b *choice) meets(x *choice) bool {
	return len(b.uses) > 0 && len(x.uses) > 0 && b.uses[0].first < x.uses[len(x.uses)-1].last && x.uses[0].first < b.uses[len(b.uses)-1].last
}
