package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestNotFirstSavesNodes refutes a problem whose sections have little room.
func TestNotFirstSavesNodes(t *testing.T) {
	saves(t, plantest.Aligned(13, 8), "not-first", 29, 87, "canonical", "dynamic-ordering")
}

// TestNotFirstIsTruthful has the rule alone, so that nothing hides a false bound.
func TestNotFirstIsTruthful(t *testing.T) {
	truthful(t, 300, drawn(plantest.Aligned, 7), "canonical", "dynamic-ordering", "not-first")
	truthful(t, 300, drawn(tapered, 7), "canonical", "dynamic-ordering", "not-first")
}
