package tflm

import (
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestBeyond32Bits gives each operator in turn up to two blocks of scratch of 2 GiB. The metadata has no room for
// an offset above them, so what is written has none: neither a negative one nor one that went once around.
func TestBeyond32Bits(t *testing.T) {
	m := parse(t, tflitemade.Network(60, 8))
	pinned := 0
	for k := range m.Operators {
		for blocks := 0; blocks <= 2; blocks++ {
			scratch := slices.Repeat([]tflite.Scratch{{Operator: k, Bytes: math.MaxInt32}}, blocks)
			for _, o := range []Options{{}, {InPlace: true}, {Reorder: true}, {Kernels: ReferenceKernels}} {
				o.Scratch = scratch
				p := must.Get(Make(t.Context(), m, o))(t, "operator %d, %d blocks, %+v", k, blocks, o)
				for x, at := range p.Offsets {
					if i := slices.Index(p.Arena.Tensor, x); at != tflite.Online {
						pinned++
						if p.Placed[i] != int64(at) {
							t.Errorf("operator %d, %d blocks, %+v: tensor %d at %d, written as %d", k, blocks, o, x, p.Placed[i], at)
						}
					}
				}
				data := must.Get(p.Written(m))(t)
				v, err := CheckFor(parse(t, data), CheckOptions{Kernels: o.Kernels})
				if o.InPlace && o.Kernels == "" {
					v, err = CheckFor(parse(t, data), CheckOptions{Kernels: ReferenceKernels})
				}
				if err != nil || !v.OK() {
					t.Errorf("operator %d, %d blocks, %+v: %+v, %v", k, blocks, o, v, err)
				}
			}
		}
	}
	if pinned == 0 {
		t.Error("no plan was written")
	}
}
