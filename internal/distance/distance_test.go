package distance_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/operators"
	"github.com/stowage-go/stowage/internal/testkit/pace"
)

func tensor(name string, shape ...int) distance.Tensor {
	return distance.Tensor{Shape: shape, Type: distance.TypeOf(name)}
}

func weights(name string, shape ...int) distance.Tensor {
	t := tensor(name, shape...)
	t.Constant = true
	return t
}

// simple is an operator of an operand and a result.
func simple(kind string, x, y distance.Tensor) *distance.Operator {
	return &distance.Operator{Kind: kind, Operands: []distance.Tensor{x}, Results: []distance.Tensor{y}}
}

// convolution is a convolution with padding SAME.
func convolution(x, filter, y distance.Tensor, stride int) *distance.Operator {
	return &distance.Operator{
		Kind: "CONV_2D", Operands: []distance.Tensor{x, filter}, Results: []distance.Tensor{y},
		Stride: [2]int{stride, stride}, Padding: distance.Same,
	}
}

// TestLeast has distances that were measured for CMSIS-NN's tests by bisection over random data, with naive reference
// kernels: the column "ref" of issue 23's measurements.
func TestLeast(t *testing.T) {
	depthwise := func(x, f, y distance.Tensor, stride int) *distance.Operator {
		op := convolution(x, f, y, stride)
		op.Kind = "DEPTHWISE_CONV_2D"
		return op
	}
	pool := func(x, y distance.Tensor, filter, stride int, padding distance.Padding) *distance.Operator {
		return &distance.Operator{
			Kind: "MAX_POOL_2D", Operands: []distance.Tensor{x}, Results: []distance.Tensor{y},
			Stride: [2]int{stride, stride}, Filter: [2]int{filter, filter}, Padding: padding,
		}
	}
	i8 := func(shape ...int) distance.Tensor { return tensor("INT8", shape...) }
	for _, tc := range []struct {
		name string
		op   *distance.Operator
		want int64
	}{
		{"1x1 8x8x16->16", convolution(i8(1, 8, 8, 16), weights("INT8", 16, 1, 1, 16), i8(1, 8, 8, 16), 1), 15},
		{"1x1 8x8x16->32", convolution(i8(1, 8, 8, 16), weights("INT8", 32, 1, 1, 16), i8(1, 8, 8, 32), 1), 1039},
		{"1x1 7x7x6->10", convolution(i8(1, 7, 7, 6), weights("INT8", 10, 1, 1, 6), i8(1, 7, 7, 10), 1), 201},
		{"3x3 8x8x16->16", convolution(i8(1, 8, 8, 16), weights("INT8", 16, 3, 3, 16), i8(1, 8, 8, 16), 1), 159},
		{"3x3 8x8x3->8", convolution(i8(1, 8, 8, 3), weights("INT8", 8, 3, 3, 3), i8(1, 8, 8, 8), 1), 349},
		{"3x3 s2 9x9x10->20", convolution(i8(1, 9, 9, 10), weights("INT8", 20, 3, 3, 10), i8(1, 5, 5, 20), 2), 39},
		{"3x3 2 groups", convolution(i8(1, 8, 8, 8), weights("INT8", 16, 3, 3, 4), i8(1, 8, 8, 16), 1), 587},
		{"dw 3x3 8x8x16", depthwise(i8(1, 8, 8, 16), weights("INT8", 1, 3, 3, 16), i8(1, 8, 8, 16), 1), 144},
		{"dw 5x5 7x7x10", depthwise(i8(1, 7, 7, 10), weights("INT8", 1, 5, 5, 10), i8(1, 7, 7, 10), 1), 160},
		{"dw 3x3 s2 9x9x10", depthwise(i8(1, 9, 9, 10), weights("INT8", 1, 3, 3, 10), i8(1, 5, 5, 10), 2), 0},
		{"dw 3x3 8x8x1->8", depthwise(i8(1, 8, 8, 1), weights("INT8", 1, 3, 3, 8), i8(1, 8, 8, 8), 1), 457},
		{"pool 3x3 s1 x10", pool(i8(1, 7, 7, 10), i8(1, 7, 7, 10), 3, 1, distance.Same), 80},
	} {
		got, refused := distance.Of(distance.Reference, tc.op)
		if len(got) != 1 || got[0] != (distance.Permit{Distance: tc.want}) {
			t.Errorf("%s: %+v, %q instead of %d", tc.name, got, refused, tc.want)
		}
	}
}

// TestEqual checks the operators that copy all bytes at once.
func TestEqual(t *testing.T) {
	for _, kind := range []string{"RESHAPE", "SQUEEZE"} {
		op := simple(kind, tensor("INT8", 2, 6), tensor("INT8", 12))
		if got, refused := distance.Of(distance.Reference, op); len(got) != 1 || got[0] != (distance.Permit{Equal: true}) {
			t.Errorf("%s: %+v, %q", kind, got, refused)
		}
		op.Results[0].Shape = []int{11}
		if got, refused := distance.Of(distance.Reference, op); len(got) != 0 || refused == "" {
			t.Errorf("%s of another size: %+v, %q", kind, got, refused)
		}
	}
}

// TestRefused has operators for which nothing is permitted, and a part of the reason.
func TestRefused(t *testing.T) {
	x := tensor("INT8", 1, 4, 4, 2)
	constant, empty, odd := x, x, x
	constant.Constant = true
	empty.Shape = []int{1, 0, 4, 2}
	odd.Type = distance.TypeOf("INT4")
	huge := tensor("INT8", 1<<31-1, 1<<31-1, 1<<31-1)
	taller := convolution(x, weights("INT8", 2, 3, 3, 2), tensor("INT8", 1, 5, 4, 2), 1)
	unpadded := simple("PAD", x, tensor("INT8", 1, 6, 6, 2))
	unpadded.Operands = append(unpadded.Operands, tensor("INT32", 4, 2))
	for _, tc := range []struct {
		op  *distance.Operator
		why string
	}{
		{simple("TRANSPOSE_CONV", x, x), "clears the result"},
		{simple("MEAN", x, x), "initialises"},
		{simple("TRANSPOSE", x, x), "another order"},
		{simple("FROBNICATE", x, x), "not known"},
		{simple("RELU", constant, x), "no operand in the arena"},
		{simple("RELU", empty, empty), "shape [1 0 4 2]"},
		{simple("RELU", odd, odd), "size is not known"},
		{simple("RELU", huge, huge), "shape"},
		{simple("RELU", x, tensor("INT8", 31)), "shape"},
		{simple("CAST", tensor("INT32", 4), tensor("FLOAT32", 4)), "may assume"},
		{&distance.Operator{Kind: "RELU", Operands: []distance.Tensor{x}}, "no result"},
		{&distance.Operator{Kind: "RELU", Results: []distance.Tensor{x}}, "0 operands"},
		{taller, "rows or columns"},
		{unpadded, "paddings are not known"},
		{simple("CONCATENATION", x, x), "has to be apart"},
		{simple("FULLY_CONNECTED", tensor("INT8", 1, 1), tensor("INT8", 1, 9)), "1 operands"},
	} {
		got, refused := distance.Of(distance.Reference, tc.op)
		if len(got) > 0 || !strings.HasPrefix(refused, tc.op.Kind+": ") || !strings.Contains(refused, tc.why) {
			t.Errorf("%+v: %+v, %q, should have %q", tc.op, got, refused, tc.why)
		}
	}
	for _, l := range distance.Libraries()[1:] {
		got, refused := distance.Of(l, simple("FROBNICATE", x, x))
		if len(got) > 0 || !strings.HasPrefix(refused, "FROBNICATE: ") {
			t.Errorf("%s: %+v, %q", l, got, refused)
		}
	}
}

// TestBroken damages operators at random. A distance may be refused, but nothing may panic or hang.
func TestBroken(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	numbers := []int{-1 << 62, -1 << 31, -9, -1, 0, 1, 2, 3, 1 << 16, 1 << 31, 1 << 62}
	for _, kind := range operators.Kinds() {
		for range 300 {
			op := operators.Draw(r, kind)
			number := func() int { return numbers[r.IntN(len(numbers))] }
			for range 1 + r.IntN(3) {
				all := op.Operands
				if r.IntN(3) == 0 {
					all = op.Results
				}
				if len(all) == 0 {
					continue
				}
				x := &all[r.IntN(len(all))]
				switch r.IntN(9) {
				case 0:
					op.Operands = op.Operands[:r.IntN(len(op.Operands)+1)]
				case 1:
					op.Results = op.Results[:r.IntN(len(op.Results)+1)]
				case 2:
					x.Shape = append([]int{number()}, x.Shape...)
				case 3:
					x.Shape = x.Shape[:r.IntN(len(x.Shape)+1)]
				case 4:
					if len(x.Shape) > 0 {
						x.Shape[r.IntN(len(x.Shape))] = number()
					}
				case 5:
					if len(x.Data) > 0 {
						x.Data[r.IntN(len(x.Data))] = int64(number())
					}
				case 6:
					*x = distance.Tensor{}
				case 7:
					op.Stride[0], op.Dilation[1], op.Filter[0] = number(), number(), number()
					op.Axis, op.BlockSize = number(), number()
				case 8:
					op.DepthMultiplier, op.Padding = number(), distance.Padding(number())
					op.BeginMask, op.EndMask, op.ShrinkAxisMask = number(), number(), number()
				}
			}
			permits, refused := distance.Of(distance.Reference, op)
			if len(permits) == 0 && refused == "" {
				t.Fatalf("neither permitted nor refused: %+v", op)
			}
		}
	}
}

// TestCost checks that large tensors cost little.
func TestCost(t *testing.T) {
	pace.Fastest(t, 100, 20*time.Millisecond, "a convolution of 2^30 elements", func() {
		x, y := tensor("INT8", 4, 1024, 1024, 64), tensor("INT8", 4, 1024, 1024, 256)
		op := convolution(x, weights("INT8", 256, 3, 3, 1), y, 1)
		if got, refused := distance.Of(distance.Reference, op); len(got) != 1 {
			t.Fatal(got, refused)
		}
	})
}
