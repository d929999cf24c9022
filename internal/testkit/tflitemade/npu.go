package tflitemade

import "github.com/stowage-go/stowage/internal/tfliteschema"

// EthosU is a model in the form that Vela makes for Arm's Ethos-U: one operator of the NPU. Its operands are
// constants, the window to the arena, the window to fast memory, and the input. The model's tensors are commands,
// weights, the two windows of 1,024 bytes each, an input of 256 bytes and an output of 16.
func EthosU() Graph {
	return Graph{
		Tensors: []Tensor{
			{Name: "commands", Shape: []int32{16}, Data: make([]byte, 64)},
			{Name: "weights", Shape: []int32{16}, Data: make([]byte, 64)},
			{Name: "scratch", Shape: []int32{256}},
			{Name: "scratch_fast", Shape: []int32{256}},
			{Name: "in", Shape: []int32{64}},
			{Name: "out", Shape: []int32{4}},
		},
		Ops: []Op{
			{Code: tfliteschema.BuiltinOperatorCUSTOM, Custom: "ethos-u", Inputs: []int32{0, 1, 2, 3, 4}, Outputs: []int32{5}},
		},
		Inputs: []int32{4}, Outputs: []int32{5},
	}
}
