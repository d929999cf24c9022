package lower

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: in a pool that is divided into objects, two buffers x and y begin at the same byte or share none. Two slots say
// so, whatever the planner:
//
//	in one slot    x uses its first byte, and y all bytes but its first
//	in another     y uses its first byte, and x all bytes but its first
//
//	both kept  if and only if  offset(x) = offset(y)  or  x and y share no byte
//
// If the two conflict, one slot has them with all of their bytes, whatever their windows.
//
// Strip.Shared says the same for a planner of objects (internal/ruled/objects), if nothing but the objects decides
// where a body lies. If sizes have several dimensions, an object may be larger than each of its members. No rule of
// pairs says that, so there are no slots.
//
// Complexity: O(n²) slots for n members. Above MostObjects members there are none, and Shared alone says the rule.

// MostObjects is the most members of a pool of objects whose rule is lowered to slots.
const MostObjects = 200

// A Sharing is which bodies of a pool of objects may be in one object.
type Sharing struct {
	Near   [][]int32 // of each body, those with which it shares no object, ascending
	Groups [][]int32 // bodies that live at one time; nil if time is no line
	Most   int       // the most objects; 0 is no limit
	// Boxes has the extents of each body; nil if each size is one number.
	Boxes []model.Box
}

// Height returns the end of the highest body. Where objects have several dimensions, it is that of the highest object.
func (s *Strip) Height(offsets []int64) (height int64) {
	var objects map[int64]model.Box
	if s.Shared != nil && s.Shared.Boxes != nil {
		objects = make(map[int64]model.Box)
	}
	for b, at := range offsets {
		size := s.Problem.Buffers[b].Size
		if objects != nil {
			box := objects[at].Over(s.Shared.Boxes[b])
			objects[at], size = box, box.Bytes()
		}
		height = max(height, at+size)
	}
	return height
}

// shareObjects adds the slots of a pool of objects, and Shared.
func (c *cliqueCover) shareObjects() {
	s, n := c.strip, len(c.strip.Members)
	s.Edges, s.ClocksAlone = nil, false
	shared := &Sharing{Near: make([][]int32, len(s.Problem.Buffers))}
	if c.lowering.Problem.Buffers[s.Members[0]].HasExtents() { // then all have them
		shared.Boxes = make([]model.Box, len(s.Problem.Buffers))
		for k, i := range s.Members {
			shared.Boxes[s.Body[k]] = c.lowering.Problem.Buffers[i].Box() // no body has two members
		}
	}
	s.TooMany = n > MostObjects || shared.Boxes != nil
	plain := len(s.Reserved) == 0
	for k := range s.Problem.Buffers {
		plain = plain && s.Problem.Buffers[k].Fixed == nil
	}
	for a := range int32(n) {
		x := c.all(a)
		plain = plain && x.from == 0
		for b := range a {
			y := c.all(b)
			if x.body == y.body {
				if x.from != y.from && x.from < y.to && y.from < x.to {
					s.Impossible = "buffers that are together share bytes of different objects"
					return
				}
				continue
			}
			conflict := c.conflict(a, b)
			if conflict {
				shared.Near[x.body] = append(shared.Near[x.body], y.body)
				shared.Near[y.body] = append(shared.Near[y.body], x.body)
			}
			if s.TooMany {
				continue
			}
			if conflict {
				if !c.full(a, b) {
					c.slots = append(c.slots, slot{also: []entry{x, y}})
				}
				continue
			}
			for _, two := range [2][2]entry{{x, y}, {y, x}} {
				first, rest := two[0], two[1]
				first.to, rest.from = first.from+1, rest.from+1
				if rest.from < rest.to {
					c.slots = append(c.slots, slot{also: []entry{first, rest}})
				}
			}
		}
	}
	if !plain {
		return
	}
	for k := range shared.Near {
		slices.Sort(shared.Near[k])
		shared.Near[k] = slices.Compact(shared.Near[k])
	}
	for e := range c.elements {
		x := &c.elements[e]
		for t := x.first; t < x.last; t++ {
			for int(t) >= len(shared.Groups) {
				shared.Groups = append(shared.Groups, nil)
			}
			shared.Groups[t] = append(shared.Groups[t], s.Body[x.member])
		}
	}
	for t := range shared.Groups {
		slices.Sort(shared.Groups[t])
		shared.Groups[t] = slices.Compact(shared.Groups[t])
	}
	s.Shared = shared
}

// conflict reports whether two members of different bodies may not be in one object.
func (c *cliqueCover) conflict(a, b int32) bool {
	i, j := c.strip.Members[a], c.strip.Members[b]
	if c.extra != nil && slices.Contains(c.extra[a], b) || c.lowering.Conflicts.Apart(int(i), int(j)) {
		return true
	}
	if d := c.distance(a, b); d >= 0 && c.lowering.dist[d].Distance <= 0 {
		return false
	}
	return c.lowering.Conflicts.Conflict(int(i), int(j))
}
