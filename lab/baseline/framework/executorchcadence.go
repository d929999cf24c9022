package framework

import "github.com/stowage-go/stowage/internal/place"

// Idea: ExecuTorch's backend for Cadence plans tensors by decreasing size over a hierarchy of memories, each tensor
// into the fastest that has room. In one memory that is first fit: a tensor that meets another jumps to its end. The
// other algorithm there is greedy by size for offset calculation, that is, best fit.
//
// Complexity: that of place.Place.
//
// Source: ExecuTorch 1.5.1, backends/cadence/aot/memory_planning.py,
// PositionBasedGreedyWithHierarchy and GreedyWithHeuristic. A problem has one memory, and
// constraints between tensors have no place in it yet. Sorts are stable.

func init() {
	register(planner{
		name:    "executorch-cadence",
		summary: "largest first, each in the lowest hole or in the smallest one",
		source:  "ExecuTorch 1.5.1, Cadence memory planning",
		params: []param{
			{name: "algorithm", words: []string{"position", "heuristic"}, summary: "position: first fit; heuristic: best fit"},
		},
		gaps:  true,
		fixed: true,
		place: func(t *task) error {
			return t.placeInOrder(t.sorted(t.larger), []place.Fit{place.FirstFit, place.BestFit}[t.choice("algorithm")])
		},
	})
}
