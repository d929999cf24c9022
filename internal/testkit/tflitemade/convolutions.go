package tflitemade

import "github.com/stowage-go/stowage/internal/tfliteschema"

// Convolutions is a network of bytes with an image of so many rows and 8 channels. Each layer has the filter, the
// stride and the channels of a convolution.
func Convolutions(rows int32, layers ...[3]int32) []byte {
	g := Graph{Inputs: []int32{0}}
	add := func(kind tfliteschema.TensorType, data []byte, shape ...int32) int32 {
		t := Tensor{Type: kind, Shape: shape, Data: data}
		if kind == tfliteschema.TensorTypeINT8 {
			t.Scales = []float32{0.1}
		}
		g.Tensors = append(g.Tensors, t)
		return int32(len(g.Tensors) - 1)
	}
	channels := int32(8)
	now := add(tfliteschema.TensorTypeINT8, nil, 1, rows, rows, channels)
	for _, layer := range layers {
		filter, stride, made := layer[0], layer[1], layer[2]
		weights := add(tfliteschema.TensorTypeINT8, make([]byte, filter*filter*channels*made), made, filter, filter, channels)
		bias := add(tfliteschema.TensorTypeINT32, make([]byte, 4*made), made)
		rows, channels = (rows+stride-1)/stride, made
		out := add(tfliteschema.TensorTypeINT8, nil, 1, rows, rows, channels)
		g.Ops = append(g.Ops, Op{
			Code: tfliteschema.BuiltinOperatorCONV_2D, Inputs: []int32{now, weights, bias}, Outputs: []int32{out},
			Options: map[int]any{1: stride, 2: stride},
		})
		now = out
	}
	g.Outputs = []int32{now}
	return Model([]Graph{g})
}
