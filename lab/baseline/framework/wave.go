package framework

import "github.com/stowage-go/stowage/internal/place"

// Idea: IREE wave assigns shared memory by first fit, the largest allocation first, with a stable sort. If a start is
// taken, it jumps to the highest end of the allocations in its way. Nothing is lost by passing the lower ends,
// because all these allocations are in the way of any start below.
//
// The planner first-fit of this project is the same algorithm. A test checks that the two make the same plan on every
// problem.
//
// Complexity: that of place.Place; wave's own is O(n²).
//
// Source: IREE wave (ceaa2b5), shared memory allocation. Wave knows no alignment.

func init() {
	register(planner{
		name:    "wave",
		summary: "largest first, each at the lowest free offset (the same plans as first-fit)",
		source:  "IREE wave, minimize shared allocs (ceaa2b5)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			return t.placeInOrder(t.sorted(t.larger), place.FirstFit)
		},
	})
}
