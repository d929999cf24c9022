package minimalloc

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "minimalloc", Nodes: 300, Params: []string{
		"orders=CLO,U,Z",
	}, Quiet: []string{"without hatless"}}.Hold(t)
}
