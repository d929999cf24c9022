package framework

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: an online best fit. Live ranges come by start, those that end last first. Ranges that have ended are dropped.
// The new one goes into the smallest hole between live ones that holds it, on a tie the lowest, or on top.
//
// Sizes are rounded up to the alignment to see whether a hole is large enough.
//
// Invariant: live is sorted by offset and disjoint.
//
// Complexity: O(n · live).
//
// Source: Arm Vela, greedy_allocation (Python, a6f6566; the same in 5.2). Ties go
// to the smaller size, then to the name, then to the input.

func init() {
	register(planner{
		name:    "vela-greedy",
		summary: "by start, longest first, each in the smallest hole between live buffers that fits",
		source:  "Arm Vela, GreedyAllocator (a6f6566)",
		round:   16,
		place:   velaGreedy,
	})
}

// A block is a live buffer of an online planner.
type block struct {
	from, to int64 // bytes
	end      int64 // one past its last slot
}

// expire drops the blocks of buffers that have ended.
func expire(live []block, now int64) []block {
	return slices.DeleteFunc(live, func(l block) bool { return l.end <= now })
}

// enter adds a block to a list by offset.
func enter(live []block, b block) []block {
	k, _ := slices.BinarySearchFunc(live, b.from, func(l block, from int64) int { return cmp.Compare(l.from, from) })
	return slices.Insert(live, k, b)
}

func velaGreedy(t *task) error {
	endsLater := func(a, b int) int { return t.endsEarlier(b, a) }
	smaller := func(a, b int) int { return t.larger(b, a) }
	name := func(a, b int) int { return strings.Compare(t.buffers[a].ID, t.buffers[b].ID) }
	t.offsets = make([]int64, len(t.buffers))
	var live []block // by offset
	for _, i := range t.sorted(keys(t.earlier, endsLater, smaller, name)) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		align := b.Align()
		live = expire(live, b.Lower)
		var top, current int64
		for k := range live {
			top = max(top, live[k].to)
		}
		best, hole, size := bound.Up(top, align), never, bound.Up(b.Size, align)
		for k := range live {
			start := bound.Up(current, align)
			if start+size <= live[k].from && live[k].from-start < hole {
				best, hole = start, live[k].from-start
			}
			current = live[k].to
		}
		t.offsets[i] = best
		live = enter(live, block{best, best + b.Size, b.Upper})
	}
	return nil
}
