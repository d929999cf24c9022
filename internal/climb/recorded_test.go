package climb

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds what each setting decides, and that no setting proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "climb", Nodes: 3000, Params: []string{
		"random=100",
	}}.Hold(t)
}
