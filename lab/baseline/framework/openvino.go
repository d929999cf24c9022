package framework

import "github.com/stowage-go/stowage/internal/place"

// Idea: OpenVINO's memory solver sees boxes in time × memory. It compresses the time stamps and takes the largest box
// first. It puts the box at the bottom, and lifts it on top of any box that it meets, until it meets none. The box
// cannot rest anywhere below the end of a box that it meets, so it comes to rest at the lowest free offset. This is
// first fit.
//
// Only ties are special: before the sort by size, boxes are sorted by start and finish. The sort by size is not
// stable in OpenVINO; here it is.
//
// Complexity: that of place.Place; OpenVINO's own is O(n · slots) a pass.
//
// Source: OpenVINO, runtime/memory_solver (138a71f). A finish of -1, for a box
// that lives to the end, is a matter of reading.

func init() {
	register(planner{
		name:    "openvino",
		summary: "largest first, then by start, each raised above every buffer that it conflicts with",
		source:  "OpenVINO, MemorySolver (138a71f)",
		round:   32,
		gaps:    true,
		fixed:   true,
		place: func(t *task) error {
			return t.placeInOrder(t.sorted(keys(t.larger, t.earlier, t.endsEarlier)), place.FirstFit)
		},
	})
}
