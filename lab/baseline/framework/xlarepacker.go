package framework

import "github.com/stowage-go/stowage/internal/place"

// Idea: if XLA's memory space assignment finds no room, it takes all that is placed so far and packs it anew with the
// same heap (xlaheap.go), by best fit, the longest lifespan first. Ties go to the larger block, then to the block's
// id, which is the order of the input here. Times are the program's own, not the clock of the heap simulator.
//
// The former plan plays no part, so the new one may be higher. XLA's repacker fails if its heap grows past a limit;
// here that is a plan above the capacity.
//
// Complexity: that of place.Place.
//
// Source: XLA, memory_space_assignment best_fit_repacker (13fddba) and allocation_block (0e06ac8). Sliced blocks are
// left out, and colocated ones, which alone are ordered by start, end and the offset of before.

func init() {
	register(planner{
		name:    "xla-repacker",
		summary: "longest first, each in the smallest hole that fits",
		source:  "XLA, MemorySpaceAssignmentBestFitRepacker (13fddba)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			return t.placeInOrder(t.sorted(keys(t.longer, t.larger)), place.BestFit)
		},
	})
}
