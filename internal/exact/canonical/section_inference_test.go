package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestFloorsSaveNodes refutes problems with one floor of the section inference after the other.
func TestFloorsSaveNodes(t *testing.T) {
	saves(t, plantest.Aligned(56, 8), "section-inference", 234, 2258, "canonical", "dynamic-ordering")
	saves(t, plantest.Aligned(12, 8), "unallocated-floor", 10, 12, "canonical", "dynamic-ordering", "section-inference")
	saves(t, plantest.Aligned(47, 8), "monotonic-floor", 127, 322, "canonical", "dynamic-ordering", "section-inference")
}

// TestFloorsAreTruthful fills sections to the last byte at the lowest height.
func TestFloorsAreTruthful(t *testing.T) {
	on := []string{"canonical", "dynamic-ordering", "section-inference", "unallocated-floor", "monotonic-floor"}
	truthful(t, 300, drawn(plantest.Aligned, 7), on...)
	truthful(t, 300, drawn(tapered, 7), on...)
}
