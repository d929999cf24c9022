package framework

// Idea: nntrainer goes through its requests by start, the first to end first, and drops what has ended. A request takes
// the first hole between live ones that holds it, or the top.
//
// Complexity: O(n · live).
//
// Source: nntrainer, OptimizedV3Planner (65dccde). Equal starts and ends go to the
// input's order; its sort is not stable.

func init() {
	register(planner{
		name:    "nntrainer",
		summary: "by start, then by end, each in the lowest hole between live buffers",
		source:  "nntrainer, OptimizedV3Planner (65dccde)",
		place:   func(t *task) error { return t.lowestHoles(t.sorted(keys(t.earlier, t.endsEarlier))) },
	})
}
