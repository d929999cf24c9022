package oracle

import (
	"math"
	"slices"
)

// Idea: the offsets of the bodies rise to the least ones that satisfy the inequalities of a branch, are aligned and
// meet no reserved range. See chains.go, which says why that ends.
//
// Complexity: O(inequalities · bodies) for the offsets without alignments, mostSteps for a body with them.

// rise raises offsets to the least ones that satisfy every inequality, are aligned and meet no reserved range. It
// returns false if there are none.
func (c *chains) rise() bool {
	free := slices.Clone(c.at) // the least above all reserved ranges, without alignments
	step := int64(1)
	for g := range free {
		for _, k := range c.groups[g] {
			q := &c.pools[c.pieces[k].pool]
			step = max(step, c.p.Buffers[c.pieces[k].buffer].Alignment, q.Alignment, q.Granularity)
			for _, r := range c.ranges(k, c.pieces[k].pool) {
				free[g] = max(free[g], r.Upper-c.rel[k])
			}
		}
	}
	for round := 0; c.once(free, false); round++ {
		if round > len(free) {
			return false // a cycle of inequalities with a positive sum
		}
	}
	last := slices.Max(free) + int64(len(free))*mostSteps*min(step, math.MaxInt64/4/(int64(len(free))*mostSteps))
	for round, risen := 1, true; risen; round++ {
		risen = c.once(c.at, true)
		for g := range c.at {
			at, ok := c.aligned(c.groups[g], c.pieces[c.groups[g][0]].pool, c.at[g])
			if !ok || at > last {
				return false
			}
			risen = risen || at != c.at[g]
			c.at[g] = at
		}
		if round%1024 == 0 {
			c.nodes++
			if c.most > 0 && c.nodes > c.most {
				return false
			}
		}
	}
	return true
}

// once raises offsets by each inequality, and reports whether any rose.
func (c *chains) once(at []int64, rounded bool) (risen bool) {
	for _, x := range c.above {
		if !rounded && x.page > 0 {
			x.d, x.page = x.d-x.less, 0
		}
		if least := x.least(at); at[x.b] < least {
			at[x.b], risen = least, true
		}
	}
	return risen
}

// mostSteps is how many steps of the largest alignment are looked at for an offset with all alignments.
const mostSteps = 1 << 12

// aligned returns the least offset of the first piece of a body, at or above least, at which all members have their
// own alignments and the pool's, and meet no reserved range. ok is false if there is none.
func (c *chains) aligned(group []int, pool int, least int64) (at int64, ok bool) {
	for {
		if at, ok = c.congruent(group, pool, least); !ok {
			return 0, false
		}
		least = at
		for _, k := range group {
			low := at + c.rel[k]
			for _, r := range c.ranges(k, pool) {
				if low < r.Upper && r.Lower < low+c.p.Buffers[c.pieces[k].buffer].Size {
					least = max(least, r.Upper-c.rel[k])
				}
			}
		}
		if least == at {
			return at, true
		}
	}
}

// congruent is aligned without the reserved ranges.
func (c *chains) congruent(group []int, pool int, least int64) (at int64, ok bool) {
	steps := func(k int) [2]int64 {
		return [2]int64{max(c.p.Buffers[c.pieces[k].buffer].Alignment, 1), max(c.pools[pool].Alignment, 1)}
	}
	step, of := int64(1), 0
	for _, k := range group {
		for _, s := range steps(k) {
			if s > step {
				step, of = s, k
			}
		}
	}
	modulo := func(x, m int64) int64 { return ((x % m) + m) % m }
	at = least + modulo(-(least+c.rel[of]), step)
	for range mostSteps {
		ok = true
		for _, k := range group {
			for _, s := range steps(k) {
				ok = ok && modulo(at+c.rel[k], s) == 0
			}
		}
		if ok {
			return at, true
		}
		at += step
	}
	return 0, false
}
