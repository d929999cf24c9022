package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "merge", Nodes: 400, Params: []string{
		"nodes=1",
	}}.Hold(t)
}
