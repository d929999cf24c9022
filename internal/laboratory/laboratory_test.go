package laboratory_test

import (
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
)

// TestNames: the names are in order, and none is a planner of the product. A test of stowage-lab
// compares them with the planners of the laboratory.
func TestNames(t *testing.T) {
	names := laboratory.Names()
	if !slices.IsSorted(names) || len(names) < 50 {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		if !laboratory.Has(name) {
			t.Errorf("%s is not there", name)
		}
	}
	product := plan.Names()
	if want := []string{"auto", "beam", "boxing", "climb", "core", "exact", "first-fit", "merge", "minimalloc", "rows", "sweep", "tela"}; !slices.Equal(product, want) {
		t.Errorf("the product has %q, want %q", product, want)
	}
	for _, name := range append(product, "", " ", "bf", "fc", "bfc contention") {
		if laboratory.Has(name) {
			t.Errorf("%q is there", name)
		}
	}
}
