package tela

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "tela", Nodes: 1000, Params: []string{
		"strategy=lifetime", "strategy=size", "strategy=area", "strategy=lowest", "candidates=1", "stuck-after=3",
		"threshold-step=40", "restart-after=20", "sections-after=0",
	}, Quiet: []string{"without widening", "without restarts"}}.Hold(t)
}
