package framework

// Idea: IREE packs the slices of a transient resource the way TFLite's arena does (arena.go), but in the order of their
// lifetimes: by first use, then by last. That is an online best fit which knows the ends.
//
// Complexity: O(n²).
//
// Source: IREE, Stream/Transforms/LayoutSlices (b48a595): the packing of slices
// with static sizes. Its comment says that the algorithm is TFLite's.
//
// What is left out: slices whose sizes are known at run time only, which IREE puts into bins of equal size.

func init() {
	register(planner{
		name:    "iree-layout-slices",
		summary: "in the order of first use, each in the smallest hole that fits",
		source:  "IREE, Stream LayoutSlices (b48a595)",
		round:   64,
		fixed:   true,
		place: func(t *task) error {
			t.offsets = make([]int64, len(t.buffers))
			return newArena(t).fill(t.sorted(keys(t.earlier, t.endsEarlier)), false)
		},
	})
}
