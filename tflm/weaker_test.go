package tflm

import (
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestNoModeLarger plans made models in each mode, with few nodes: no head is larger than in a mode that permits less.
func TestNoModeLarger(t *testing.T) {
	modes := []struct {
		Options
		weaker []int
	}{
		{Options{}, nil},
		{Options{InPlace: true}, []int{0}},
		{Options{Kernels: ReferenceKernels}, []int{0}},
		{Options{Reorder: true}, []int{0}},
		{Options{InPlace: true, Reorder: true}, []int{0, 1, 3}},
		{Options{Kernels: ReferenceKernels, Reorder: true}, []int{0, 2, 3}},
	}
	smaller := 0
	for n := range plantest.Share[uint64](240, 60) {
		seed := 190 + n
		m := must.Get(tflite.Parse(tflitemade.Network(seed, 5+int(seed%40)), "made.tflite"))(t)
		heads := make([]int64, len(modes))
		for k, x := range modes {
			x.Solve = stowage.Options{NodeLimit: 1 + int64(seed%7)*100}
			if seed%2 == 0 { // whose heights are often above the load
				x.Solve.Planner = "first-fit"
			}
			x.States = 1 + int(seed%3)*50
			p := must.Get(Make(t.Context(), m, x.Options))(t)
			heads[k] = p.Head
			for _, w := range x.weaker {
				if heads[k] > heads[w] {
					t.Errorf("seed %d: head %d in mode %d, but %d in mode %d", seed, heads[k], k, heads[w], w)
				}
				if heads[k] < heads[w] {
					smaller++
				}
			}
		}
	}
	if smaller < 300 {
		t.Errorf("a smaller head %d times: too few to trust", smaller)
	}
}

// TestInPlaceApart has networks whose plan in place is above the one apart, by a planner that does not search: the
// lower one is taken.
func TestInPlaceApart(t *testing.T) {
	for _, seed := range []uint64{36, 40, 60, 140, 202} {
		m := must.Get(tflite.Parse(tflitemade.Network(seed, 10+int(seed%70)), "made.tflite"))(t)
		o := Options{Solve: stowage.Options{Planner: "first-fit"}}
		apart := must.Get(Make(t.Context(), m, o))(t)
		o.InPlace = true
		in := must.Get(Make(t.Context(), m, o))(t)
		if in.Head > apart.Head || in.Result.LowerBound > in.Head {
			t.Errorf("seed %d: head %d in place, %d apart, bound %d", seed, in.Head, apart.Head, in.Result.LowerBound)
		}
	}
}
