package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestSuffixBoundSavesNodes refutes a problem whose sections have little room.
func TestSuffixBoundSavesNodes(t *testing.T) {
	saves(t, plantest.Aligned(56, 8), "suffix-bound", 151, 2258, "canonical", "dynamic-ordering")
}

// TestSuffixBoundIsTruthful fills sections to the last byte at the lowest height.
func TestSuffixBoundIsTruthful(t *testing.T) {
	truthful(t, 300, drawn(plantest.Aligned, 7), "canonical", "dynamic-ordering", "suffix-bound")
	truthful(t, 300, drawn(tapered, 7), "canonical", "dynamic-ordering", "suffix-bound")
}
