package assign

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a body is in a pool whole, so the bodies take a sum of some of their cells from a section. Room above the
// largest such sum that fits is of no use. If not all bodies fit, it is taken away:
//
//	room of a section  =  largest sum of cells of bodies of the section that is at most its room
//
// The sums are a set of bits, which is shifted by each body's cells and united with itself.
//
// Invariant: the loads of an assignment fit exactly if they did before.
//
// Complexity: O(bodies · cells / 64) for each section and pool, in units of the common divisor of the bodies' cells. At
// most tightenEffort words in all; the sections after that keep their room.
//
// Source: the subset sums by bits are folklore; that they strengthen the bound of a linear program is coefficient
// reduction (Savelsbergh 1994).

const tightenEffort = 1_000_000

// mostOf returns the largest sum of some of these cells that is at most room, and the number of words that it has used.
// It returns room if all cells fit, and if the sum would take more words than effort.
func mostOf(cells []int64, room int64, effort int) (int64, int) {
	unit, sum := int64(0), int64(0)
	for _, x := range cells {
		unit, sum = bound.GCD(unit, x), sum+x
	}
	if sum <= room || room <= 0 {
		return room, 0
	}
	words := room/unit/64 + 1
	if words > int64(effort)/int64(len(cells)) {
		return room, 0
	}
	set := make([]uint64, words)
	set[0] = 1
	for _, x := range cells {
		if x > room {
			continue
		}
		by, bits := int(x/unit/64), uint(x/unit%64)
		for k := len(set) - 1; k >= by; k-- {
			moved := set[k-by] << bits
			if bits > 0 && k > by {
				moved |= set[k-by-1] >> (64 - bits)
			}
			set[k] |= moved
		}
	}
	at := room / unit
	for set[at/64]>>(at%64)&1 == 0 {
		at--
	}
	return at * unit, len(set) * len(cells)
}

// tighten takes away room that no set of bodies with a choice can use.
func (c *Choices) tighten() {
	effort := tightenEffort
	c.eachSection(func(pool, t int32, cells []int64, _ []int32) {
		most, took := mostOf(cells, c.room[pool][t], effort)
		c.room[pool][t] = most
		effort -= took
	})
}

// eachSection calls do for each section of each pool with a capacity: with the cells of each body with a choice that
// may be there, and which bodies these are, counted from the first with a choice. do must not keep the lists.
func (c *Choices) eachSection(do func(pool, t int32, cells []int64, bodies []int32)) {
	open := c.Bodies[c.Single:]
	begin := make([][]int32, c.Sections+1) // of each section, the bodies with a use that begins there
	for k := range open {
		for n, u := range open[k].Uses {
			if n == 0 || open[k].Uses[n-1].First != u.First {
				begin[u.First] = append(begin[u.First], int32(k))
			}
		}
	}
	var live, now, bodies []int32
	var cells []int64
	for t := range int32(c.Sections) {
		// A body may leave and return.
		now = now[:0]
		for _, k := range live {
			if open[k].at(t) {
				now = append(now, k)
			}
		}
		for _, k := range begin[t] {
			if t == 0 || !open[k].at(t-1) {
				now = append(now, k)
			}
		}
		live, now = now, live
		for q := range c.room {
			if c.room[q] == nil {
				continue
			}
			cells, bodies = cells[:0], bodies[:0]
			for _, k := range live {
				if n := slices.Index(open[k].Pools, int32(q)); n >= 0 {
					cells, bodies = append(cells, open[k].cellsAt(n, t)), append(bodies, k)
				}
			}
			do(int32(q), t, cells, bodies)
		}
	}
}

// at reports whether a body uses bytes in a section.
func (b *Body) at(t int32) bool {
	for _, u := range b.Uses {
		if u.First <= t && t < u.Last {
			return true
		}
	}
	return false
}

// cellsAt returns the cells that a body takes in a section of its nth pool.
func (b *Body) cellsAt(n int, t int32) (sum int64) {
	for m, u := range b.Uses {
		if u.First <= t && t < u.Last {
			sum += b.cells[n][m]
		}
	}
	return sum
}
