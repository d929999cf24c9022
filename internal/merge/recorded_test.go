package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/model"
)

// TestRecorded: each setting decides as recorded, and none proves what another one refutes.
func TestRecorded(t *testing.T) {
	pairs, _ := packing(t, 40, 6, 1) // composites with ties
	recorded.Planner{Name: "merge", Nodes: 400, Larger: []*model.Problem{pairs}, Params: []string{
		"nodes=1",
		// 400 nodes are too few for parts, for persistence and for lone: TestParts, TestPersistence, TestLone
	}, Quiet: []string{"without halving", "without lone", "without parts", "without persistence"}}.Hold(t)
}
