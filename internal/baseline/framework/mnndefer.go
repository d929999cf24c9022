package framework

import (
	"slices"
	"sort"
)

// Idea: MNN plans the memory of a run before it has any. Requests are chunks in a row
// without addresses. One takes the smallest free chunk that holds it and leaves the rest
// free; where none does, the largest free chunk grows and pushes all that is to its right;
// only where nothing is free the row gets longer. A chunk that comes back is made one with
// its free neighbours, as a part of the left one at an offset in it. In the end all are
// released, and the parts get their addresses from the chunk that is left.
//
// A chunk that is cut shorter keeps the parts that were made one with it: they have ended.
//
// At equal times releases come before requests, both in the order of the input, and
// releases at the end in the order of the ends.
//
// Invariant: the row is doubly linked, no two free chunks touch, and the free list is
// sorted by size, those of one size in the order in which they became free.
//
// Complexity: O(log n) to find a chunk, O(free chunks) to enter it.
//
// Source: MNN, source/core/BufferAllocator.cpp, DeferBufferAllocator (4d40bdb), which is
// its default for what a run needs. Sizes are multiples of 64 there, the parameter round;
// here they are also rounded up to a common multiple of the alignments, for a chunk that
// moves must stay aligned.

func init() {
	register(planner{
		name:    "mnn-defer",
		summary: "chunks that have no address yet: best fit, or else the largest grows",
		source:  "MNN, DeferBufferAllocator (4d40bdb)",
		round:   64,
		place:   mnnDefer,
	})
}

// A mnnChunk is a chunk of the row, or was one.
type mnnChunk struct {
	size, offset int64 // the offset is one in the chunk that it is part of, until the end
	left, right  int32 // neighbours, -1 for none
	used         bool
	parts        []int32
}

// mnnRow is the row of chunks.
type mnnRow struct {
	chunks []mnnChunk
	tail   int32
	free   []int32 // by size
}

func mnnDefer(t *task) error {
	sizes, err := t.units()
	if err != nil {
		return err
	}
	r := &mnnRow{tail: -1}
	of := make([]int32, len(sizes))
	ends := t.sorted(t.endsEarlier)
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		for ; t.buffers[ends[0]].Upper <= t.buffers[i].Lower; ends = ends[1:] {
			r.release(of[ends[0]])
		}
		of[i] = r.request(sizes[i])
	}
	for _, i := range ends {
		if t.stopped() {
			return errStopped
		}
		r.release(of[i])
	}
	// One chunk is left; what is part of another comes after it.
	for parts := []int32{r.tail}; len(parts) > 0; {
		k := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		for _, p := range r.chunks[k].parts {
			r.chunks[p].offset += r.chunks[k].offset
			parts = append(parts, p)
		}
	}
	t.offsets = make([]int64, len(sizes))
	for i, k := range of {
		t.offsets[i] = r.chunks[k].offset
	}
	return nil
}

// request returns a chunk of a size.
func (r *mnnRow) request(size int64) int32 {
	if len(r.free) == 0 {
		return r.put(mnnChunk{size: size, used: true}, r.tail)
	}
	at := min(r.search(size), len(r.free)-1)
	k := r.free[at]
	r.free = slices.Delete(r.free, at, at+1)
	r.chunks[k].used = true
	if rest := r.chunks[k].size - size; rest > 0 {
		r.enter(r.put(mnnChunk{size: rest}, k))
	}
	r.chunks[k].size = size
	return k
}

// put adds a chunk to the right of another, -1 for none.
func (r *mnnRow) put(c mnnChunk, left int32) int32 {
	k := int32(len(r.chunks))
	c.left, c.right = left, -1
	if left >= 0 {
		c.right = r.chunks[left].right
		r.chunks[left].right = k
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
func (r *mnnRow) release(k int32) {
	if left := r.chunks[k].left; left >= 0 && !r.chunks[left].used {
		r.leave(left)
		r.fuse(left, k)
		k = left
	}
	if right := r.chunks[k].right; right >= 0 && !r.chunks[right].used {
		r.leave(right)
		r.fuse(k, right)
	}
	r.chunks[k].used = false
	r.enter(k)
}

// fuse makes a chunk part of its left neighbour.
func (r *mnnRow) fuse(left, right int32) {
	l, c := &r.chunks[left], &r.chunks[right]
	c.offset = l.size
	l.size += c.size
	l.parts = append(l.parts, right)
	if l.right = c.right; l.right >= 0 {
		r.chunks[l.right].left = left
	} else {
		r.tail = left
	}
}

// search returns where the free chunks of a size begin.
func (r *mnnRow) search(size int64) int {
	return sort.Search(len(r.free), func(at int) bool { return r.chunks[r.free[at]].size >= size })
}

func (r *mnnRow) enter(k int32) { r.free = slices.Insert(r.free, r.search(r.chunks[k].size+1), k) }

func (r *mnnRow) leave(k int32) {
	at := r.search(r.chunks[k].size)
	at += slices.Index(r.free[at:], k)
	r.free = slices.Delete(r.free, at, at+1)
}
