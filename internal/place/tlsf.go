package place

import "math/bits"

// Idea: an allocator that finds a free block of about the right size at once. Free blocks are in lists by size class,
// with four classes for each power of two. A bitmap says which lists are not empty. A block is split if it is too
// large, and joined with free neighbours if it comes back. A free block that grows or shrinks keeps its place in its
// list, unless its class changes.
//
// Invariant: blocks tile the space from the floor to the top. No two neighbours are free. The
// block below the top is not free: if it comes back, the top sinks.
//
// Complexity: O(1) for a call. For a million buffers most of the time is spent on memory. So a
// cell has 32 bytes, and the cells that came back last are used first.
//
// Source: Masmano, Ripoll, Crespo and Real, "TLSF: a New Dynamic Memory Allocator for Real-Time Systems", ECRTS 2004.

// classes is the number of size classes: sizes have up to 62 bits.
const classes = 4 * 64

// class returns the class of a size: four times its logarithm, plus its next two bits. A
// larger class holds only larger sizes.
func class(size int64) int {
	log := bits.Len64(uint64(size)) // at least 1
	return 4*(log-1) + int(uint64(size)<<(64-log)>>61&3)
}

// A cell is a block of space, free or in use. Links are indices.
type cell struct {
	at, size     int64
	below, above int32 // neighbours in space; 0 at the floor and at the top
	prev, next   int32 // free: in the list of its class; in use: prev is inUse, next is the caller's
}

// inUse is the prev of a cell that is not free.
const inUse = -1

// tlsf is the state of the allocator. cells[0] is always in use. Below it is the highest block, above it the lowest.
// The list of class c is a ring through cells[1+c], which stands for no block. So no list has an end.
type tlsf struct {
	cells []cell
	lists int                  // number of cells that never stand for a block: cells[0] and the rings' own
	spare int32                // first of the list of unused cells, or 0
	some  [classes / 64]uint64 // bit c: list c is not empty
	top   int64
}

// begin makes room for a number of blocks, so that cells need not be moved up to that number.
// No block may have more than most bytes, not even after joins.
func (a *tlsf) begin(blocks int, most int64) {
	a.lists = 2 + class(most)
	a.cells = make([]cell, a.lists, a.lists+blocks)
	for c := range a.cells {
		a.cells[c].prev, a.cells[c].next = int32(c), int32(c)
	}
	a.cells[0].prev = inUse
}

// reset empties the space from floor on.
func (a *tlsf) reset(floor int64) {
	for word := range a.some {
		for left := a.some[word]; left != 0; left &= left - 1 {
			c := 1 + int32(64*word+bits.TrailingZeros64(left))
			a.cells[c].prev, a.cells[c].next = c, c
		}
		a.some[word] = 0
	}
	a.cells = a.cells[:a.lists]
	a.cells[0].below, a.cells[0].above = 0, 0
	a.spare, a.top = 0, floor
}

// take returns a cell of exactly size bytes.
func (a *tlsf) take(size int64) int32 {
	k := a.fitting(size)
	c := &a.cells[k]
	at := a.top
	if k == 0 {
		a.top += size
	} else if c.size == size {
		a.unlink(k)
		c.prev = inUse
		return k
	} else {
		at = c.at
		c.at += size
		a.resize(k, c.size-size)
	}
	n := a.spare
	if n != 0 {
		a.spare = a.cells[n].next
	} else {
		n = int32(len(a.cells))
		a.cells = append(a.cells, cell{})
	}
	cells := a.cells
	below := cells[k].below
	cells[k].below, cells[below].above = n, n
	c = &cells[n] // set field by field: copying a whole cell would wait for all its fields
	c.at, c.size, c.below, c.above, c.prev = at, size, below, k, inUse
	return n
}

// fitting returns a free cell of at least size bytes, or 0 if it finds none. In the class of
// the size itself it looks only at the first cell of the list.
func (a *tlsf) fitting(size int64) int32 {
	c := class(size)
	if k := a.cells[1+c].next; a.cells[k].size >= size {
		return k
	}
	c++
	for word, mask := c/64, ^uint64(0)<<(c%64); word < len(a.some); word, mask = word+1, ^uint64(0) {
		if found := a.some[word] & mask; found != 0 {
			return a.cells[1+64*word+bits.TrailingZeros64(found)].next
		}
	}
	return 0
}

// give takes cell k back.
func (a *tlsf) give(k int32) {
	cells := a.cells
	c := &cells[k]
	at, size, below, above := c.at, c.size, c.below, c.above
	down, up := &cells[below], &cells[above]
	if down.prev != inUse && (up.prev != inUse || above == 0) {
		a.unlink(below)
		a.drop(below)
		at, size, below = down.at, size+down.size, down.below
		down = &cells[below]
	}
	switch {
	case up.prev != inUse:
		up.at, up.below, down.above = at, below, above
		a.resize(above, up.size+size)
	case above == 0:
		a.top, up.below, down.above = at, below, 0
	case down.prev != inUse:
		down.above, up.below = above, below
		a.resize(below, down.size+size)
	default:
		a.link(k)
		return
	}
	a.drop(k)
}

// drop makes cell k unused.
func (a *tlsf) drop(k int32) { a.cells[k].next, a.spare = a.spare, k }

// resize gives a free cell another size.
func (a *tlsf) resize(k int32, size int64) {
	c := &a.cells[k]
	old := class(c.size)
	if c.size = size; class(size) != old {
		a.unlink(k)
		a.link(k)
	}
}

// link puts a cell into the list of its class.
func (a *tlsf) link(k int32) {
	cells := a.cells
	c := &cells[k]
	of := class(c.size)
	first := &cells[1+of]
	c.prev, c.next = int32(1+of), first.next
	cells[first.next].prev, first.next = k, k
	a.some[of/64] |= 1 << (of % 64)
}

// unlink takes a cell out of the list of its class.
func (a *tlsf) unlink(k int32) {
	c := &a.cells[k]
	a.cells[c.prev].next, a.cells[c.next].prev = c.next, c.prev
	if c.prev == c.next { // the list is empty now: both are the cell that stands for no block
		of := c.next - 1
		a.some[of/64] &^= 1 << (of % 64)
	}
}
