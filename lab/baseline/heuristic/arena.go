package heuristic

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: this is the space of an allocator that gives out chunks and takes them back, as bfc.go does.
//
// Invariant: chunks tile the space from 0 to the top, no two neighbours are free, and the chunk below the top is in
// use. Above the top there is always room, taken only if no free chunk will do.
//
// Complexity: O(log n) a step, and a move of up to some hundred free chunks (holes.go).

// A chunk is a stretch of the space, in use or free. Neighbours are linked by address.
type chunk struct {
	at, size   int64
	prev, next int32 // chunks beside it, -1 for none
	inUse      bool
}

// A hole is the entry of a free chunk: by size, then by address.
type hole struct {
	size, at int64
	chunk    int32
}

func (h hole) compare(g hole) int {
	return cmp.Or(cmp.Compare(h.size, g.size), cmp.Compare(h.at, g.at))
}

// arena is the space.
type arena struct {
	chunks []chunk
	spare  []int32 // indices in chunks that are not in use
	holes  holes   // free chunks
	last   int32   // the chunk that ends at top, -1 for none
	top    int64
}

// newArena returns an empty space.
func newArena() arena { return arena{last: -1} }

// take returns a chunk of at least size bytes that starts at a multiple of align. It is cut from the smallest free
// chunk that holds it, on a tie the lowest. The bytes before the multiple stay free. The bytes after it are split off
// if they are at least size, or at least waste.
func (a *arena) take(size, align, waste int64) int32 {
	for k, at := a.holes.find(hole{size: size, at: -1}); k < len(a.holes.pieces); k, at = a.holes.next(k, at) {
		h := a.holes.pieces[k][at]
		pad := bound.Up(h.at, align) - h.at
		if h.size < size+pad {
			continue
		}
		a.holes.remove(k, at)
		c := h.chunk
		a.chunks[c].inUse = true
		if pad > 0 {
			a.split(c, pad) // remembers what is above the padding
			above := a.chunks[c].next
			a.forget(above)
			a.chunks[c].inUse, a.chunks[above].inUse = false, true
			a.remember(c)
			c = above
		}
		if rest := a.chunks[c].size - size; rest >= size || rest >= waste {
			a.split(c, size)
		}
		return c
	}
	pad := bound.Up(a.top, align) - a.top
	if pad == 0 {
		return a.grow(size)
	}
	below := a.grow(pad)
	c := a.grow(size)
	a.free(below)
	return c
}

// grow puts a chunk on top.
func (a *arena) grow(size int64) int32 {
	c := a.add(chunk{at: a.top, size: size, prev: a.last, next: -1, inUse: true})
	if a.last >= 0 {
		a.chunks[a.last].next = c
	}
	a.last = c
	a.top += size
	return c
}

// split cuts chunk c after size bytes and frees the rest.
func (a *arena) split(c int32, size int64) {
	old := a.chunks[c]
	rest := a.add(chunk{at: old.at + size, size: old.size - size, prev: c, next: old.next})
	a.chunks[c].size, a.chunks[c].next = size, rest
	a.chunks[old.next].prev = rest // what was free had something in use above it
	a.remember(rest)
}

// free gives chunk c back and joins it with the free chunks beside it.
func (a *arena) free(c int32) {
	a.chunks[c].inUse = false
	if next := a.chunks[c].next; next >= 0 && !a.chunks[next].inUse {
		a.forget(next)
		a.join(c, next)
	}
	if prev := a.chunks[c].prev; prev >= 0 && !a.chunks[prev].inUse {
		a.forget(prev)
		a.join(prev, c)
		c = prev
	}
	if c == a.last {
		// It becomes part of the room above the top.
		a.last, a.top = a.chunks[c].prev, a.chunks[c].at
		if a.last >= 0 {
			a.chunks[a.last].next = -1
		}
		a.spare = append(a.spare, c)
		return
	}
	a.remember(c)
}

// join adds chunk d to chunk c, which is just below it.
func (a *arena) join(c, d int32) {
	a.chunks[c].size += a.chunks[d].size
	next := a.chunks[d].next
	a.chunks[c].next = next
	if next >= 0 {
		a.chunks[next].prev = c
	} else {
		a.last = c
	}
	a.spare = append(a.spare, d)
}

func (a *arena) add(c chunk) int32 {
	if k := len(a.spare) - 1; k >= 0 {
		i := a.spare[k]
		a.spare = a.spare[:k]
		a.chunks[i] = c
		return i
	}
	a.chunks = append(a.chunks, c)
	return int32(len(a.chunks) - 1)
}

func (a *arena) remember(c int32) {
	a.holes.insert(hole{a.chunks[c].size, a.chunks[c].at, c})
}

func (a *arena) forget(c int32) {
	a.holes.remove(a.holes.find(hole{a.chunks[c].size, a.chunks[c].at, c}))
}
