package lower

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: if time is a line, its cliques are the sections: the moments whose set of live elements is part of no other
// moment's. A section with two elements that do not conflict is split (split.go). If members are apart that never
// meet, a slot is put in (apart.go).
//
// Complexity: O(n log n) for the sweep. Each section that is split, or after which a slot is put in, takes O(live
// elements).

// coverTime makes the slots of a strip from lifespans.
func (c *cliqueCover) coverTime() {
	sections := c.sweep()
	c.special = c.specials()
	c.findApart(sections)
	c.heavy(sections)

	// Elements by their first section, for a second walk that knows which are live.
	starts := make([]int32, len(c.elements))
	for e := range starts {
		starts[e] = int32(e)
	}
	slices.SortStableFunc(starts, func(a, b int32) int { return cmp.Compare(c.elements[a].first, c.elements[b].first) })
	var live, odd []int32 // live elements, and elements of special members
	c.begin = make([]int32, 0, sections+1)
	for k := range int32(sections) {
		ended := func(e int32) bool { return c.elements[e].last <= k }
		busy := len(c.inserted[k]) > 0 || len(odd) > 0
		for ; len(starts) > 0 && c.elements[starts[0]].first == k; starts = starts[1:] {
			live = append(live, starts[0])
			if c.special != nil && c.special[c.elements[starts[0]].member] {
				odd = append(odd, starts[0])
				busy = true
			}
		}
		c.begin = append(c.begin, int32(len(c.slots)))
		if !busy {
			c.slots = append(c.slots, slot{})
			continue
		}
		odd = slices.DeleteFunc(odd, ended)
		c.split(odd)
		if len(c.inserted[k]) > 0 {
			live = slices.DeleteFunc(live, ended)
			slices.Sort(live)
			for _, x := range c.inserted[k] {
				c.insert(x, live)
			}
		}
	}
	c.begin = append(c.begin, int32(len(c.slots)))
	if sections == 0 {
		// No buffer is ever live, but some must be apart.
		for _, x := range c.inserted[0] {
			c.insert(x, nil)
		}
	}
	c.hold()
}

// hold adds a slot for each member that no slot has with all of its bytes. Only pools with reserved ranges need that:
// no byte of a buffer may lie in them, in use or not. In other pools, bytes that are never in use do not matter.
func (c *cliqueCover) hold() {
	if len(c.strip.Reserved) == 0 {
		return
	}
	of := c.elementsOf()
	for k := range c.strip.Members {
		whole := c.all(int32(k))
		seen := slices.ContainsFunc(of[k], func(e int32) bool {
			return c.elements[e].from == whole.from && c.elements[e].to == whole.to
		})
		if !seen {
			c.slots = append(c.slots, slot{also: []entry{whole}})
		}
	}
}

// sweep makes the elements and returns the number of sections.
func (c *cliqueCover) sweep() int {
	type event struct {
		at      int64
		begins  bool
		element int32
	}
	var events []event
	for k, i := range c.strip.Members {
		c.lowering.pieces(i, func(x model.Piece) {
			e := int32(len(c.elements))
			c.elements = append(c.elements, element{member: int32(k), from: c.strip.At[k] + x.From, to: c.strip.At[k] + x.To})
			events = append(events, event{x.Lower, true, e}, event{x.Upper, false, e})
		})
	}
	sorting.Structs(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), before(b.begins, a.begins), cmp.Compare(a.element, b.element))
	})
	sections, fresh := int32(0), false // fresh: an element has begun since the last section
	for _, e := range events {
		x := &c.elements[e.element]
		if e.begins {
			x.first, fresh = sections, true
			continue
		}
		if fresh {
			sections, fresh = sections+1, false
		}
		x.last = sections
	}
	return int(sections)
}

// before orders true before false.
func before(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// specials returns the members that need not conflict with every member that is live beside them. These have a pair
// that may overlap, a distance, or others in their body. It is nil if there are none.
func (c *cliqueCover) specials() []bool {
	if c.lowering.free == nil && c.lowering.dist == nil && c.lowering.body == nil {
		return nil
	}
	of := make([]bool, len(c.strip.Members))
	members := make([]int32, len(c.strip.Problem.Buffers))
	for _, body := range c.strip.Body {
		members[body]++
	}
	for k, i := range c.strip.Members {
		of[k] = c.lowering.free != nil && len(c.lowering.free[i]) > 0 || members[c.strip.Body[k]] > 1
	}
	for _, d := range c.lowering.dist {
		for _, i := range d.Buffers {
			if k, here := c.index[i]; here {
				of[k] = true
			}
		}
	}
	return of
}
