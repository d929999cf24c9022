package framework

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/tflm"
)

// TestProductTFLM compares tflm-greedy with the product's own copy of the runtime's planner, with and without pinned
// buffers. Pinned ones are taken from a stack, so they do not collide.
func TestProductTFLM(t *testing.T) {
	pinned := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := &model.Problem{}
		var pins []int64
		top := int64(0)
		for i := range 1 + r.IntN(40) {
			from := r.Int64N(20)
			b := model.Buffer{ID: strconv.Itoa(i), Lower: from, Upper: from + 1 + r.Int64N(8), Size: 16 * (1 + r.Int64N(6))}
			at := int64(tflite.Online)
			if r.IntN(4) == 0 {
				at, top = top, top+b.Size
				pinned++
			}
			p.Buffers, pins = append(p.Buffers, b), append(pins, at)
		}
		q := &model.Problem{Buffers: slices.Clone(p.Buffers)}
		for i, at := range pins {
			if at != tflite.Online {
				q.Buffers[i].Fixed = &pins[i]
			}
		}
		want := planned(t, named(t, "tflm-greedy"), q, plan.Options{})
		got, height, err := tflm.Greedy(t.Context(), p, pins)
		if err != nil || height != want.Height || !slices.Equal(got, want.Offsets) {
			t.Fatalf("seed %d: %v, height %d, %v; tflm-greedy has %v, height %d", seed, got, height, err, want.Offsets,
				want.Height)
		}
	}
	if pinned < 500 {
		t.Errorf("%d buffers were pinned", pinned)
	}
}
