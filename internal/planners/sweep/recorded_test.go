package sweep

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "sweep", Nodes: 0, Params: []string{
		"waste=1.5",
	}}.Hold(t)
}
