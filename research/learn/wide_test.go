package learn

import (
	"testing"

	"github.com/stowage-go/stowage/internal/plantest"
)

func TestWide(t *testing.T) {
	plantest.Oracle{
		Planner: Planner{}, Seeds: 300, Heuristic: true, Keep: []string{"completion"},
		Params: map[string][]string{"model-after": {"0", "3"}, "below-threshold": {"spread", "rules"}, "score-threshold": {"0", "1"}},
	}.Run(t)
}
