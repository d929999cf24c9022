package tflm_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// TestAlternatives compares with plans that are made with the options.
func TestAlternatives(t *testing.T) {
	ctx := context.Background()
	saves := map[tflm.Alternative]int{}
	for seed := range uint64(30) {
		m := parsed(t, tflitemade.Images(seed, 4+int(seed)/3), "images")
		if seed%2 == 1 {
			m = parsed(t, tflitemade.Network(seed, 6+int(seed)), "network")
		}
		o := options(m)
		o.Reorder = seed%5 == 4
		o.InPlace = seed%7 == 6
		p := must.Get(tflm.Make(ctx, m, o))(t)
		before := *p
		all := must.Get(p.Alternatives(ctx, o))(t)
		want := 4
		if o.Reorder {
			want -= 2
		}
		if o.InPlace {
			want--
		}
		if len(all) != want {
			t.Fatalf("seed %d: %d alternatives, want %d", seed, len(all), want)
		}
		for _, x := range all {
			next := o
			next.InPlace, next.Reorder, next.Kernels = o.InPlace || x.InPlace, o.Reorder || x.Reorder, x.Kernels
			q := must.Get(tflm.Make(ctx, m, next))(t)
			if q.WrittenHead() != x.Plan.WrittenHead() {
				t.Errorf("seed %d: %v, %q, %v: the head is %d, with the options %d",
					seed, x.InPlace, x.Kernels, x.Reorder, x.Plan.WrittenHead(), q.WrittenHead())
			}
			if x.Plan.WrittenHead() < p.WrittenHead() {
				saves[tflm.Alternative{InPlace: x.InPlace, Kernels: x.Kernels, Reorder: x.Reorder}]++
			}
		}
		if !reflect.DeepEqual(before, *p) {
			t.Errorf("seed %d: the plan has changed", seed)
		}
		again, _ := p.Alternatives(ctx, o)
		for k := range again {
			if !reflect.DeepEqual(again[k].Plan.Offsets, all[k].Plan.Offsets) {
				t.Errorf("seed %d: another plan the second time", seed)
			}
		}
	}
	const reference = tflm.ReferenceKernels
	for _, x := range []tflm.Alternative{
		{InPlace: true}, {Kernels: reference}, {Reorder: true}, {Kernels: reference, Reorder: true},
	} {
		if saves[x] == 0 {
			t.Errorf("%v, %q, %v saves nothing on any model", x.InPlace, x.Kernels, x.Reorder)
		}
	}
}

// TestTiling has a model of three operators whose rings are counted by hand. Images are float.
//
//	input 16 × 10 × 1   640 bytes   conv 3 × 3
//	first 16 × 10 × 4  2560 bytes   depthwise 3 × 3, 2 rows apart
//	second 16 × 10 × 4 2560 bytes   pool 2 × 2
//	result 8 × 5 × 4    640 bytes
//
// Alone, the second operator has 5120 bytes. In one chain, input and result are whole, 1280. Of first, five rows of 160
// bytes are kept, of second two: 1280 + 800 + 320 = 2400. Columns have 256 bytes, and the depthwise one reads three of
// them, the pool two: 1280 + 768 + 512 = 2560.
func TestTiling(t *testing.T) {
	weights := func(shape ...int32) tflitemade.Tensor {
		n := int32(1)
		for _, s := range shape {
			n *= s
		}
		return tflitemade.Tensor{Name: "w", Shape: shape, Data: make([]byte, 4*n)}
	}
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "input", Shape: []int32{1, 16, 10, 1}},
			{Name: "first", Shape: []int32{1, 16, 10, 4}},
			{Name: "second", Shape: []int32{1, 16, 10, 4}},
			{Name: "result", Shape: []int32{1, 8, 5, 4}},
			weights(4, 3, 3, 1), weights(4), weights(1, 3, 3, 4), weights(4),
		},
		Ops: []tflitemade.Op{
			{
				Code: tfliteschema.BuiltinOperatorCONV_2D, Inputs: []int32{0, 4, 5}, Outputs: []int32{1},
				Options: map[int]any{0: int8(0), 1: int32(1), 2: int32(1)},
			},
			{
				Code: tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D, Inputs: []int32{1, 6, 7}, Outputs: []int32{2},
				Options: map[int]any{0: int8(0), 1: int32(1), 2: int32(1), 3: int32(1), 6: int32(2)},
			},
			{
				Code: tfliteschema.BuiltinOperatorMAX_POOL_2D, Inputs: []int32{2}, Outputs: []int32{3},
				Options: map[int]any{0: int8(0), 1: int32(2), 2: int32(2), 3: int32(2), 4: int32(2)},
			},
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}
	tiled := func(g tflitemade.Graph, o tflm.Options) *tflm.Tiling {
		p, err := tflm.Make(context.Background(), parsed(t, tflitemade.Model([]tflitemade.Graph{g}), "tiled"), o)
		if err != nil {
			t.Fatal(err)
		}
		return p.Tiling()
	}
	chain := tflm.TiledChain{First: 0, Last: 2, Lines: "rows", Kept: 1120, Whole: 5120}
	want := &tflm.Tiling{Peak: 2400, Chains: []tflm.TiledChain{chain}, Proven: true}
	if got := tiled(g, tflm.Options{}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// The largest scratch of the chain is counted once.
	scratch := tflm.Options{}
	scratch.Scratch = []tflite.Scratch{{Operator: 0, Bytes: 100}, {Operator: 1, Bytes: 60}}
	if got := tiled(g, scratch); got.Peak != 2400+112 {
		t.Errorf("%+v, want 112 bytes of scratch more", got)
	}
	// What is an output is needed whole: then three columns of first are kept.
	g.Outputs = []int32{3, 2}
	if got := tiled(g, tflm.Options{}); got == nil || got.Peak != 640+2560+768 {
		t.Errorf("%+v, though the operand of the pool is an output", got)
	}
}
