package greedy

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "first-fit", Nodes: 0, Params: []string{
		"order=A", "order=B", "order=C", "order=e", "order=G", "order=O", "order=T", "order=Uz", "order=WZ", "fit=best",
	}}.Hold(t)
}
