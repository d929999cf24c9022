package exact

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "exact", Nodes: 400, Params: []string{
		"orders=TAW,WAT", "orders=CLO,U,Z",
	}, Quiet: []string{ // the tests of internal/exact/canonical, ladder and clauses hold each of these by itself
		"without section-inference", "without monotonic-floor", "without unallocated-floor", "without hatless", "without memo",
		"without spares", "without clauses", "without cliques", "without stacks",
	}}.Hold(t)
}
