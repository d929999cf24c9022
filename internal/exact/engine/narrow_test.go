package engine

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestNarrowAtScale minimises problems whose windows interlock and whose heights are up to 1e18: a bound that rises
// by one height a round would never arrive, and neither would offsets that push each other up by their alignment.
func TestNarrowAtScale(t *testing.T) {
	for _, seed := range []uint64{1934, 3147, 4670, 24850, 37503} {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		r, err := run.Run(context.Background(), (&Planner{}), timeline.New(p), plan.Options{NodeLimit: 1 << 18})
		if err != nil || !ok || r.Status != model.Optimal || r.Height != height {
			t.Errorf("seed %d: %s at %d after %d nodes, %v; the lowest is %d", seed, r.Status, r.Height, r.Stats.Nodes,
				err, height)
		}
	}
}
