package npm

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/placed"
)

// TestOrders: Order places drawn families as Go does, at sizes of the family and at others, and has the same formulas.
func TestOrders(t *testing.T) {
	nodeOrSkip(t)
	pages(t)
	tests(t, "the same orders", "STOWAGE_ORDERS="+placed.File(t))
}
