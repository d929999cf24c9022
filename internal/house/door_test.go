package house_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Idea: a planner's result is checked and completed in one place, run.Run. So everything that runs a planner, other
// planners included, goes through that door and never calls the method Plan itself.
//
// The test reads the source without types: it takes a call of any method Plan with three arguments for a planner's.

// delegates are the planners that only prepare another planner and call it, under their own name. Such a run is
// already inside run.Run.
var delegates = map[string]string{
	"internal/exact": "exact is the engine with turns of merge",
}

// around returns the place of each call of a planner that goes around run.Run.
func (h *house) around(delegates map[string]string) (calls []string) {
	for _, folder := range slices.Sorted(maps.Keys(h.rooms)) {
		if folder == "internal/run" || delegates[folder] != "" {
			continue
		}
		for _, file := range h.rooms[folder].files {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
					if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Plan" {
						calls = append(calls, h.fset.Position(call.Pos()).String())
					}
				}
				return true
			})
		}
	}
	return calls
}

// TestOneDoor: planners are called through run.Run, in the product and in the laboratory.
func TestOneDoor(t *testing.T) {
	h := newHouse(t, goFolders(t), nil)
	for _, call := range h.around(delegates) {
		t.Errorf("%s: a planner is called by its method Plan; call run.Run", call)
	}
	// Without the exceptions their calls are found.
	found := strings.Join(h.around(nil), "\n")
	for folder := range delegates {
		if !strings.Contains(found, folder+"/") {
			t.Errorf("%s calls no planner: it needs no exception", folder)
		}
	}
}
