package model

import (
	"fmt"
	"slices"
	"strings"
)

// Idea: a texture has a width and a height, and perhaps a depth. Its size is their product. An object that several
// textures share must hold each of them, so it is as wide as the widest and as high as the highest:
//
//	extent d of an object = max over its buffers of their extent d
//	bytes of the object   = product over d of that
//
// The bytes may be more than those of any of its buffers. In a pool that is not divided into objects only the size
// counts.
//
// Invariant: all buffers that may be in one pool of objects have as many extents. Such a pool has nothing else that
// decides where an object lies: no reserved range, no fixed offset, no tie. So objects may be stacked in any order.
//
// Complexity: O(buffers · pools) to validate.

// MostExtents is the most dimensions of a size.
const MostExtents = 3

// A Box is extents, with 1 for those that a buffer does not have.
type Box [MostExtents]int64

// Box returns the extents of a buffer: its size alone if it has none.
func (b *Buffer) Box() Box {
	x := Box{b.Size, 1, 1}
	if b.Extra != nil && b.Extra.Extents != nil {
		x = Box{1, 1, 1}
		copy(x[:], b.Extra.Extents)
	}
	return x
}

// Over returns the extents of an object for two boxes.
func (x Box) Over(y Box) Box {
	for d := range x {
		x[d] = max(x[d], y[d])
	}
	return x
}

// Bytes returns the product of the extents.
func (x Box) Bytes() int64 { return x[0] * x[1] * x[2] }

// HasExtents reports whether a buffer has a size of several dimensions.
func (b *Buffer) HasExtents() bool { return b.Extra != nil && b.Extra.Extents != nil }

// HasExtents reports whether a pool is divided into objects of several dimensions.
func (p *Problem) HasExtents(pool int32) bool {
	return p.AllPools()[pool].Objects &&
		slices.ContainsFunc(p.Buffers, func(b Buffer) bool { return b.HasExtents() && b.MayUse(pool) })
}

// SizeOf returns the product of extents. ok is false if one is below 1, or if the product exceeds MaxSum.
func SizeOf(extents []int64) (size int64, ok bool) {
	size = 1
	for _, x := range extents {
		if x < 1 || x > MaxSum/size {
			return 0, false
		}
		size *= x
	}
	return size, true
}

// SetExtents gives a buffer a size of several dimensions. If the product is out of range, Validate says so.
func (b *Buffer) SetExtents(extents []int64) {
	if b.Extra == nil {
		b.Extra = &Extra{}
	}
	b.Extra.Extents = extents
	b.Size, _ = SizeOf(extents)
}

// dimensions writes them as JSON does.
func dimensions(x []int64) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }

// extents checks the sizes of several dimensions, and the pools of objects that may hold them.
func (v *validator) extents(r *Rules) {
	some := false
	for i := range v.p.Buffers {
		b := &v.p.Buffers[i]
		if !b.HasExtents() {
			continue
		}
		some = true
		x := b.Extra.Extents
		say := func(field, value, message string) { v.add(i, field, value, message) }
		switch size, ok := SizeOf(x); {
		case len(x) < 2 || len(x) > MostExtents:
			say("size", dimensions(x), fmt.Sprintf("has %d dimensions; it must have 2 or %d, or be one number", len(x), MostExtents))
		case !ok:
			say("size", dimensions(x), fmt.Sprintf("each dimension must be at least 1, and their product at most %d", int64(MaxSum)))
		case size != b.Size:
			say("size", itoa(b.Size), fmt.Sprintf("must be %d, the product of its dimensions %s; SetExtents makes it so", size, dimensions(x)))
		}
		switch {
		case b.Align() > 1:
			say("alignment", itoa(b.Alignment), "a buffer with a size of several dimensions has no alignment; its pools may have one")
		case b.Fixed != nil:
			say("offset", itoa(*b.Fixed), "a buffer with a size of several dimensions has no fixed offset")
		case b.HasWindow():
			say("gaps", "", "a buffer with a size of several dimensions has no windows")
		}
	}
	if !some {
		return
	}
	refuse := func(field string, of []int32) {
		for _, i := range of {
			if i >= 0 && int(i) < len(v.p.Buffers) && v.p.Buffers[i].HasExtents() {
				v.add(-1, field, v.p.Buffers[i].ID, "a buffer with a size of several dimensions can be in no such list")
			}
		}
	}
	for k := range r.Together {
		refuse(fmt.Sprintf("together[%d]", k), r.Together[k].Buffers)
	}
	for k := range r.Distances {
		refuse(fmt.Sprintf("distances[%d]", k), r.Distances[k].Buffers[:])
	}
	for k := range r.Lockstep {
		refuse(fmt.Sprintf("lockstep[%d]", k), r.Lockstep[k])
	}
	if v.issues.err.Total > 0 {
		return
	}
	all := int64(0) // what the objects of all pools take at most
	for k := range r.Pools {
		if r.Pools[k].Objects {
			all = v.covers(r, k, all)
		}
	}
}

// covers checks a pool of objects. all is what the objects of the pools before take at most.
func (v *validator) covers(r *Rules, k int, all int64) int64 {
	q := &r.Pools[k]
	var cover Box
	first, stays, several := -1, int64(0), false
	dims := func(i int) int {
		if b := &v.p.Buffers[i]; b.HasExtents() {
			return len(b.Extra.Extents)
		}
		return 1
	}
	for i := range v.p.Buffers {
		b := &v.p.Buffers[i]
		if !b.MayUse(int32(k)) {
			continue
		}
		if first < 0 {
			first = i
		}
		if dims(i) != dims(first) {
			v.add(i, "size", itoa(b.Size), fmt.Sprintf("has %d dimensions, but buffer %s, which may be in the same pool of objects %s, "+
				"has %d", dims(i), v.p.Buffers[first].ID, poolName(r, k), dims(first)))
			return all
		}
		several = several || b.HasExtents()
		cover, stays = cover.Over(b.Box()), stays+v.parts(int32(i))
	}
	if !several {
		return all
	}
	if len(q.Reserved) > 0 {
		v.add(-1, fmt.Sprintf("pools[%d].reserved", k), "", "pool "+poolName(r, k)+
			": a pool of objects whose sizes have several dimensions has no reserved range")
	}
	bytes, ok := SizeOf(cover[:])
	if bytes += max(q.Alignment, 1) - 1; !ok || bytes > (MaxSum/2-all)/stays {
		v.add(-1, fmt.Sprintf("pools[%d]", k), "", fmt.Sprintf("pool %s: an object that holds the largest in each dimension "+
			"takes %s, and %d of these would take more than %d", poolName(r, k), dimensions(cover[:]), stays, int64(MaxSum/2)))
		return all
	}
	return all + stays*bytes
}
