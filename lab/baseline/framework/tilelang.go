package framework

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: TileLang merges the shared memory of a kernel by a scan through its statements, the largest buffer of a start
// first. A buffer takes the free block that wastes least, on a tie the lowest. The bytes before its aligned start
// count as waste. If no block is large enough, the arena grows: by what the free block at the top lacks, or by the
// whole buffer if the top is in use.
//
// Invariant: free is sorted by offset, and no two blocks touch.
//
// Complexity: O(n · free).
//
// Source: TileLang, src/transform/merge_shared_memory_allocations.cc, LinearScanPack
// (a35008a). Its alignment is 16, or what an instruction asks for.

func init() {
	register(planner{
		name:    "tilelang",
		summary: "by start, largest first, each in the smallest free block that fits, or in the top block, which grows",
		source:  "TileLang, merge_shared_memory_allocations.cc (a35008a)",
		place:   tilelang,
	})
}

func tilelang(t *task) error {
	t.offsets = make([]int64, len(t.buffers))
	name := func(a, b int) int { return strings.Compare(t.buffers[a].ID, t.buffers[b].ID) }
	var (
		free []chunk
		top  int64
	)
	release := func(j int32) { free = join(free, chunk{t.offsets[j], t.offsets[j] + t.buffers[j].Size}) }
	for i := range t.replay(t.sorted(keys(t.earlier, t.larger, name)), t.sorted(t.endsEarlier), release) {
		b := &t.buffers[i]
		best, waste := -1, never
		for k, f := range free {
			if f.to-bound.Up(f.from, b.Align()) >= b.Size && f.size()-b.Size < waste {
				best, waste = k, f.size()-b.Size
			}
		}
		if last := len(free) - 1; best < 0 && last >= 0 && free[last].to == top &&
			bound.Up(free[last].from, b.Align()) < top {
			best = last
		}
		f := chunk{top, top}
		if best >= 0 {
			f = free[best]
			free = slices.Delete(free, best, best+1)
		}
		at := bound.Up(f.from, b.Align())
		t.offsets[i] = at
		top = max(top, at+b.Size)
		for _, left := range [...]chunk{{f.from, at}, {at + b.Size, f.to}} {
			if left.size() > 0 {
				free = join(free, left)
			}
		}
	}
	return nil
}
