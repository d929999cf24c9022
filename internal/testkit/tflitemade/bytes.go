package tflitemade

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Bytes returns a network like that of Images, with integers of 8 bits in place of floats: the convolutions for which
// kernels of vendors ask for scratch.
func Bytes(seed uint64, layers int) []byte {
	g := drawnImages(seed, layers)
	bias := map[int32]bool{}
	for _, o := range g.Ops {
		if len(o.Inputs) > 2 {
			bias[o.Inputs[2]] = true
		}
	}
	for i := range g.Tensors {
		t := &g.Tensors[i]
		t.Type, t.Scales = tfliteschema.TensorTypeINT8, []float32{0.1}
		bytes := len(t.Data) / 4
		if bias[int32(i)] {
			t.Type, t.Scales, bytes = tfliteschema.TensorTypeINT32, nil, len(t.Data)
		}
		if t.Data != nil {
			t.Data = make([]byte, bytes)
		}
	}
	return Model([]Graph{g})
}

// Halves returns a model with weights in float16, which the runtime does not expand.
func Halves() []byte {
	g := Points()
	for i := range g.Tensors {
		t := &g.Tensors[i]
		t.Type, t.Scales, t.Data = tfliteschema.TensorTypeFLOAT32, nil, nil
	}
	for _, constant := range []int32{1, 2} {
		half := g.Tensors[constant]
		n := 2
		for _, d := range half.Shape {
			n *= int(d)
		}
		half.Name, half.Type, half.Data = half.Name+" as float16", tfliteschema.TensorTypeFLOAT16, make([]byte, n)
		g.Tensors = append(g.Tensors, half)
		g.Ops = append([]Op{
			{Code: tfliteschema.BuiltinOperatorDEQUANTIZE, Inputs: []int32{int32(len(g.Tensors) - 1)}, Outputs: []int32{constant}},
		}, g.Ops...)
	}
	return Model([]Graph{g})
}

// Hybrid returns a model whose convolutions have values of float32 and weights of 8 bits, which the runtime refuses.
func Hybrid() []byte {
	g := Points()
	for i := range g.Tensors {
		if t := &g.Tensors[i]; t.Data == nil || t.Type == tfliteschema.TensorTypeINT32 {
			t.Type, t.Scales = tfliteschema.TensorTypeFLOAT32, nil
		}
	}
	return Model([]Graph{g})
}

// drawnImages draws the network of Images.
func drawnImages(seed uint64, layers int) Graph {
	d := images{rng: rand.New(rand.NewPCG(seed, 0x1346e))}
	now := d.add("input", []int32{
		int32(1 + d.rng.IntN(2)), int32(6 + d.rng.IntN(10)), int32(5 + d.rng.IntN(12)), int32(1 + d.rng.IntN(6)),
	})
	d.g.Inputs = []int32{now}
	before := now
	for range layers {
		next := d.layer(now, before)
		before, now = now, next
	}
	d.g.Outputs = []int32{now}
	return d.g
}
