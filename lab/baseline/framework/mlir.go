package framework

import "github.com/stowage-go/stowage/internal/bound"

// Idea: MLIR goes through allocations by start. Each takes the gap between live ones that wastes least, and the
// lowest on a tie. The gap between the highest live allocation and the highest byte ever used counts, too. The arena
// grows only if no gap is large enough.
//
// Invariant: live is sorted by offset and disjoint; top is the height so far.
//
// Complexity: O(n · live); the source looks at all that were placed before.
//
// Source: LLVM, mlir/lib/Dialect/Bufferization/Transforms/StaticMemoryPlanning.cpp, bestFitMemoryPlanner (ae2d14a, pull
// request 207403). Its sort is not stable; equal starts go to the input's order. Its trivialMemoryPlanner is
// tflm-linear with alignments. What pull request 95882 offered is onednn-graph.

func init() {
	register(planner{
		name:    "mlir",
		summary: "by start, each in the smallest gap below the highest byte so far",
		source:  "LLVM, MLIR static memory planning, best fit (ae2d14a)",
		place:   mlir,
	})
}

func mlir(t *task) error {
	t.offsets = make([]int64, len(t.buffers))
	var (
		live []block // by offset
		top  int64
	)
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		live = expire(live, b.Lower)
		best, gap, current := int64(-1), never, int64(0)
		for k := range live {
			start := bound.Up(current, b.Align())
			if room := live[k].from - start; room >= b.Size && room < gap {
				best, gap = start, room
			}
			current = live[k].to
		}
		current = bound.Up(current, b.Align())
		if best < 0 || current+b.Size <= top && top-current < gap {
			best = current
		}
		t.offsets[i] = best
		live = enter(live, block{best, best + b.Size, b.Upper})
		top = max(top, best+b.Size)
	}
	return nil
}
