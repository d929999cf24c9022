package greedy

import (
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: an allocator that gives no addresses before the end may let a free chunk grow in
// the middle, and push what is to its right. Requests are chunks in a row. One takes the
// smallest free chunk that holds it and leaves the rest free; where none does, the largest
// free chunk grows; only where nothing is free the row gets longer. A chunk that comes
// back becomes one with its free neighbours: they become parts of the left one, at an
// offset in it. In the end all has come back, and the parts get their addresses.
//
// A chunk that is cut shorter keeps its parts: they have ended.
//
// Invariant: the row is doubly linked, no two free chunks touch, and the free list is
// sorted by size, those of one size in the order in which they became free.
//
// Complexity: O(log n) to find a chunk, O(free chunks) to enter it.
//
// Source: MNN, DeferBufferAllocator; oneDNN's graph compiler has the same idea.
//
// Measured: best.go.

// A grownChunk is a chunk of the row, or was one.
type grownChunk struct {
	size, at    int64 // at is an offset in the chunk that it is part of
	left, right int32 // neighbours in the row, -1 for none
	whole       int32 // what it is part of, -1 for none
	used        bool
}

// A grownRow is the row.
type grownRow struct {
	chunks []grownChunk
	free   []int32 // by size
	tail   int32
}

// Deferred places the buffers by a row of chunks: starts and ends are all of them by start
// and by end, sizes are theirs. It returns nil where a limit comes first.
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
	offsets := make([]int64, n)
	var path []int32
	for i, k := range of {
		// The chunks on the way up to the one that is left become parts of that.
		path = path[:0]
		for ; r.chunks[k].whole >= 0; k = r.chunks[k].whole {
			path = append(path, k)
		}
		for j := len(path) - 2; j >= 0; j-- {
			c := &r.chunks[path[j]]
			c.at += r.chunks[path[j+1]].at
			c.whole = k
		}
		offsets[i] = r.chunks[of[i]].at
	}
	return offsets
}

// request returns a chunk of a size.
func (r *grownRow) request(size int64) int32 {
	if len(r.free) == 0 {
		return r.put(size, r.tail)
	}
	at := min(r.search(size), len(r.free)-1)
	k := r.free[at]
	r.free = append(r.free[:at], r.free[at+1:]...)
	r.chunks[k].used = true
	if rest := r.chunks[k].size - size; rest > 0 {
		r.enter(r.put(rest, k))
	}
	r.chunks[k].size = size
	return k
}

// put adds a chunk in use to the right of another, -1 for none.
func (r *grownRow) put(size int64, left int32) int32 {
	k := int32(len(r.chunks))
	c := grownChunk{size: size, left: left, right: -1, whole: -1, used: true}
	if left >= 0 {
		c.right, r.chunks[left].right = r.chunks[left].right, k
	}
	if c.right >= 0 {
		r.chunks[c.right].left = k
	} else {
		r.tail = k
	}
	r.chunks = append(r.chunks, c)
	return k
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

// fuse makes a chunk part of its left neighbour, after one of them, which is free, has
// left the free list.
func (r *grownRow) fuse(free, left, right int32) {
	at := r.search(r.chunks[free].size)
	for r.free[at] != free {
		at++
	}
	r.free = append(r.free[:at], r.free[at+1:]...)
	l, c := &r.chunks[left], &r.chunks[right]
	c.at, c.whole = l.size, left
	l.size += c.size
	if l.right = c.right; l.right >= 0 {
		r.chunks[l.right].left = left
	} else {
		r.tail = left
	}
}

// search returns where the free chunks of a size begin.
func (r *grownRow) search(size int64) int {
	return sort.Search(len(r.free), func(at int) bool { return r.chunks[r.free[at]].size >= size })
}

// enter frees a chunk.
func (r *grownRow) enter(k int32) {
	r.chunks[k].used = false
	at := r.search(r.chunks[k].size + 1)
	r.free = append(r.free, k)
	copy(r.free[at+1:], r.free[at:])
	r.free[at] = k
}

// deferred places the buffers in the order of a word that begins with the start, their sizes rounded up to a common multiple of the
// alignments, since what moves must stay aligned. It returns nil where that is too large,
// or a limit comes first.
func deferred(w *run.Watch, tl *timeline.Timeline, word string) []int64 {
	buffers := tl.Problem.Buffers
	unit := int64(1)
	for i := range buffers {
		common := unit / bound.GCD(unit, buffers[i].Align())
		if buffers[i].Align() > maxSlotAlign/common {
			return nil
		}
		unit = common * buffers[i].Align()
	}
	sizes := make([]int64, len(buffers))
	for i := range sizes {
		sizes[i] = bound.Up(buffers[i].Size, unit)
	}
	return Deferred(w, tl, Sorted(w, tl, word), Sorted(w, tl, "e"), sizes)
}
