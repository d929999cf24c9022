package poolchoice

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/pools"
)

// TestGrow: of an assignment that does not pack, as much is found that not one body more can come.
func TestGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 35))
	most := 0
	for range 30 {
		x, first, _ := failing(t, r, 12)
		if err := x.grow(context.Background()); err != nil {
			t.Fatal(err)
		}
		if x.best == nil {
			t.Fatal("nothing packs")
		}
		out := 0
		for k := range first {
			if x.best[k] == first[k] {
				continue
			}
			out++
			of := slices.Clone(x.best)
			of[k] = first[k]
			members := split(x.lowering.Pools, x.loads.PoolOf(of))[x.loads.Bodies[x.loads.Single+k].Pools[first[k]]]
			status, err := x.plans.Packs(context.Background(), 0, members, pools.PackNodes)
			if err != nil || status.HasPlan() {
				t.Errorf("body %d could come, too: %v, %v", k, status, err)
			}
		}
		if out <= 2 {
			most++
		}
	}
	t.Logf("at most two are left out in %d of 30", most)
	if most < 20 {
		t.Errorf("at most two are left out in %d of 30", most)
	}
}
