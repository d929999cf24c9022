package framework

import (
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
		place: func(t *task) error {
			lowest := int64(math.MaxInt64)
		search:
			for fit := range xlaFits {
				for sort := range xlaSorts {
					if t.best != nil && t.enough() {
						break search
					}
					if err := t.placeInOrder(t.xlaSorted(sort), xlaFit[fit]); err != nil {
						break search
					}
					t.nodes += int64(len(t.buffers))
					if height := model.HeightOf(t.tl.Problem, t.offsets); height < lowest {
						t.best, lowest = t.offsets, height
					}
				}
			}
			if t.best == nil {
				return errStopped
			}
			t.offsets = t.best
			return nil
		},
	})
}
