package climb

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "climb", Nodes: 3000, Quiet: []string{
		"without rebuild", "without crests", // they are for some thousand buffers
	}, Params: []string{
		"random=100",
	}}.Hold(t)
}
