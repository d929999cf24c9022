package framework

import (
	"slices"

	"github.com/stowage-go/stowage/internal/place"
)

// Idea: the planner that TensorFlow Lite Micro runs on the device. Buffers planned offline (fixed offsets here) go
// first, in the order of the input. The others are listed in reverse order and then sorted by decreasing size with a
// bubble sort, which is stable; so among equal sizes the last one of the input goes first. Each takes the first hole
// that holds it, from the bottom up.
//
// Complexity: that of place.Place; TFLM's own is O(n²) for both the sort and the placement.
//
// Source: TensorFlow Lite Micro, greedy_memory_planner (90b983c). Sizes are
// rounded to 16 before they get there: the parameter round.

func init() {
	register(planner{
		name:    "tflm-greedy",
		summary: "largest first, among equal sizes the last in the input first, each in the first hole",
		source:  "TensorFlow Lite Micro, GreedyMemoryPlanner (90b983c)",
		round:   16,
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			order := t.inOrder()
			slices.Reverse(order)
			if !place.Sort(t.watch, order, func(a, b int32) int { return t.larger(int(a), int(b)) }) {
				return errStopped
			}
			return t.placeInOrder(order, place.FirstFit)
		},
	})
}
