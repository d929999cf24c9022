package framework

import (
	"slices"
	"sort"
)

// Idea: MNN's second allocator is for memory that needs an address at once: weights and, on request, results. A
// request takes the smallest free piece that holds it, on a tie the oldest, and cuts it. Without one, it gets new
// memory from the system. Pieces are joined only if all parts of a cut are free again, not if two neighbours are.
//
// As offsets, what comes from the system lies one above the other.
//
// At equal times releases come first, both in the order of the input.
//
// Invariant: a piece that was cut counts the parts of it that are in use, or were cut.
//
// Complexity: O(log n) to find a piece; O(free) where pieces are joined.
//
// Source: MNN, source/core/BufferAllocator.cpp, EagerBufferAllocator (4d40bdb), without
// its groups for threads. Sizes are rounded up as for mnn-defer.

func init() {
	register(planner{
		name:    "mnn-eager",
		summary: "online allocator: best fit over pieces that are joined again only as they were cut",
		source:  "MNN, EagerBufferAllocator (4d40bdb)",
		round:   64,
		place:   mnnEager,
	})
}

// A mnnPiece is a stretch of memory.
type mnnPiece struct {
	offset, size int64
	whole        int32 // that it was cut from, -1 for none
	uses         int32 // how many of its parts are in use
}

// mnnHeap is the allocator.
type mnnHeap struct {
	pieces []mnnPiece
	free   []int32 // by size, then by turn
	top    int64
}

func mnnEager(t *task) error {
	sizes, err := t.units()
	if err != nil {
		return err
	}
	h := &mnnHeap{}
	of := make([]int32, len(sizes))
	offsets := make([]int64, len(sizes))
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), func(j int32) { h.release(of[j]) }) {
		of[i] = h.request(sizes[i])
		offsets[i] = h.pieces[of[i]].offset
	}
	t.offsets = offsets
	return nil
}

func (h *mnnHeap) search(size int64) int {
	return sort.Search(len(h.free), func(at int) bool { return h.pieces[h.free[at]].size >= size })
}

func (h *mnnHeap) enter(k int32) { h.free = slices.Insert(h.free, h.search(h.pieces[k].size+1), k) }

func (h *mnnHeap) add(p mnnPiece) int32 {
	h.pieces = append(h.pieces, p)
	return int32(len(h.pieces) - 1)
}

// request returns a piece of a size.
func (h *mnnHeap) request(size int64) int32 {
	at := h.search(size)
	if at == len(h.free) {
		h.top += size
		return h.add(mnnPiece{offset: h.top - size, size: size, whole: -1})
	}
	k := h.free[at]
	h.free = slices.Delete(h.free, at, at+1)
	if whole := h.pieces[k].whole; whole >= 0 {
		h.pieces[whole].uses++
	}
	p := h.pieces[k]
	if p.size == size {
		return k
	}
	h.pieces[k].uses++
	first := h.add(mnnPiece{offset: p.offset, size: size, whole: k})
	h.enter(h.add(mnnPiece{offset: p.offset + size, size: p.size - size, whole: k}))
	return first
}

// release frees a piece. If no part of the piece that it was cut from is in use, that is freed as well.
func (h *mnnHeap) release(k int32) {
	h.enter(k)
	for whole := h.pieces[k].whole; whole >= 0; whole = h.pieces[whole].whole {
		if h.pieces[whole].uses--; h.pieces[whole].uses > 0 {
			return
		}
		h.free = slices.DeleteFunc(h.free, func(k int32) bool { return h.pieces[k].whole == whole })
		h.enter(whole)
	}
}
