package tflitemade

import "github.com/stowage-go/stowage/internal/tfliteschema"

// Points is in → a → out by convolutions of one pixel, on bytes. CMSIS-NN permits overlaps with the
// kernels for MVE, and none with those for DSP.
func Points() Graph {
	image := func(name string) Tensor {
		t := Tensor{Name: name, Shape: []int32{1, 8, 8, 8}, Type: tfliteschema.TensorTypeINT8}
		t.Scales = []float32{0.1}
		return t
	}
	weights, bias := image("weights"), Tensor{Name: "bias", Type: tfliteschema.TensorTypeINT32}
	weights.Shape, weights.Data = []int32{8, 1, 1, 8}, make([]byte, 64)
	bias.Shape, bias.Data = []int32{8}, make([]byte, 32)
	point := func(in, out int32) Op {
		return Op{
			Code: tfliteschema.BuiltinOperatorCONV_2D, Inputs: []int32{in, 1, 2}, Outputs: []int32{out},
			Options: map[int]any{1: int32(1), 2: int32(1)}, // strides
		}
	}
	return Graph{
		Tensors: []Tensor{image("in"), weights, bias, image("a"), image("out")},
		Ops:     []Op{point(0, 3), point(3, 4)}, Inputs: []int32{0}, Outputs: []int32{4},
	}
}
