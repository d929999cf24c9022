package lower

import (
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: two members that must be apart need a common slot, unless both use all of their bytes in one section. Several
// pairs share a slot if their members are a clique. A clique grows greedily: of the members that conflict with all in
// it, the one with the most such pairs is next. The slot stands right after the section in which most of the clique
// live. Most of them then live on, and few come back. Others that live there run through the slot if they conflict with
// all of the clique, and have a gap otherwise.
//
// Only conflicts in all bytes count here: a member with windows may meet another in a part of its bytes.
//
// Trials: docs/lab/ruled.md (a slot for each pair is many; slots at the end of time join all partitions).
//
// Complexity: O(cliques · n · size) for n members. If n is at most mostJoined, n² conflicts are looked up once.

// mostJoined is the largest number of members for which all conflicts are looked up. That takes a tenth of a second.
const mostJoined = 1500

// full reports whether two members conflict with all of their bytes.
func (c *cliqueCover) full(a, b int32) bool {
	i, j := c.strip.Members[a], c.strip.Members[b]
	if c.strip.Body[a] == c.strip.Body[b] {
		return false
	}
	if c.lowering.Conflicts.Apart(int(i), int(j)) || c.extra != nil && slices.Contains(c.extra[a], b) {
		return true
	}
	return !c.lowering.Problem.Buffers[i].HasWindow() && !c.lowering.Problem.Buffers[j].HasWindow() && !c.loose(a, b) &&
		c.lowering.Conflicts.Conflict(int(i), int(j))
}

// findApart adds slots for the pairs that have no common section.
func (c *cliqueCover) findApart(sections int) {
	if c.lowering.apart == nil && c.extra == nil {
		return
	}
	of := c.elementsOf()
	pairs := make([][]int32, len(c.strip.Members)) // partners that need a slot, and have none yet
	for a := range pairs {
		for _, b := range c.aparts(int32(a)) {
			if !c.together(of, int32(a), b) {
				pairs[a] = append(pairs[a], b)
			}
		}
	}
	g := grower{cover: c, pairs: pairs, fresh: make([]int32, len(pairs)), state: make([]growState, len(pairs))}
	for a := range pairs {
		for len(pairs[a]) > 0 {
			x := g.grow(int32(a), pairs[a][0])
			for _, v := range x {
				pairs[v] = slices.DeleteFunc(pairs[v], func(w int32) bool { return slices.Contains(x, w) })
			}
			c.place(x, of, sections)
		}
	}
}

// A grower grows one clique after another. Between two of them all members are unseen.
type grower struct {
	cover      *cliqueCover
	pairs      [][]int32 // of each member, its partners that need a slot and have none yet
	fresh      []int32   // of each candidate, how many of its pairs are with the clique
	state      []growState
	candidates []int32 // those members, and some that are refused
	seen       []int32 // members that are not unseen
}

// growState is the state of a member while a clique grows.
type growState uint8

const (
	unseen    growState = iota
	candidate           // it has pairs with the clique, and conflicts with all of the clique
	refused             // it does not conflict with all of the clique, or is in it
)

// grow returns a clique that has a and b, and further members as long as each adds pairs that need a slot. The members
// ascend.
func (g *grower) grow(a, b int32) clique {
	x := g.add(g.add(nil, a), b)
	for {
		best := int32(-1)
		for _, v := range g.candidates {
			if best < 0 || g.fresh[v] > g.fresh[best] || g.fresh[v] == g.fresh[best] && v < best {
				best = v
			}
		}
		if best < 0 {
			break
		}
		x = g.add(x, best)
	}
	for _, v := range g.seen {
		g.state[v], g.fresh[v] = unseen, 0
	}
	g.seen = g.seen[:0]
	slices.Sort(x)
	return x
}

// add puts a member into the clique. A candidate that does not conflict with it is refused for good.
func (g *grower) add(x clique, u int32) clique {
	if g.state[u] == unseen {
		g.seen = append(g.seen, u)
	}
	g.state[u] = refused
	g.candidates = slices.DeleteFunc(g.candidates, func(v int32) bool {
		if v != u && !g.cover.full(v, u) {
			g.state[v] = refused
		}
		return g.state[v] == refused
	})
	for _, w := range g.pairs[u] {
		if g.state[w] == unseen {
			g.seen, g.state[w] = append(g.seen, w), candidate
			if slices.ContainsFunc(x, func(v int32) bool { return !g.cover.full(w, v) }) {
				g.state[w] = refused
			} else {
				g.candidates = append(g.candidates, w)
			}
		}
		g.fresh[w]++
	}
	return append(x, u)
}

// elementsOf returns the elements of each member.
func (c *cliqueCover) elementsOf() [][]int32 {
	of := make([][]int32, len(c.strip.Members))
	for e := range c.elements {
		of[c.elements[e].member] = append(of[c.elements[e].member], int32(e))
	}
	return of
}

// together reports whether two members use all of their bytes in one section.
func (c *cliqueCover) together(of [][]int32, a, b int32) bool {
	allA, allB := c.all(a), c.all(b)
	for _, e := range of[a] {
		for _, f := range of[b] {
			x, y := &c.elements[e], &c.elements[f]
			if x.first < y.last && y.first < x.last && x.from == allA.from && x.to == allA.to && y.from == allB.from &&
				y.to == allB.to {
				return true
			}
		}
	}
	return false
}

// place chooses the section before the slot of a clique: the first section in which most of the clique live.
func (c *cliqueCover) place(x clique, of [][]int32, sections int) {
	type change struct {
		at int32
		by int
	}
	var changes []change
	for _, v := range x {
		for _, e := range of[v] {
			changes = append(changes, change{c.elements[e].first, 1}, change{c.elements[e].last, -1})
		}
	}
	sorting.Structs(changes, func(a, b change) int { return int(a.at - b.at) })
	best, most, live := int32(0), -1, 0
	for k, e := range changes {
		live += e.by
		last := k == len(changes)-1 || changes[k+1].at > e.at
		if last && live > most && int(e.at) < sections {
			best, most = changes[min(k+1, len(changes)-1)].at-1, live
		}
	}
	best = max(0, min(best, int32(sections)-1))
	c.inserted[best] = append(c.inserted[best], x)
	c.anew = true
}

// insert puts the slot of a clique after the section whose live elements are given.
func (c *cliqueCover) insert(x clique, live []int32) {
	var s slot
	var here []int32 // members of the clique that run through
	for _, e := range live {
		v := &c.elements[e]
		all := c.all(v.member)
		switch {
		case slices.Contains(x, v.member) && v.from == all.from && v.to == all.to:
			here = append(here, v.member)
		case slices.Contains(x, v.member) || !c.beside(v.member, x):
			s.absent = append(s.absent, e)
		}
	}
	for _, v := range x {
		if !slices.Contains(here, v) {
			s.also = append(s.also, c.all(v))
		}
	}
	c.slots = append(c.slots, s)
}

// beside reports whether a member may run through the slot of a clique. It may if it conflicts with all of the clique
// and with everything that lives beside it.
func (c *cliqueCover) beside(v int32, x clique) bool {
	if c.special != nil && c.special[v] {
		return false
	}
	for _, w := range x {
		if !c.full(v, w) {
			return false
		}
	}
	return true
}
