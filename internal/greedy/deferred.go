package greedy

import (
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: an allocator that gives addresses only at the end can let a free chunk grow in the
// middle, and push everything to its right. The memory is a row of chunks. A request takes
//
//  1. the smallest free chunk that is large enough, and leaves the rest of it free;
//  2. if there is none, the largest free chunk, which grows;
//  3. if nothing is free, a new chunk at the end of the row.
//
// A chunk that is freed is merged with its free neighbours: they become parts of the leftmost, each at an offset in it.
// In the end every chunk has come back, and the parts get their addresses.
//
// A chunk that is cut shorter keeps its parts, since these have ended.
//
// Invariant: the row is doubly linked, no two free chunks touch, and the free list is
// sorted by size, those of one size in the order in which they became free.
//
// Complexity: O(log n) to find a chunk, O(free chunks) to enter it.
//
// Source: MNN, DeferBufferAllocator; oneDNN's graph compiler has the same idea.
//
// Trials: docs/lab/greedy.md (each row of the table of orders is needed somewhere).

// A grownChunk is a chunk of the row, or was one.
type grownChunk struct {
	size, at    int64 // at is an offset in the chunk that it is part of
	left, right int32 // neighbours in the row, -1 for none
	whole       int32 // what it is part of
	used        bool
}

// A grownRow is the row.
type grownRow struct {
	chunks []grownChunk
	free   []int32 // by size
	parts  []int32 // the chunks that became parts of others, in that order
	tail   int32
}

// Deferred places the buffers by a row of chunks. starts and ends have all buffers, by start and by
// end; sizes has their sizes, by buffer. It returns nil if a limit comes first.
func Deferred(w *run.Watch, tl *timeline.Timeline, starts, ends []int32, sizes []int64) []int64 {
	n, buffers := len(sizes), tl.Problem.Buffers
	r := &grownRow{tail: -1}
	of := make([]int32, n)
	if len(starts) < n || len(ends) < n {
		return nil
	}
	for _, i := range starts {
		if w != nil && w.Over() {
			return nil
		}
		for ; buffers[ends[0]].Upper <= buffers[i].Lower; ends = ends[1:] {
			r.release(of[ends[0]])
		}
		of[i] = r.request(sizes[i])
	}
	for _, i := range ends {
		r.release(of[i])
	}
	return r.offsets(of)
}

// offsets returns the offsets of the chunks that buffers had, once all have come back.
func (r *grownRow) offsets(of []int32) []int64 {
	// A chunk becomes a part before the chunk that contains it becomes a part.
	for k := len(r.parts) - 1; k >= 0; k-- {
		c := &r.chunks[r.parts[k]]
		c.at += r.chunks[c.whole].at
	}
	offsets := make([]int64, len(of))
	for i, k := range of {
		offsets[i] = r.chunks[k].at
	}
	return offsets
}

// request returns a chunk of a size.
func (r *grownRow) request(size int64) int32 {
	if len(r.free) == 0 {
		return r.put(size, r.tail)
	}
	k := r.free[min(r.search(size), len(r.free)-1)]
	r.use(k, size)
	return k
}

// use gives away the lower end of a free chunk, or all of it, larger if it is too small.
func (r *grownRow) use(k int32, size int64) {
	r.leave(k)
	c := &r.chunks[k]
	rest := c.size - size
	if c.used, c.size = true, size; rest > 0 {
		r.enter(r.put(rest, k))
	}
}

// put adds a chunk in use to the right of another, -1 for none.
func (r *grownRow) put(size int64, left int32) int32 {
	k := int32(len(r.chunks))
	c := grownChunk{size: size, left: left, right: -1, used: true}
	if left >= 0 {
		l := &r.chunks[left]
		c.right, l.right = l.right, k
	}
	r.chunks = append(r.chunks, c)
	*r.leftOf(c.right) = k
	return k
}

// leftOf points to the left neighbour of a chunk. The left neighbour of the end of the row, -1, is the last chunk.
func (r *grownRow) leftOf(k int32) *int32 {
	if k < 0 {
		return &r.tail
	}
	return &r.chunks[k].left
}

// release frees a chunk.
func (r *grownRow) release(k int32) {
	if left := r.chunks[k].left; left >= 0 && !r.chunks[left].used {
		r.fuse(left, left, k)
		k = left
	}
	if right := r.chunks[k].right; right >= 0 && !r.chunks[right].used {
		r.fuse(right, k, right)
	}
	r.enter(k)
}

// fuse makes a chunk part of its left neighbour, after one of them, which is free, has left the free list.
func (r *grownRow) fuse(free, left, right int32) {
	r.leave(free)
	l, c := &r.chunks[left], &r.chunks[right]
	c.at, c.whole = l.size, left
	l.size += c.size
	l.right = c.right
	*r.leftOf(c.right) = left
	r.parts = append(r.parts, right)
}

// leave takes a chunk out of the free list.
func (r *grownRow) leave(k int32) {
	at := r.search(r.chunks[k].size)
	for r.free[at] != k {
		at++
	}
	r.free = slices.Delete(r.free, at, at+1)
}

// search returns where the free chunks of a size begin.
func (r *grownRow) search(size int64) int {
	return sort.Search(len(r.free), func(at int) bool { return r.chunks[r.free[at]].size >= size })
}

// enter frees a chunk.
func (r *grownRow) enter(k int32) {
	c := &r.chunks[k]
	c.used = false
	at := r.search(c.size + 1)
	r.free = append(r.free, k)
	copy(r.free[at+1:], r.free[at:])
	r.free[at] = k
}

// deferred places the buffers in the order of a word that begins with the start. Sizes are rounded
// up to a common multiple of the alignments, so that a buffer that moves stays aligned. It returns
// nil if that multiple is too large, or if a limit comes first.
func deferred(w *run.Watch, tl *timeline.Timeline, word string) []int64 {
	sizes := UnitSizes(tl)
	if sizes == nil {
		return nil
	}
	return Deferred(w, tl, Sorted(w, tl, word), Sorted(w, tl, "e"), sizes)
}

// UnitSizes returns the sizes, rounded up to a common multiple of the alignments, or nil if that is very large.
func UnitSizes(tl *timeline.Timeline) []int64 {
	buffers := tl.Problem.Buffers
	unit := int64(1)
	for i := range buffers {
		if unit = bound.LCM(unit, buffers[i].Align(), maxSlotAlign); unit == 0 {
			return nil
		}
	}
	sizes := make([]int64, len(buffers))
	for i := range sizes {
		sizes[i] = bound.Up(buffers[i].Size, unit)
	}
	return sizes
}
