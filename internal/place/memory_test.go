package place

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
)

// A placement that reuses the memory of earlier ones, also of other problems and of interrupted ones, gives the plan
// that it gives without.
func TestMemoryIsForgotten(t *testing.T) {
	var m Memory
	plans := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p := plantest.Random(rng)
		if seed%100 == 0 {
			p = plantest.Mixed(2100 + int(seed))
		}
		tl := timeline.New(p)
		for range 3 {
			order := make([]int32, len(p.Buffers))
			for k, i := range rng.Perm(len(order)) {
				order[k] = int32(i)
			}
			fit, below := Fit(rng.IntN(2)), int64(Unlimited)
			if rng.IntN(3) == 0 {
				below = tl.LowerBound + rng.Int64N(tl.LowerBound+1)
			}
			offsets, height, end := m.Below(nil, tl, order, fit, below)
			again, h, e := Below(nil, tl, order, fit, below)
			if !slices.Equal(offsets, again) || height != h || end != e {
				t.Fatalf("seed %d: height %d, ending %d; without a memory %d, %d", seed, height, end, h, e)
			}
			if offsets != nil {
				plans++
			}
		}
	}
	if plans < 800 {
		t.Errorf("%d plans", plans)
	}
}

// A placement with a memory makes next to no garbage.
func TestMemoryIsKept(t *testing.T) {
	p := plantest.Mixed(5000)
	tl := timeline.New(p)
	var m Memory
	m.Below(nil, tl, nil, FirstFit, Unlimited)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 5 {
		m.Below(nil, tl, nil, FirstFit, Unlimited)
	}
	runtime.ReadMemStats(&after)
	kept := int64(after.TotalAlloc-before.TotalAlloc) / 5
	if fresh := int64(8 * len(p.Buffers)); kept > fresh/2 {
		t.Errorf("%d bytes a placement; the offsets alone are %d", kept, fresh)
	}
}
