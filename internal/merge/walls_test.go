package merge

import (
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/plan"
)

// TestWalls plans packings that no cut or wheel makes, and some with holes: those in
// which each moment has one wall without a guess, in a pass.
func TestWalls(t *testing.T) {
	for _, c := range []struct {
		kind  string
		o     gen.Options
		nodes int64
		least int // of ten seeds
	}{
		{"walls", gen.Options{Buffers: 1000, Horizon: 1 << 40, Capacity: 1 << 40}, 1000, 10},
		{"walls", gen.Options{Buffers: 3000, Horizon: 1 << 40, Capacity: 1 << 40}, 1000, 10},
		{"cracks", gen.Options{Buffers: 1000}, 5000, 10},
		{"walls", gen.Options{Buffers: 500, Alignment: 64}, 5000, 10},
		{"pinwheel", gen.Options{Buffers: 200, Horizon: 100}, 20_000, 8},
		{"walls", gen.Options{Buffers: 500, Horizon: 100}, 20_000, 8},
		{"perfect", gen.Options{Buffers: 100, Holes: 0.1}, 20_000, 8},
		{"walls", gen.Options{Buffers: 60, Holes: 0.1}, 20_000, 7},
	} {
		solved := 0
		seeds := plantest.Share[uint64](10, 3)
		for seed := range seeds {
			c.o.Seed = seed
			p := made(t, c.kind, c.o)
			if r := plantest.Must(t, &Planner{}, p, plan.Options{Capacity: p.Capacity, NodeLimit: c.nodes}); r.Status.HasPlan() {
				solved++
			}
		}
		t.Logf("%s %+v: %d of %d", c.kind, c.o, solved, seeds)
		if solved*10 < c.least*int(seeds) {
			t.Errorf("%s %+v: %d of %d solved, want %d of 10", c.kind, c.o, solved, seeds, c.least)
		}
	}
}
