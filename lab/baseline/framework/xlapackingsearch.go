package framework

// Idea: XLA's heap (xlaheap.go) runs with both fits and three sorts, and the lowest plan is kept, on a tie the first
// one. The order is: best fit with spatial, temporal, spatial-temporal, then lowest offset with the same sorts.
//
// XLA runs it on a flag, for its default memory and a heap without limit. Otherwise it runs the sort default of
// xla-heap.
//
// Complexity: six times that of xla-heap.
//
// Source: XLA, CreateHeapWithPackingSearch (heap_simulator 0e06ac8).

func init() {
	register(planner{
		name:    "xla-packing-search",
		summary: "xla-heap with three sort orders and both fits; the lowest plan counts",
		source:  "XLA, CreateHeapWithPackingSearch (0e06ac8)",
		gaps:    true,
		fixed:   true,
		place:   func(t *task) error { return t.xlaBest([]int{0, 1, 2}, []int{0, 1}) },
	})
}
