package house_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Idea: what a planner claims is checked and completed in one place, run.Run. So a planner that
// runs another one, and everything else that runs a planner, goes through that door: it never
// calls the method Plan itself.
//
// The test reads the source without types: a call of a method Plan with three arguments is one
// of a planner.

// delegates are the planners that only make another one ready and are it, under their name. The
// run of such a planner is already inside run.Run.
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

// TestOneDoor holds that planners are called through run.Run, in the product and in the laboratory.
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
