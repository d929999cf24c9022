package assign

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/model"
)

// Idea: loads alone may prove that there is no plan. Bodies that conflict pair by pair share no byte, so in a section,
// for each set S of pools
//
//	sum of the bytes in use, over bodies that may only be in pools of S  <=  sum of the room of the pools of S
//
// This is Hall's condition, in bytes. Single pools are also checked in cells (sections.go): with alignments, cells give
// a stronger condition.
//
// Invariant: if some bodies of a problem are an overload, the problem has no plan. So a caller may ask about only the
// bodies that a change touches.
//
// Complexity: the sections', and O(2^pools · uses · sections of a life) for at most mostHall pools. If there are more
// pools, only each pool alone and all pools together are checked.

// mostHall is the most pools for which all sets are checked.
const mostHall = 6

// An Overload is a set of bodies that conflict pair by pair, and that need more bytes than the pools that they may be
// in have.
type Overload struct {
	Pools       []int32 // indices
	Bytes, Room int64   // what is needed, and what there is
	Members     []int32 // the buffers of the bodies
}

// Overloaded returns an overload of a problem, or nil if it finds none. There may be no plan without an overload: then
// why is "loads" if cells prove it, and places.Proved if the places of bodies do.
func Overloaded(l *lower.Lowering) (o *Overload, why string) {
	c := &Choices{lowering: l, sets: places.Find(l.Problem, l.Conflicts)}
	if !c.list() {
		return nil, places.Proved
	}
	c.measure()
	if o := c.hall(); o != nil {
		return o, ""
	}
	switch {
	case c.sets.None():
		return nil, places.Proved
	case !c.forced():
		return nil, "loads"
	}
	return nil, ""
}

// Fullest returns the overload of a problem without evictions that has the most bytes too many; nil if there is none.
func Fullest(q *model.Problem) (worst *Overload) {
	l := lower.New(q)
	c := &Choices{lowering: l, sets: places.Find(q, l.Conflicts)}
	if !c.list() {
		return nil
	}
	c.measure()
	c.overloads(func(o *Overload) bool {
		if worst == nil || o.Bytes-o.Room > worst.Bytes-worst.Room {
			worst = o
		}
		return true
	})
	return worst
}

// forced takes the cells of bodies with one pool from the room. It returns false if they do not fit.
func (c *Choices) forced() bool {
	fits := true
	for k := range c.Bodies[:c.Single] {
		fits = c.Bodies[k].Take(0, c.room, 1) && fits
	}
	return fits
}

// hall looks for a set of pools and a section that are too small.
func (c *Choices) hall() (first *Overload) {
	c.overloads(func(o *Overload) bool {
		first = o
		return false
	})
	return first
}

// overloads calls see with the overload of each set of pools that has one, until see returns false.
func (c *Choices) overloads(see func(*Overload) bool) {
	n := len(c.lowering.Pools)
	room := make([]int64, n)
	for q := range room {
		if room[q] = -1; c.lowering.Pools[q].Capacity > 0 {
			room[q] = c.lowering.Pools[q].Capacity
			for _, r := range lower.Merged(c.lowering.Pools[q].Reserved) {
				room[q] -= r.Upper - r.Lower
			}
		}
	}
	var sets []uint64
	switch {
	case n > mostHall:
		for q := range min(n, 63) {
			sets = append(sets, 1<<q)
		}
		if n <= 63 {
			sets = append(sets, 1<<n-1)
		}
	default:
		for set := uint64(1); set < 1<<n; set++ {
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		if o := c.within(set, room); o != nil && !see(o) {
			return
		}
	}
}

// within looks for a section in which the bodies that may only be in a set of pools need more than these have.
func (c *Choices) within(set uint64, room []int64) *Overload {
	o := Overload{}
	for left := set; left != 0; left &= left - 1 {
		q := bits.TrailingZeros64(left)
		if room[q] < 0 {
			return nil
		}
		o.Pools, o.Room = append(o.Pools, int32(q)), o.Room+room[q]
	}
	inside := func(b *Body) bool {
		for _, q := range b.Pools {
			if q > 63 || set>>q&1 == 0 {
				return false
			}
		}
		return true
	}
	load := make([]int64, c.Sections)
	for k := range c.Bodies {
		b := &c.Bodies[k]
		if !inside(b) {
			continue
		}
		for _, u := range b.Uses {
			for t := u.First; t < u.Last; t++ {
				load[t] += u.To - u.From
			}
		}
	}
	at := int32(0)
	for t := range load {
		if load[t] > load[at] {
			at = int32(t)
		}
	}
	if c.Sections == 0 || load[at] <= o.Room {
		return nil
	}
	o.Bytes = load[at]
	for k := range c.Bodies {
		if b := &c.Bodies[k]; inside(b) && b.at(at) {
			o.Members = append(o.Members, b.Members...)
		}
	}
	return &o
}
