package framework

import "github.com/stowage-go/stowage/internal/place"

// Idea: this is the only one of TFLite's strategies for GPUs that uses offsets. The largest tensor goes first. Each
// goes into the smallest hole between two tensors that share time with it, on a tie the lowest, or on top of all of
// them. The literature calls it greedy by size for offset calculation (Pisarchyk and Lee, arXiv 2001.03288).
//
// Complexity: that of place.Place; TFLite's own is O(n²).
//
// Source: TensorFlow Lite GPU delegate, greedy_by_size_assignment (LiteRT 0e9c7a5). Its sort is stable, so ties go to
// the input's order. It aligns ends by the alignment of the device; here starts are aligned by that of the buffer.

func init() {
	register(planner{
		name:    "tflite-greedy-by-size",
		summary: "largest first, each in the smallest hole that fits",
		source:  "TensorFlow Lite GPU, greedy_by_size offsets (LiteRT 0e9c7a5)",
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			return t.placeInOrder(t.sorted(t.larger), place.BestFit)
		},
	})
}
