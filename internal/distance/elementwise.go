package distance

import (
	"fmt"
	"math"
)

// Idea: an element-wise kernel goes through the result from first to last, reads the operands' elements and
// writes the result's. If an operand is broadcast, its elements are read again and again:
//
//	for each index of the outer dimensions: for each of the inner ones: read, read, write
//
// BroadcastBinaryOpSimple unites neighbouring dimensions that are broadcast alike into one loop. If an operand stays
// at one element in the innermost loop, the element is read once, before it.
//
// Sizes may differ, as in QUANTIZE and DEQUANTIZE: n elements of e bytes from elements of d bytes have the distance
// (n−1)·(e−d) if e > d, and e−d if e < d and n > 1.
//
// Source: tensorflow/lite/kernels/internal/reference/broadcast_loop.h, binary_function.h, add.h, sub.h, mul.h, div.h,
// maximum_minimum.h, comparisons.h, quantize.h, dequantize.h, requantize.h; micro/kernels/elementwise.cc, cast.cc,
// add_n.cc, prelu_common.cc, activations_common.cc.

// unary is an element-wise operator of one operand; further ones are not looked at.
func unary(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	return elementwise(op, 1)
}

// variadic is an element-wise operator whose operands all have the result's shape.
func variadic(op *Operator) ([]Permit, string) {
	if why := op.has(max(1, len(op.Operands)), 1); why != "" {
		return nil, why
	}
	return elementwise(op, len(op.Operands))
}

// elementwise is an operator without broadcasting, of the first operands.
func elementwise(op *Operator, operands int) (out []Permit, refused string) {
	y := &op.Results[0]
	for i := range operands {
		x := &op.Operands[i]
		if x.Elements() != y.Elements() {
			return nil, fmt.Sprintf("operand %d has shape %v, its result %v", i, x.Shape, y.Shape)
		}
		out = append(out, nest(element(y.size()), every(y.Elements(), y.size(), x.size())).permit(i, 0))
	}
	return out, ""
}

// binary is an element-wise operator of two operands, with broadcasting as in BroadcastBinaryOpSimple.
func binary(op *Operator) ([]Permit, string) { return broadcast(op, true) }

// prelu is PRELU: on floats its loops read each element again.
func prelu(op *Operator) ([]Permit, string) {
	return broadcast(op, len(op.Results) > 0 && op.Results[0].Type.Name != "FLOAT32")
}

// broadcast is an operator of two operands. Either may be broadcast. held says that an operand that stays at one
// element in the innermost loop is read before it.
func broadcast(op *Operator, held bool) (permits []Permit, refused string) {
	if why := op.has(2, 1); why != "" {
		return nil, why
	}
	rank := len(op.Results[0].Shape)
	y, _ := op.Results[0].dims(rank)
	var in [2][]int64
	for i := range in {
		x, ok := op.Operands[i].dims(rank)
		if !ok {
			return nil, fmt.Sprintf("operand %d has shape %v, its result %v", i, op.Operands[i].Shape, op.Results[0].Shape)
		}
		in[i] = x
	}
	for d, n := range y {
		if a, b := in[0][d], in[1][d]; n != a && n != b || a != n && a != 1 || b != n && b != 1 {
			return nil, fmt.Sprintf("its operands have shapes %v and %v, its result %v", op.Operands[0].Shape,
				op.Operands[1].Shape, op.Results[0].Shape)
		}
	}
	wide := func(d int) [2]bool { return [2]bool{in[0][d] == 1 && y[d] != 1, in[1][d] == 1 && y[d] != 1} }
	inner := rank - 1 // the innermost loop has the dimensions from inner on
	for inner > 0 && (y[inner-1] == 1 || wide(inner-1) == wide(rank-1)) {
		inner--
	}
	for i := range in {
		read, written := strides(in[i], op.Operands[i].size()), strides(y, op.Results[0].size())
		body, from := element(op.Results[0].size()), rank
		if held && rank > 0 && wide(rank - 1)[i] {
			body, from = reads(0).then(nest(writes(op.Results[0].size()),
				loops(wide, i, y, written, read, inner, rank)...)), inner
		}
		permits = append(permits, nest(body, loops(wide, i, y, written, read, 0, from)...).permit(i, 0))
	}
	return permits, ""
}

// loops returns the loops over some dimensions for operand i, which stays where it is wide.
func loops(wide func(d int) [2]bool, i int, shape, written, read []int64, from, to int) (out []loop) {
	for d := from; d < to; d++ {
		l := every(shape[d], written[d], read[d])
		if wide(d)[i] {
			l.operand = 0
		}
		out = append(out, l)
	}
	return out
}

// rowwise is SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: for each row along the last dimension, read the
// row, then read and write it element by element. SOFTMAX of floats and of 16-bit integers keeps the exponentials
// in the result, reads them there and writes the row again, which asks nothing of the operand.
//
// Source: tensorflow/lite/kernels/internal/reference/softmax.h, log_softmax.h, l2normalization.h, integer_ops.
func rowwise(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	x, y := &op.Operands[0], &op.Results[0]
	if len(x.Shape) == 0 || x.Elements() != y.Elements() || len(y.Shape) == 0 ||
		x.Shape[len(x.Shape)-1] != y.Shape[len(y.Shape)-1] {
		return nil, fmt.Sprintf("its operand has shape %v, its result %v", x.Shape, y.Shape)
	}
	n := int64(y.Shape[len(y.Shape)-1])
	row := reads(0).then(nest(element(y.size()), every(n, y.size(), x.size()))).then(writes(n * y.size()))
	return []Permit{nest(row, every(y.Elements()/n, n*y.size(), n*x.size())).permit(0, 0)}, ""
}

// connected is FULLY_CONNECTED: for each batch, for each channel of the result, read the batch, then write the
// element. Filters of 4 bits are unpacked to scratch before.
//
// Source: tensorflow/lite/kernels/internal/reference/fully_connected.h, integer_ops/fully_connected.h,
// micro/kernels/fully_connected.cc.
func connected(op *Operator) ([]Permit, string) {
	if why := op.has(2, 1); why != "" {
		return nil, why
	}
	x, f, y := &op.Operands[0], &op.Operands[1], &op.Results[0]
	if len(f.Shape) < 2 || len(y.Shape) == 0 || f.Elements() < 0 {
		return nil, fmt.Sprintf("its filter has shape %v, its result %v", f.Shape, y.Shape)
	}
	deep, channels := int64(f.Shape[len(f.Shape)-1]), int64(y.Shape[len(y.Shape)-1])
	batches := y.Elements() / channels
	if x.Elements() != batches*deep || channels > int64(f.Shape[len(f.Shape)-2]) {
		return nil, fmt.Sprintf("its operand has shape %v, its filter %v, its result %v", x.Shape, f.Shape, y.Shape)
	}
	return []Permit{
		nest(element(y.size()), every(batches, channels*y.size(), deep*x.size()), every(channels, y.size(), 0)).permit(0, 0),
	}, ""
}

// same is RESHAPE and SQUEEZE: all bytes by one memcpy, which RESHAPE leaves out if the two are at one place. SQUEEZE
// does not, and copies the bytes to where they are, as C compilers do themselves.
func same(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	if x, y := &op.Operands[0], &op.Results[0]; x.Elements() != y.Elements() || x.Type.Name != y.Type.Name {
		return nil, fmt.Sprintf("its operand is %s %v, its result %s %v", x.Type.Name, x.Shape, y.Type.Name, y.Shape)
	}
	return []Permit{{Equal: true}}, ""
}

// axis returns a dimension given from the front or from the back.
func axis(a, rank int) (int, bool) {
	if a < 0 {
		a += rank
	}
	return a, a >= 0 && a < rank
}

// within reports whether a number that a model has fits where the kernels keep it.
func within(x int64) bool { return x >= math.MinInt32 && x <= math.MaxInt32 }
