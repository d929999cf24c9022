package command

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/sweep/spec"
)

// TestPlanners: stowage-sweep has the planners of the product, and its examples name no others. The
// specifications that name others are read by a test of stowage-lab.
func TestPlanners(t *testing.T) {
	for _, name := range []string{"auto", "boxing", "exact", "minimalloc", "tela"} {
		if !slices.Contains(plannerNames(), name) {
			t.Errorf("%s is missing", name)
		}
	}
	t.Setenv("STOWAGE_DATA", t.TempDir())
	t.Setenv("STOWAGE_MODELS", t.TempDir())
	files, err := filepath.Glob(filepath.Join("..", "examples", "*.yaml"))
	if err != nil || len(files) < 2 {
		t.Errorf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		if _, err := spec.Read(file, plannerNames()); err != nil {
			t.Error(err)
		}
	}
}
