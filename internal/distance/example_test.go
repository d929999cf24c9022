package distance_test

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/distance"
)

// A depthwise convolution of 3×3 keeps a row and a pixel of its operand ahead of its result: 8×16 bytes and 16.
// TRANSPOSE_CONV permits nothing.
func ExampleOf() {
	image := distance.Tensor{Shape: []int{1, 8, 8, 16}, Type: distance.TypeOf("INT8")}
	filter := distance.Tensor{Shape: []int{1, 3, 3, 16}, Type: distance.TypeOf("INT8"), Constant: true}
	op := &distance.Operator{
		Kind: "DEPTHWISE_CONV_2D", Operands: []distance.Tensor{image, filter}, Results: []distance.Tensor{image},
		Stride: [2]int{1, 1}, Padding: distance.Same,
	}
	permits, _ := distance.Of(distance.Reference, op)
	for _, p := range permits {
		fmt.Printf("offset of operand %d - offset of result %d >= %d\n", p.Operand, p.Result, p.Distance)
	}
	op.Kind = "TRANSPOSE_CONV"
	_, refused := distance.Of(distance.Reference, op)
	fmt.Println(refused)
	// Output:
	// offset of operand 0 - offset of result 0 >= 144
	// TRANSPOSE_CONV: it clears the result first, then scatters
}
