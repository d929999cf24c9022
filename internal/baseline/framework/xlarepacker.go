package framework

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/place"
)

// Idea: when XLA's memory space assignment finds no room, it takes all that is
// placed so far and packs it anew with the same heap (xlaheap.go), best fit, the
// longest lifespan first. Ties go to the larger buffer, then to the one that
// starts first, ends first, and lay lowest before.
//
// Where a plan to improve on is given (Options.Start), its offsets are those of
// before; all 0 otherwise. They break ties and no more: the new plan may be
// higher than the old one. That the repacker fails where its heap grows past a
// limit is a plan above the capacity here.
//
// Complexity: that of place.Place.
//
// Source: XLA, memory_space_assignment best_fit_repacker (13fddba). Sliced
// blocks are left out.

func init() {
	register(planner{
		name:    "xla-repacker",
		summary: "longest first, each in the tightest hole",
		source:  "XLA, MemorySpaceAssignmentBestFitRepacker (13fddba)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			before := func(a, b int) int { return 0 }
			if len(t.opts.Start) == len(t.buffers) {
				before = func(a, b int) int { return cmp.Compare(t.opts.Start[a], t.opts.Start[b]) }
			}
			order := t.sorted(keys(t.longer, t.larger, t.earlier, t.endsEarlier, before))
			return t.placeInOrder(order, place.BestFit)
		},
	})
}
