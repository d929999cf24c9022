package framework

import "github.com/stowage-go/stowage/internal/bound"

// Idea: nntrainer goes through its requests by start, the first to end first, and drops
// what has ended. A request takes the first hole between live ones that holds it, or the
// top.
//
// Complexity: O(n · live).
//
// Source: nntrainer, OptimizedV3Planner (65dccde). Equal starts and ends go to the
// input's order; its sort is not stable.

func init() {
	register(planner{
		name:    "nntrainer",
		summary: "by start, first to end first, each in the lowest hole between live ones",
		source:  "nntrainer, OptimizedV3Planner (65dccde)",
		place:   nntrainer,
	})
}

func nntrainer(t *task) error {
	t.offsets = make([]int64, len(t.buffers))
	var live []block // by offset
	for _, i := range t.sorted(keys(t.earlier, t.endsEarlier)) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		live = expire(live, b.Lower)
		at := int64(0)
		for k := 0; k < len(live) && live[k].from < at+b.Size; k++ {
			at = bound.Up(live[k].to, b.Align())
		}
		t.offsets[i] = at
		live = enter(live, block{at, at + b.Size, b.Upper})
	}
	return nil
}
