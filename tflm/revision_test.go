package tflm_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/tflm"
)

// TestRevisions: if a set of kernels is at the revision at which a library's order was read, both spell it alike.
func TestRevisions(t *testing.T) {
	alike := 0
	for _, s := range tflm.KnownSets() {
		k, _ := s.Order()
		_, revision := k.Source()
		if s.Version() == "" || !strings.HasPrefix(revision, s.Version()) {
			continue
		}
		if alike++; k.Revision() != s.Version() {
			t.Errorf("%s at %s, and its order at %s", s.Name(), s.Version(), k.Revision())
		}
	}
	if alike < 3 {
		t.Errorf("only %d", alike)
	}
}
