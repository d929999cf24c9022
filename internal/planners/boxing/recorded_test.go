package boxing

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	recorded.Planner{Name: "boxing", Nodes: 2000, Params: []string{
		"tries=1", "waste=2", "fit=best", "start-address=64", "search=mcts",
	}, Quiet: []string{"without strips", "without cut-off", "without follow"}}.Hold(t)
}
