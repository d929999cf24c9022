package framework

// Idea: run XLA's heap (xlaheap.go) with both fits and three sorts, and keep the
// lowest plan, the first one of equals. The fits are the outer loop: best fit
// spatial, temporal, spatial-temporal, then lowest offset the same way.
//
// XLA runs it where a flag asks for it, for its default memory and a heap without
// limit; otherwise the sort default of xla-heap.
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
