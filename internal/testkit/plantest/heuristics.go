package plantest

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
)

// searches are the planners that go on as long as they may, or until they are satisfied. Their nodes are not
// placements.
var searches = []string{
	"auto", "beam", "boxing", "climb", "core", "cp", "csp", "exact", "merge", "meta-csp", "milp", "minimalloc", "tela",
	"tflite-objects-min-cost-flow", // makes one plan, in cubic time
	"tvm-hill-climb", "vela-hill-climb", "vela-regor",
}

// Heuristics are the names of the registered planners that make one plan, or a few, whatever the limits.
func Heuristics() []string {
	var names []string
	for _, p := range run.All() {
		if name := p.Info().Name; !slices.Contains(searches, name) {
			names = append(names, name)
		}
	}
	return names
}
