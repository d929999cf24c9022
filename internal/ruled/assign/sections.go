package assign

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/model"
)

// Idea: a section is a set of bodies that conflict pair by pair in the bytes that they use there. In each pool
//
//	sum over bodies of the section in the pool of cells(bytes in use) <= cells of the pool
//
// A cell is a number of bytes that divides every offset in the pool. So each section is a knapsack for each pool with a
// capacity, and a body takes part in the sections of its life. internal/lower knows every rule, so the sections come
// from it: the whole problem is lowered as one pool, without a capacity, alignments and fixed offsets.
//
// Invariant: each plan keeps to all of these sums. If the bytes of two bodies begin on the grid of cells, the two share
// no cell. So partly used cells count as full. A cell without a free byte does not count.
//
// Complexity: that of lower, and O(bodies · pools · pieces).

// A Use says that a body uses its bytes [From, To) in sections [First, Last).
type Use struct {
	First, Last int32
	From, To    int64
}

// measure gives the bodies their uses and the pools their room.
func (c *Choices) measure() {
	strip := lower.Whole(c.lowering.Problem)
	if strip.Impossible != "" {
		return // this cannot happen, since no body is aligned or fixed
	}
	for k := range c.Bodies {
		n, _ := slices.BinarySearch(strip.Members, c.Bodies[k].Members[0])
		for x := range strip.Problem.Buffers[strip.Body[n]].Pieces {
			c.Bodies[k].Uses = append(c.Bodies[k].Uses, Use{int32(x.Lower), int32(x.Upper), x.From, x.To})
			c.Sections = max(c.Sections, int(x.Upper))
		}
	}
	c.room = make([][]int64, len(c.lowering.Pools))
	for q := range c.lowering.Pools {
		if c.lowering.Pools[q].Capacity > 0 {
			c.makeRoom(int32(q))
		}
	}
}

// makeRoom counts the cells of a pool, and those that each body uses.
func (c *Choices) makeRoom(pool int32) {
	grid := int64(0)
	c.eachUse(pool, func(b *Body, n int) {
		for _, i := range b.Members {
			mine, its := c.lowering.Problem.Buffers[i].Align(), max(c.lowering.Pools[pool].Alignment, 1)
			grid = bound.GCD(grid, max(bound.LCM(mine, its, model.MaxSum), its))
		}
		for _, u := range b.Uses {
			grid = bound.GCD(grid, u.From)
		}
	})
	grid = max(grid, 1)
	capacity := c.lowering.Pools[pool].Capacity
	cells := (capacity-1)/grid + 1
	for _, r := range lower.Merged(c.lowering.Pools[pool].Reserved) {
		first, last := bound.Up(r.Lower, grid)/grid, r.Upper/grid
		if r.Upper == capacity {
			last = (capacity-1)/grid + 1
		}
		cells -= max(0, last-first)
	}
	c.room[pool] = slices.Repeat([]int64{cells}, c.Sections)
	c.eachUse(pool, func(b *Body, n int) {
		if b.cells == nil {
			b.cells = make([][]int64, len(b.Pools))
		}
		b.cells[n] = make([]int64, len(b.Uses))
		for k, u := range b.Uses {
			b.cells[n][k] = (u.To-1)/grid + 1 - u.From/grid
		}
	})
}

// eachUse calls do for each body that may be in the pool, and with the place of the pool in its list.
func (c *Choices) eachUse(pool int32, do func(b *Body, n int)) {
	for k := range c.Bodies {
		if n := slices.Index(c.Bodies[k].Pools, pool); n >= 0 {
			do(&c.Bodies[k], n)
		}
	}
}

// Take takes the cells that a body needs in its nth pool from the room, or gives them back. It returns whether the room
// had them.
func (b *Body) Take(n int, room Room, sign int64) bool {
	free := room[b.Pools[n]]
	if free == nil {
		return true
	}
	fits := true
	for k, u := range b.Uses {
		cells := b.cells[n][k] * sign
		for at := u.First; at < u.Last; at++ {
			free[at] -= cells
			fits = fits && free[at] >= 0
		}
	}
	return fits
}

// FitsIn reports whether the room of a body's nth pool has the cells that the body needs.
func (b *Body) FitsIn(n int, room Room) bool {
	free := room[b.Pools[n]]
	if free == nil {
		return true
	}
	for k, u := range b.Uses {
		for at := u.First; at < u.Last; at++ {
			if free[at] < b.cells[n][k] {
				return false
			}
		}
	}
	return true
}
