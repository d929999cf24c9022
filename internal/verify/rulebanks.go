package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// The rules of banks: lists of buffers, objects and pages. See rules.go.

// choices finds the buffers that are absent, and checks that one of each list of alternatives is there.
func (c *ruled) choices() {
	c.absent = make([]bool, len(c.p.Buffers))
	for _, list := range c.rules.Alternatives {
		one := int32(-1)
		for _, i := range list {
			switch pool := c.poolOf(int(i)); {
			case c.plan.Offsets[i] == model.Absent:
				if c.absent[i] = true; c.plan.Pools != nil && pool != model.Absent {
					c.add(model.RuleChoice, int(i), -1, fmt.Sprintf("buffer %s is not chosen, but is in pool number %d",
						quote(c.p.Buffers[i].ID), int64(pool)+1))
				}
			case one >= 0:
				pair := ordered(one, i)
				c.add(model.RuleChoice, int(pair[0]), int(pair[1]), fmt.Sprintf("buffers %s and %s are alternatives, but both are there",
					quote(c.p.Buffers[pair[0]].ID), quote(c.p.Buffers[pair[1]].ID)))
			default:
				one = i
			}
		}
		if one < 0 {
			c.add(model.RuleChoice, int(list[0]), -1, fmt.Sprintf("buffer %s and its alternatives are all absent",
				quote(c.p.Buffers[list[0]].ID)))
		}
	}
}

// present returns the place in a list of the first buffer that is there; 0 if there is none.
func (c *ruled) present(list []int32) int {
	return max(0, slices.IndexFunc(list, func(i int32) bool { return !c.absent[i] }))
}

// poolLists checks the lists of buffers: in different pools, in one pool, at one offset.
func (c *ruled) poolLists() {
	fault := func(rule model.Rule, x, y *stayed, must string) {
		pair := ordered(int32(x.buffer), int32(y.buffer))
		c.add(rule, int(pair[0]), int(pair[1]), fmt.Sprintf("buffers %s and %s must be in %s, but they are %s and %s",
			quote(c.p.Buffers[x.buffer].ID), quote(c.p.Buffers[y.buffer].ID), must, c.where(x), c.where(y)))
	}
	for _, list := range c.rules.DifferentPools {
		in := make(map[int32]*stayed, len(list)) // of each pool, a stay in it
		for _, i := range list {
			for k := c.first[i]; k < c.first[i+1]; k++ {
				x := &c.placed[k]
				if y := in[x.pool]; y != nil && y.buffer != x.buffer && x.pool >= 0 {
					fault(model.RuleDifferent, y, x, "different pools")
					break
				}
				in[x.pool] = x
			}
		}
	}
	for _, list := range c.rules.SamePool {
		var first *stayed
		for _, i := range list {
			for k := c.first[i]; k < c.first[i+1]; k++ {
				if first == nil {
					first = &c.placed[k]
				}
				if x := &c.placed[k]; x.pool != first.pool {
					fault(model.RuleSame, first, x, "one pool")
					break
				}
			}
		}
	}
	for _, list := range c.rules.Lockstep {
		first := c.present(list)
		for _, i := range list[first+1:] {
			if c.absent[i] {
				continue
			}
			if x, y := &c.placed[c.first[list[first]]], &c.placed[c.first[i]]; x.at != y.at {
				fault(model.RuleLockstep, x, y, "lockstep, at one offset")
			}
		}
	}
}

// objects checks the pools that are divided into objects. The stays of a pool are taken in the order of their first
// bytes. Of those before, only the one that reaches furthest can share a byte with the next and begin elsewhere: of
// two that begin at one byte, the longer one. A buffer reaches as far as its object.
func (c *ruled) objects() {
	for pool := range c.pools {
		if !c.pools[pool].Objects {
			continue
		}
		var here []*stayed
		for k := range c.placed {
			if x := &c.placed[k]; x.pool == int32(pool) {
				here = append(here, x)
			}
		}
		slices.SortStableFunc(here, func(x, y *stayed) int { return cmp.Compare(x.at, y.at) })
		var far *stayed // of those that begin at a byte before
		var top int64   // where the object of far ends
		for from := 0; from < len(here); {
			to, longest := from, here[from]
			for ; to < len(here) && here[to].at == here[from].at; to++ {
				if c.p.Buffers[here[to].buffer].Size > c.p.Buffers[longest.buffer].Size {
					longest = here[to]
				}
			}
			end := c.objectEnd(here[from:to])
			if x := here[from]; far != nil && far.buffer != x.buffer && x.at < top {
				a, b := far, x
				if a.buffer > b.buffer {
					a, b = b, a
				}
				c.add(model.RuleObjects, a.buffer, b.buffer, fmt.Sprintf("buffers %s and %s share bytes of different objects%s",
					placed(&c.p.Buffers[a.buffer], a.at), placed(&c.p.Buffers[b.buffer], b.at), c.in(x.pool)))
			} else if far != nil && far.buffer == x.buffer && x.at < top {
				c.add(model.RuleObjects, x.buffer, -1, fmt.Sprintf("the parts of buffer %s share bytes of different objects%s",
					quote(c.p.Buffers[x.buffer].ID), c.in(x.pool)))
			}
			if capacity := c.pools[pool].Capacity; capacity > 0 && end > capacity && c.end(longest) <= capacity {
				c.add(model.RuleCapacity, longest.buffer, -1, fmt.Sprintf("the object of buffer %s, as large as its largest in each "+
					"dimension, ends at %d, above the capacity %d%s", placed(&c.p.Buffers[longest.buffer], longest.at), end, capacity,
					c.in(longest.pool)))
			}
			if far == nil || end > top {
				far, top = longest, end
			}
			from = to
		}
	}
}

// objectEnd returns where the object of some stays ends, which all begin at one byte. In each dimension it is as large
// as the largest of them. It stops at the largest int64.
func (c *ruled) objectEnd(stays []*stayed) int64 {
	end, most := c.end(stays[0]), []int64(nil)
	for _, x := range stays {
		end = max(end, c.end(x))
		e := c.p.Buffers[x.buffer].Extra
		if e == nil {
			continue
		}
		for d, extent := range e.Extents {
			if d == len(most) {
				most = append(most, 1)
			}
			most[d] = max(most[d], extent)
		}
	}
	size := int64(1)
	for _, extent := range most {
		if size > math.MaxInt64/extent {
			return math.MaxInt64
		}
		size *= extent
	}
	return max(end, add(stays[0].at, size))
}

// objectHeight returns where the highest object of a pool ends.
func (c *ruled) objectHeight(pool int32) (height int64) {
	at := make(map[int64][]*stayed)
	for k := range c.placed {
		if x := &c.placed[k]; x.pool == pool {
			at[x.at] = append(at[x.at], x)
		}
	}
	for _, stays := range at {
		height = max(height, c.objectEnd(stays))
	}
	return height
}

// pages checks the pools with a granularity: stays of different kinds that are apart or meet have no page in common.
func (c *ruled) pages() {
	kind := make(map[int]int)
	for k, list := range c.rules.Kinds {
		for _, i := range list {
			kind[int(i)] = k + 1
		}
	}
	for pool := range c.pools {
		g := c.pools[pool].Granularity
		if g < 1 || len(kind) == 0 {
			continue
		}
		var here []*stayed
		for k := range c.placed {
			if x := &c.placed[k]; x.pool == int32(pool) && kind[x.buffer] > 0 && x.at >= 0 {
				here = append(here, x)
			}
		}
		slices.SortStableFunc(here, func(x, y *stayed) int { return cmp.Compare(x.at, y.at) })
		for n, x := range here {
			last := (c.end(x) - 1) / g
			for _, y := range here[n+1:] {
				if y.at/g > last {
					break
				}
				pair := ordered(int32(x.buffer), int32(y.buffer))
				if kind[x.buffer] != kind[y.buffer] && c.root(pair[0]) != c.root(pair[1]) &&
					(c.apart[pair] || !c.free[pair] && c.meet(x, y)) {
					text := "buffers %s and %s are of different kinds, but both lie on the page of %d bytes at %d%s"
					c.add(model.RulePage, int(pair[0]), int(pair[1]), fmt.Sprintf(text,
						placed(&c.p.Buffers[x.buffer], x.at), placed(&c.p.Buffers[y.buffer], y.at), g, y.at/g*g, c.in(x.pool)))
				}
			}
		}
	}
}
