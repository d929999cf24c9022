package framework

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/model"
)

// Idea: run XLA's heap (xlaheap.go) with both fits and all three sorts, and keep
// the lowest plan, the first one of equals. The fits are the outer loop: best
// fit spatial, temporal, spatial-temporal, then lowest offset the same way.
//
// Complexity: six times that of xla-heap.
//
// Source: XLA, CreateHeapWithPackingSearch (heap_simulator 0e06ac8).

func init() {
	register(planner{
		name:    "xla-packing-search",
		summary: "xla-heap with every sort and fit; the lowest plan counts",
		source:  "XLA, CreateHeapWithPackingSearch (0e06ac8)",
		gaps:    true,
		fixed:   true,
		place: func(ctx context.Context, t *task) error {
			var best []int64
			lowest := int64(math.MaxInt64)
			for fit := range xlaFits {
				for sort := range xlaSorts {
					if err := t.placeInOrder(t.xlaSorted(sort), xlaFit[fit]); err != nil {
						break
					}
					t.nodes += int64(len(t.buffers))
					if height := model.HeightOf(t.tl.Problem, t.offsets); height < lowest {
						best, lowest = t.offsets, height
					}
				}
			}
			if best == nil {
				return errStopped
			}
			t.offsets = best
			return nil
		},
	})
}
