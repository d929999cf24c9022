package tela

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/plan"
)

// TestMoves follows what the search tells of itself, as exact's test does.
func TestMoves(t *testing.T) {
	var sum [5]int
	for seed := range plantest.Share[uint64](2000, 200, 40) {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok {
			continue
		}
		for _, capacity := range []int64{0, height, height - 1} {
			if capacity < 0 {
				continue
			}
			o := plan.Options{Capacity: capacity, NodeLimit: 3000}
			if seed%3 == 0 {
				o.NodeLimit = 1 + int64(seed)%50
			}
			for k, n := range plantest.Moves(t, Planner{}, p, o, false) {
				sum[k] += n
			}
		}
	}
	for _, kind := range []plan.MoveKind{plan.MoveBegin, plan.MovePlace, plan.MoveBack, plan.MovePlan} {
		if sum[kind] < 100 {
			t.Errorf("%d moves of kind %d", sum[kind], kind)
		}
	}
	t.Log(sum)
}
