package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// MACs returns how many multiply-accumulates the convolutions and matrix products of a model take: the arithmetic that
// strips add to if they compute lines twice. The body of a loop counts as often as it runs, if that is known.
func MACs(m *tflite.Model) (n int64) {
	times := slices.Repeat([]int64{1}, len(m.Subgraphs))
	for k := range m.Operators {
		if o := &m.Operators[k]; len(o.Callees) == 2 {
			times[o.Callees[1]] = runsOf(m, o)
		}
	}
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := s.FirstOperator; k < s.FirstOperator+s.OperatorCount; k++ {
			n += times[g] * macsOf(m, &m.Operators[k])
		}
	}
	return n
}

// mostRuns bounds what is believed of a loop: no image has more lines.
const mostRuns = 1 << 16

// runsOf returns how often the body of a loop of strips runs (internal/strips/loop.go): one variable grows by a
// constant, and the condition compares an element of it with another. It is 1 for other operators.
func runsOf(m *tflite.Model, o *tflite.Operator) int64 {
	if o.Code != tflite.Code(tfliteschema.BuiltinOperatorWHILE) || len(o.Callees) != 2 {
		return 1
	}
	condition, body := &m.Subgraphs[o.Callees[0]], &m.Subgraphs[o.Callees[1]]
	maker := func(g *tflite.Subgraph, t int32, code tfliteschema.BuiltinOperator, operands int) *tflite.Operator {
		for k := g.FirstOperator; k < g.FirstOperator+g.OperatorCount; k++ {
			if x := &m.Operators[k]; x.Code == tflite.Code(code) && len(x.Inputs) == operands && slices.Min(x.Inputs) >= 0 &&
				slices.Contains(x.Outputs, t) {
				return x
			}
		}
		return nil
	}
	element := func(t int32, at int64) int64 {
		if all := m.Integers(int(t)); at >= 0 && at < int64(len(all)) {
			return all[at]
		}
		return 0
	}
	if len(condition.Outputs) != 1 {
		return 1
	}
	less := maker(condition, condition.Outputs[0], tfliteschema.BuiltinOperatorLESS, 2)
	if less == nil {
		return 1
	}
	slice := maker(condition, less.Inputs[0], tfliteschema.BuiltinOperatorSLICE, 3)
	if slice == nil {
		return 1
	}
	v, at := slices.Index(condition.Inputs, slice.Inputs[0]), element(slice.Inputs[1], 0)
	if v < 0 || v >= len(o.Inputs) || v >= len(body.Inputs) || v >= len(body.Outputs) || o.Inputs[v] < 0 {
		return 1
	}
	add := maker(body, body.Outputs[v], tfliteschema.BuiltinOperatorADD, 2)
	if add == nil || add.Inputs[0] != body.Inputs[v] {
		return 1
	}
	step := element(add.Inputs[1], at)
	if way := element(less.Inputs[1], 0) - element(o.Inputs[v], at); way > 0 && step > 0 && way/step < mostRuns {
		return (way + step - 1) / step
	}
	return 1
}

// macsOf counts those of an operator.
func macsOf(m *tflite.Model, o *tflite.Operator) int64 {
	if len(o.Inputs) < 2 || o.Inputs[0] < 0 || o.Inputs[1] < 0 || len(o.Outputs) == 0 || o.Outputs[0] < 0 {
		return 0
	}
	product := func(t int32, from int) int64 {
		n := int64(1)
		for _, d := range m.Tensors[t].Shape[min(from, len(m.Tensors[t].Shape)):] {
			n *= int64(d)
		}
		return n
	}
	filter, shape := o.Inputs[1], m.Tensors[o.Inputs[1]].Shape
	switch o.Name() {
	case "CONV_2D":
		return product(o.Outputs[0], 0) * product(filter, 1)
	case "DEPTHWISE_CONV_2D":
		if len(shape) == 4 {
			return product(o.Outputs[0], 0) * int64(shape[1]) * int64(shape[2])
		}
	case "FULLY_CONNECTED":
		if len(shape) == 2 {
			return product(o.Outputs[0], 0) * int64(shape[1])
		}
	case "TRANSPOSE_CONV":
		if len(shape) == 4 && len(o.Inputs) > 2 && o.Inputs[2] >= 0 {
			return product(o.Inputs[2], 0) * product(filter, 0) / max(1, int64(shape[3]))
		}
	}
	return 0
}
