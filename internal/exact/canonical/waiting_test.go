package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestWaitingSavesNodes refutes a problem with and without the canonical bound.
func TestWaitingSavesNodes(t *testing.T) {
	saves(t, plantest.Aligned(24, 8), "canonical", 1033, 6401, "dynamic-ordering")
}

// TestWaitingIsTruthful has ties of offsets, which ranks decide.
func TestWaitingIsTruthful(t *testing.T) {
	truthful(t, 300, drawn(plantest.Aligned, 7), "canonical", "dynamic-ordering")
	truthful(t, 300, drawn(tapered, 7), "canonical", "dynamic-ordering")
}
