// Package kernelcase has calls of kernels as one line of text each. The harness of lab/kernels measures them, and the
// tests of internal/distance compare the rules with these measurements.
package kernelcase

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/distance"
)

// A Case is a call of a kernel. Shapes are batches, rows, columns, channels.
type Case struct {
	Kind   string
	Type   string // of the operand that is measured
	Other  string // of the weights, or of SOFTMAX's result
	Image  [4]int
	Out    int // channels of the result
	Filter [2]int
	Stride [2]int
	Same   bool // padding
	Dilate [2]int
	Mult   int // multiplier of channels of DEPTHWISE_CONV_2D, groups of CONV_2D

	// Extra is by kind. FULLY_CONNECTED: dimensions of the result, 2 or 3; 1 if the filter has a scale
	// for each channel. ADD, MUL: which operand is measured. MAXIMUM, MINIMUM: 1 if the second operand is a pixel.
	// PAD: paddings before and after of each dimension.
	Extra []int
}

// String returns the case as Parse reads it.
func (c Case) String() string {
	padding := "valid"
	if c.Same {
		padding = "same"
	}
	var extra []string
	for _, e := range c.Extra {
		extra = append(extra, strconv.Itoa(e))
	}
	if extra == nil {
		extra = []string{"-"}
	}
	return fmt.Sprintf("%s %s %s %dx%dx%dx%d %d %dx%d %dx%d %s %dx%d %d %s", c.Kind, c.Type, c.Other,
		c.Image[0], c.Image[1], c.Image[2], c.Image[3], c.Out, c.Filter[0], c.Filter[1], c.Stride[0], c.Stride[1],
		padding, c.Dilate[0], c.Dilate[1], c.Mult, strings.Join(extra, ","))
}

// Parse reads a case.
func Parse(text string) (c Case, err error) {
	var padding, extra string
	_, err = fmt.Sscanf(text, "%s %s %s %dx%dx%dx%d %d %dx%d %dx%d %s %dx%d %d %s", &c.Kind, &c.Type, &c.Other,
		&c.Image[0], &c.Image[1], &c.Image[2], &c.Image[3], &c.Out, &c.Filter[0], &c.Filter[1], &c.Stride[0], &c.Stride[1],
		&padding, &c.Dilate[0], &c.Dilate[1], &c.Mult, &extra)
	if err != nil {
		return c, fmt.Errorf("%q: %w", text, err)
	}
	c.Same = padding == "same"
	for _, e := range strings.Split(extra, ",") {
		if e == "-" {
			break
		}
		n, err := strconv.Atoi(e)
		if err != nil {
			return c, fmt.Errorf("%q: %w", text, err)
		}
		c.Extra = append(c.Extra, n)
	}
	return c, nil
}

// Measured says which operand of the operator is measured.
func (c Case) Measured() int {
	if c.Kind == "ADD" || c.Kind == "MUL" {
		return c.Extra[0]
	}
	return 0
}

// Edge returns the length of the result and the padding before the image, in a dimension of a window.
func (c Case) Edge(d int) (length, before int) {
	image, stride, reach := c.Image[1+d], c.Stride[d], (c.Filter[d]-1)*c.Dilate[d]+1
	if !c.Same {
		return (image - reach + stride) / stride, 0
	}
	length = (image + stride - 1) / stride
	return length, max(0, (length-1)*stride+reach-image) / 2
}

// Result returns the shape of the result, as four dimensions.
func (c Case) Result() [4]int {
	switch c.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D":
		rows, _ := c.Edge(0)
		columns, _ := c.Edge(1)
		return [4]int{c.Image[0], rows, columns, c.Out}
	case "FULLY_CONNECTED":
		return [4]int{c.Image[0], 1, 1, c.Out}
	case "PAD":
		out := c.Image
		for d := range out {
			out[d] += c.Extra[2*d] + c.Extra[2*d+1]
		}
		return out
	}
	return c.Image
}

// Bytes returns the bytes of the measured operand and of the result.
func (c Case) Bytes() (operand, result int) {
	product := func(s [4]int) int { return s[0] * s[1] * s[2] * s[3] }
	op := c.Operator()
	return product(c.Image) * op.Operands[0].Type.Bytes, product(c.Result()) * op.Results[0].Type.Bytes
}

// Operator returns the operator that the case is a call of.
func (c Case) Operator() *distance.Operator {
	tensor := func(name string, shape ...int) distance.Tensor {
		return distance.Tensor{Shape: shape, Type: distance.TypeOf(name)}
	}
	constant := func(name string, shape ...int) distance.Tensor {
		t := tensor(name, shape...)
		t.Constant = true
		return t
	}
	x, y := tensor(c.Type, c.Image[:]...), c.Result()
	op := &distance.Operator{
		Kind: c.Kind, Operands: []distance.Tensor{x}, Results: []distance.Tensor{tensor(c.Type, y[:]...)},
	}
	if c.Same {
		op.Padding = distance.Same
	}
	switch c.Kind {
	case "CONV_2D":
		op.Operands = append(op.Operands, constant(c.Other, c.Out, c.Filter[0], c.Filter[1], c.Image[3]/c.Mult))
		op.Stride, op.Dilation = c.Stride, c.Dilate
	case "DEPTHWISE_CONV_2D":
		op.Operands = append(op.Operands, constant(c.Other, 1, c.Filter[0], c.Filter[1], c.Out))
		op.Stride, op.Dilation, op.DepthMultiplier = c.Stride, c.Dilate, c.Mult
	case "MAX_POOL_2D", "AVERAGE_POOL_2D":
		op.Stride, op.Filter = c.Stride, c.Filter
	case "FULLY_CONNECTED":
		op.Operands = []distance.Tensor{tensor(c.Type, c.Image[0], c.Image[3]), constant(c.Other, c.Out, c.Image[3])}
		op.Results[0].Shape = []int{c.Image[0], c.Out}
		if c.Extra[0] == 3 {
			op.Operands[0].Shape, op.Results[0].Shape = []int{1, c.Image[0], c.Image[3]}, []int{1, c.Image[0], c.Out}
		}
		op.PerChannel = c.Extra[1] == 1
	case "SOFTMAX":
		op.Results[0].Type = distance.TypeOf(c.Other)
	case "ADD", "MUL":
		op.Operands = append(op.Operands, x)
	case "MAXIMUM", "MINIMUM":
		second := x
		if c.Extra[0] == 1 {
			second = tensor(c.Type, 1, 1, 1, c.Image[3])
		}
		op.Operands = append(op.Operands, second)
	case "PAD":
		paddings := constant("INT32", 4, 2)
		for _, n := range c.Extra {
			paddings.Data = append(paddings.Data, int64(n))
		}
		op.Operands = append(op.Operands, paddings)
	}
	return op
}
