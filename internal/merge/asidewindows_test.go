package merge_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/plan"
)

// TestAsideWindows: two buffers that live together in the base with a part of their bytes may still meet in a section
// that was set aside, where they have more of them. plantest.Must verifies the plan.
func TestAsideWindows(t *testing.T) {
	for seed := uint64(410_000); seed < 410_040; seed++ {
		plantest.Must(t, &merge.Planner{}, drawn.Awkward(seed), plan.Options{NodeLimit: 20_000})
	}
}
