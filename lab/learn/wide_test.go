package learn

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

func TestWide(t *testing.T) {
	plantest.Oracle{
		Planner: Planner{}, Seeds: plantest.Share[uint64](300, 100), Heuristic: true, Keep: []string{"completion"},
		Params: map[string][]string{"model-after": {"0", "3"}, "below-threshold": {"spread", "rules"}, "score-threshold": {"0", "1"}},
	}.Run(t)
}
