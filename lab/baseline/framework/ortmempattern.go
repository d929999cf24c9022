package framework

import "github.com/stowage-go/stowage/internal/bound"

// Idea: ONNX Runtime runs a model once and records its allocations and releases in order. It then serves later runs
// of the same shapes from one block. The trace is planned while it is recorded, without knowledge of the future: an
// allocation goes into the hole between live blocks that wastes least, on a tie the lowest, or behind the last block.
//
// At equal times frees come before allocations, since lifespans are half-open. Allocations come in the order of the
// input.
//
// Invariant: live is sorted by offset and disjoint.
//
// Complexity: O(n · live).
//
// Source: ONNX Runtime, MemPatternPlanner (00ca168). What comes before it takes a graph and is left out: outputs that
// alias or may reuse an input in place. The free list of buffers of equal size is ort-reuse.

func init() {
	register(planner{
		name:    "ort-mempattern",
		summary: "online best fit over a trace; does not know when buffers end",
		source:  "ONNX Runtime, MemPatternPlanner (00ca168)",
		round:   256,
		place:   ortMemPattern,
	})
}

func ortMemPattern(t *task) error {
	t.offsets = make([]int64, len(t.buffers))
	var trace tracePlanner
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		t.offsets[i] = trace.take(b.Size, b.Align(), b.Lower, b.Upper)
	}
	return nil
}

// A tracePlanner plans a trace while it is written: the live blocks, by offset.
type tracePlanner []block

// take returns where an allocation goes.
func (p *tracePlanner) take(size, align, start, end int64) int64 {
	live := expire(*p, start)
	best, waste, current := int64(-1), never, int64(0)
	for k := range live {
		start := bound.Up(current, align)
		if left := live[k].from - start - size; left >= 0 && left < waste {
			best, waste = start, left
		}
		current = live[k].to
	}
	if best < 0 {
		best = bound.Up(current, align)
	}
	*p = enter(live, block{best, best + size, end})
	return best
}
