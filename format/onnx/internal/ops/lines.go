package ops

import "slices"

// Idea: many operators compute a row of an image from a few successive rows of their inputs, and a column from a few
// columns. The same windows and paddings that decide the shapes decide which ones.
//
// An image has the dimensions batch, channels, rows and, if there are four, columns. A resize reads different lines
// in each mode. The lines here are enough for all modes but cubic, with one more on either side.
//
// Complexity: O(lines) for each input.

// A Range is successive lines of an input, both ends included. Last < First means none.
type Range struct{ First, Last int }

// linesMost bounds the lines of an image that are looked at one by one.
const linesMost = 1 << 20

// pointwise are operators whose results depend, at each place, only on the inputs at the same place, of the same or
// of all channels.
var pointwise = []string{
	"Abs", "Acos", "Add", "And", "Asin", "Atan", "BatchNormalization", "BitwiseAnd", "BitwiseNot", "BitwiseOr",
	"BitwiseXor",
	"Cast", "Ceil", "Celu", "Clip", "Cos", "Cosh", "DequantizeLinear", "Div", "Dropout", "Elu", "Equal", "Erf", "Exp",
	"Floor", "Gelu",
	"Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity", "LRN", "LeakyRelu", "Less", "LessOrEqual", "Log",
	"Max", "Mean",
	"Min", "Mish", "Mod", "Mul", "Neg", "Not", "Or", "PRelu", "Pow", "QuantizeLinear", "Reciprocal", "Relu", "Round",
	"Selu", "Shrink",
	"Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Sub", "Sum", "Swish", "Tan", "Tanh",
	"ThresholdedRelu", "Where", "Xor",
}

// Pointwise reports whether an operator of ONNX computes its results place by place.
func Pointwise(op string) bool { return slices.Contains(pointwise, op) }

// Parameter reports whether only the first input of such an operator is an image, and the others are parameters of
// channels.
func Parameter(op string) bool { return slices.Contains(parametric, op) }

// parametric are those operators.
var parametric = []string{"BatchNormalization", "QuantizeLinear", "DequantizeLinear", "Dropout", "Clip"}

// Axis returns the axis that the node names, 1 without.
func (c *Call) Axis() int64 { return c.integer("axis", 1) }

// Lines returns, for each line of the results, which lines of an input it is computed from. Axis 0 is rows, 1 is
// columns. Out must have the shapes of the results. It is false if the node is not computed line by line, or
// if that is not known.
func (c *Call) Lines(input, axis int) ([]Range, bool) {
	d := 2 + axis
	if len(c.Out) == 0 || len(c.Out[0].Dims) <= d || len(c.Out[0].Dims) > 4 || c.Out[0].Dims[0] != 1 {
		return nil, false
	}
	rank := len(c.Out[0].Dims)
	m := c.Out[0].Dims[d]
	for k := range c.Out {
		if s := c.Out[k].Dims; len(s) != rank || s[0] != 1 || s[d] != m {
			return nil, false
		}
	}
	in := c.dims(input)
	if in == nil || len(in) > rank || m < 0 || m > linesMost {
		return nil, false
	}
	for len(in) < rank { // as broadcasting has it
		in = slices.Insert(slices.Clone(in), 0, 1)
	}
	n := in[d]
	line := c.lineOf(input, d, n, m, len(c.dims(input)) == rank && in[0] == 1)
	if line == nil {
		return nil, false
	}
	out := make([]Range, m)
	for j := range out {
		first, last := line(int64(j))
		out[j] = Range{int(max(first, 0)), int(min(last, n-1))}
	}
	return out, true
}

// lineOf returns what a line of the result is computed from, which may go beyond the n lines of the input; nil if
// that is not known. image says that the input is an image of one batch.
func (c *Call) lineOf(input, d int, n, m int64, image bool) func(j int64) (first, last int64) {
	same := func(j int64) (int64, int64) { return j, j }
	switch op := c.Node.Op; {
	case Pointwise(op):
		switch {
		case (Parameter(op) || op == "PRelu") && input > 0:
		case n == m:
			return same
		case n == 1:
			return func(int64) (int64, int64) { return 0, 0 }
		}
		return nil
	case !image:
		return nil
	case op == "Concat" && n == m && int(c.integer("axis", 0)) != d && int(c.integer("axis", 0)) != d-len(c.dims(input)):
		return same
	case op == "Split" && n == m && input == 0:
		return same
	case op == "Softmax" && n == m && c.Opset >= 13 && c.integer("axis", -1) == 1:
		return same
	}
	if input != 0 {
		return nil
	}
	switch c.Node.Op {
	case "Conv", "FusedConv", "ConvInteger", "QLinearConv", "MaxPool", "AveragePool", "LpPool", "ConvTranspose":
		return c.windowLines(d-2, n, m)
	case "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool":
		return func(int64) (int64, int64) { return 0, n - 1 }
	case "Pad":
		return c.padLines(d, m-n)
	case "Resize", "Upsample":
		if mode := c.text("mode", "nearest"); mode == "nearest" || mode == "linear" || mode == "bilinear" {
			return func(j int64) (int64, int64) { return j*n/m - 1, (j+1)*n/m + 1 }
		}
	case "SpaceToDepth":
		if b := c.integer("blocksize", 0); b > 0 && m*b == n {
			return func(j int64) (int64, int64) { return j * b, j*b + b - 1 }
		}
	case "DepthToSpace":
		if b := c.integer("blocksize", 0); b > 0 && n*b == m {
			return func(j int64) (int64, int64) { return j / b, j / b }
		}
	}
	return nil
}

// A Window is what an operator slides over an image along an axis.
type Window struct {
	Stride int64
	Reach  int64 // lines from the first that a place covers to the last
	Before int64 // lines of padding before the first line of the image
}

// Window returns the window of an operator that has one. Axis 0 is rows, 1 is columns.
func (c *Call) Window(axis int) (w Window, ok bool) {
	return c.windowOf(axis, c.dims(0)[2+axis], c.Out[0].Dims[2+axis])
}

// Includes reports whether the padding of an AveragePool counts as elements.
func (c *Call) Includes() bool { return c.integer("count_include_pad", 0) != 0 }

// windowOf returns a window that makes m lines of n.
func (c *Call) windowOf(i int, n, m int64) (w Window, ok bool) {
	weights := 1
	switch c.Node.Op {
	case "QLinearConv":
		weights = 3
	case "MaxPool", "AveragePool", "LpPool":
		weights = -1
	}
	rank := len(c.Out[0].Dims) - 2
	s, reason := c.sliding(rank, weights)
	if reason != "" || len(s.kernel) != rank || s.kernel[i] < 1 {
		return w, false
	}
	w = Window{s.strides[i], (s.kernel[i]-1)*s.dilations[i] + 1, s.pads[i]}
	if s.same {
		w.Before = max(0, (m-1)*w.Stride+w.Reach-n)
		if c.text("auto_pad", "") == "SAME_LOWER" {
			w.Before++
		}
		w.Before /= 2
	}
	return w, !s.same || c.Node.Op != "ConvTranspose"
}

// windowLines is what a window covers along a spatial dimension.
func (c *Call) windowLines(i int, n, m int64) func(j int64) (first, last int64) {
	back := c.Node.Op == "ConvTranspose"
	w, ok := c.windowOf(i, n, m)
	switch {
	case !ok || back && c.has("output_shape"):
		return nil
	case back:
		return func(j int64) (int64, int64) {
			return ceilDiv(j+w.Before-w.Reach+1, w.Stride), (j + w.Before) / w.Stride
		}
	}
	return func(j int64) (int64, int64) { return j*w.Stride - w.Before, j*w.Stride - w.Before + w.Reach - 1 }
}

// padLines is what a padded image has inside, which is so many lines shorter.
func (c *Call) padLines(d int, longer int64) func(j int64) (first, last int64) {
	var pads []int64
	switch {
	case c.text("mode", "constant") != "constant" || c.given(3) || c.Opset < 2:
		return nil
	case c.Opset < 11:
		pads = c.integers("pads")
	default:
		pads = c.ints(1)
	}
	if rank := len(c.Out[0].Dims); len(pads) != 2*rank || pads[d]+pads[rank+d] != longer {
		return nil
	}
	before := pads[d]
	return func(j int64) (int64, int64) { return j - before, j - before }
}
