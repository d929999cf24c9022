package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestDecompositionSavesNodes refutes a problem that falls into parts.
func TestDecompositionSavesNodes(t *testing.T) {
	saves(t, plantest.Aligned(24, 8), "decomposition", 722, 1033, "canonical", "dynamic-ordering")
}

// TestDecompositionIsTruthful verifies plans that are put together from parts.
func TestDecompositionIsTruthful(t *testing.T) {
	truthful(t, 300, drawn(plantest.Aligned, 7), "canonical", "dynamic-ordering", "decomposition")
	truthful(t, 300, drawn(tapered, 7), "canonical", "dynamic-ordering", "decomposition")
}
