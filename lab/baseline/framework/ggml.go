package framework

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: this is the planner of llama.cpp's and whisper.cpp's compute buffers. The graph is walked once. A tensor is
// allocated when it is computed and released after its last reader. A request takes the free block that wastes least,
// and the highest one on a tie. The last block, which has no end, is taken only if no other is large enough. The rest
// of a block stays free, and a released block joins its free neighbours.
//
// The list of free blocks has room for 256. ggml aborts a program that needs more, so such a problem is refused here.
// The parameter blocks sets the room.
//
// Events at equal times: ends come before starts, both in the input's order.
//
// Invariant: the blocks are sorted by offset, no two touch, and the last has no end.
//
// Complexity: O(n · blocks).
//
// Source: ggml, ggml-alloc.c, ggml_dyn_tallocr (d99724f). Sizes there are multiples of one alignment (32 for CPUs,
// 128 for CUDA), which is the parameter round. If buffers have alignments of their own, the bytes before an aligned
// start belong to the buffer. Views, and results that are written over an operand, need the graph. A backend with a
// largest buffer gets up to 16 heaps; a problem has one.

// ggmlBlocks is the room of the list of free blocks.
const ggmlBlocks = 256

func init() {
	register(planner{
		name:    "ggml",
		summary: "online allocator: best fit; among equal holes the highest; the open end last",
		source:  "ggml (llama.cpp), ggml-alloc.c (d99724f)",
		round:   32,
		params: []param{
			{name: "blocks", otherwise: ggmlBlocks, least: 1, most: 1 << 40, summary: "maximum number of free blocks"},
		},
		place: ggml,
	})
}

func ggml(t *task) error {
	n := len(t.buffers)
	room := t.number("blocks")
	t.offsets = make([]int64, n)
	taken := make([]int64, n) // where the buffer's block began
	free := []chunk{{0, never}}
	ends := t.sorted(t.endsEarlier)
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		for ; t.buffers[ends[0]].Upper <= b.Lower; ends = ends[1:] {
			j := ends[0]
			free = join(free, chunk{taken[j], t.offsets[j] + t.buffers[j].Size})
			if int64(len(free)) > room {
				return fmt.Errorf("it has room for only %d free blocks", room)
			}
		}
		last := len(free) - 1
		best, least := last, never
		for k, f := range free[:last] {
			if f.to-bound.Up(f.from, b.Align()) >= b.Size && f.to-f.from <= least {
				best, least = k, f.to-f.from
			}
		}
		taken[i] = free[best].from
		t.offsets[i] = bound.Up(taken[i], b.Align())
		if free[best].from = t.offsets[i] + b.Size; free[best].from == free[best].to {
			free = slices.Delete(free, best, best+1)
		}
	}
	return nil
}
