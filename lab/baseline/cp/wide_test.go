package cp

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

func TestWide(t *testing.T) {
	plantest.Oracle{
		Planner: planner{}, Seeds: plantest.Share[uint64](1500, 500), Nodes: 5000,
		Params: map[string][]string{"branch": {"orders", "offsets"}},
	}.Run(t)
}
