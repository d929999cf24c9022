package place

import "math/bits"

// Idea: an allocator that finds a free block of about the right size at once.
// Free blocks are in lists by size class, four classes for each power of two; a
// bitmap says which lists have any. A block is split where it is larger than
// asked for, and joined with free neighbours when it comes back.
//
// Invariant: blocks tile the space from the floor to the top, no two neighbours
// are free, and what is free below the top is not part of it.
//
// Complexity: O(1) a call; nodes are reused.
//
// Source: Masmano, Ripoll, Crespo and Real, "TLSF: a New Dynamic Memory
// Allocator for Real-Time Systems", ECRTS 2004.

// classes is the number of size classes: sizes have up to 62 bits.
const classes = 4 * 64

// class returns the class of a size. A larger class holds only larger sizes.
func class(size int64) int {
	log := bits.Len64(uint64(size)) // at least 1
	return 4*(log-1) + int(uint64(size)<<(64-log)>>61&3)
}

// A cell is a block of space, free or in use. Links are indices, 0 for none.
type cell struct {
	at, size     int64
	below, above int32 // neighbours in space
	prev, next   int32 // in the list of its class, where it is free; next is the caller's where it is not
	free         bool
}

// tlsf is the state of the allocator. cells[0] stands for none.
type tlsf struct {
	cells []cell
	spare []int32
	heads []int32              // per class
	some  [classes / 64]uint64 // bit c: list c is not empty
	top   int64
	last  int32 // the cell that ends at top
}

// reset empties the space from floor on.
func (a *tlsf) reset(floor int64) {
	a.cells = append(a.cells[:0], cell{})
	a.spare = a.spare[:0]
	clear(a.heads)
	clear(a.some[:])
	a.top, a.last = floor, 0
}

// take returns a cell of exactly size bytes.
func (a *tlsf) take(size int64) int32 {
	k := a.fitting(size)
	if k == 0 {
		k = a.cell(cell{at: a.top, size: size, below: a.last})
		if a.last != 0 {
			a.cells[a.last].above = k
		}
		a.top, a.last = a.top+size, k
		return k
	}
	a.unlink(k)
	if rest := a.cells[k].size - size; rest > 0 {
		old := a.cells[k]
		r := a.cell(cell{at: old.at + size, size: rest, below: k, above: old.above})
		a.cells[k].size, a.cells[k].above = size, r
		a.cells[old.above].below = r // what is free has something in use above it
		a.link(r)
	}
	return k
}

// fitting returns a free cell of at least size bytes, 0 where there is none. It
// overlooks those of the size's own class that are not first in their list.
func (a *tlsf) fitting(size int64) int32 {
	c := class(size)
	if k := a.heads[c]; k != 0 && a.cells[k].size >= size {
		return k
	}
	c++
	for word, mask := c/64, ^uint64(0)<<(c%64); word < len(a.some); word, mask = word+1, ^uint64(0) {
		if found := a.some[word] & mask; found != 0 {
			return a.heads[64*word+bits.TrailingZeros64(found)]
		}
	}
	return 0
}

// give takes a cell back.
func (a *tlsf) give(k int32) {
	if up := a.cells[k].above; up != 0 && a.cells[up].free {
		a.unlink(up)
		a.join(k, up)
	}
	if down := a.cells[k].below; down != 0 && a.cells[down].free {
		a.unlink(down)
		a.join(down, k)
		k = down
	}
	if k == a.last {
		a.top, a.last = a.cells[k].at, a.cells[k].below
		a.cells[a.last].above = 0
		a.spare = append(a.spare, k)
		return
	}
	a.link(k)
}

// join adds cell up to cell k, which is just below it.
//
//go:noinline
func (a *tlsf) join(k, up int32) {
	above := a.cells[up].above
	a.cells[k].size += a.cells[up].size
	a.cells[k].above = above
	if above != 0 {
		a.cells[above].below = k
	} else {
		a.last = k
	}
	a.spare = append(a.spare, up)
}

//go:noinline
func (a *tlsf) cell(c cell) int32 {
	if n := len(a.spare) - 1; n >= 0 {
		k := a.spare[n]
		a.spare = a.spare[:n]
		a.cells[k] = c
		return k
	}
	a.cells = append(a.cells, c)
	return int32(len(a.cells) - 1)
}

// link puts a cell into the list of its class.
func (a *tlsf) link(k int32) {
	c := class(a.cells[k].size)
	head := a.heads[c]
	a.cells[k].free, a.cells[k].prev, a.cells[k].next = true, 0, head
	if head != 0 {
		a.cells[head].prev = k
	}
	a.heads[c] = k
	a.some[c/64] |= 1 << (c % 64)
}

// unlink takes a cell out of the list of its class.
func (a *tlsf) unlink(k int32) {
	prev, next := a.cells[k].prev, a.cells[k].next
	a.cells[k].free = false
	if next != 0 {
		a.cells[next].prev = prev
	}
	if prev != 0 {
		a.cells[prev].next = next
		return
	}
	c := class(a.cells[k].size)
	if a.heads[c] = next; next == 0 {
		a.some[c/64] &^= 1 << (c % 64)
	}
}
