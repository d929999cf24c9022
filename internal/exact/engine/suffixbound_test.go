package engine

import "testing"

// TestSuffixBoundSavesNodes refutes a problem whose sections have little room.
func TestSuffixBoundSavesNodes(t *testing.T) {
	saves(t, aligned(56, 8), "suffix-bound", 151, 2258, "canonical", "dynamic-ordering")
}

// TestSuffixBoundIsTruthful fills sections to the last byte at the lowest height.
func TestSuffixBoundIsTruthful(t *testing.T) {
	truthful(t, 300, drawn(aligned, 7), "canonical", "dynamic-ordering", "suffix-bound")
	truthful(t, 300, drawn(tapered, 7), "canonical", "dynamic-ordering", "suffix-bound")
}
