package milp

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestWide has numbers that doubles do not tell apart; the planner then decides nothing.
func TestWide(t *testing.T) {
	plantest.Oracle{
		Planner: planner{}, Seeds: plantest.Share[uint64](80, 12), Nodes: 1000,
		Params: map[string][]string{"formulation": {"paper", "tight"}},
	}.Run(t)
}
