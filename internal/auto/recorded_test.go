package auto

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "auto", Nodes: 100, Quiet: []string{
		"without beam", "without rows", // no problem has as many buffers: see TestBeamHasTurns and TestRowsHasTurns
	}}.Hold(t)
}
