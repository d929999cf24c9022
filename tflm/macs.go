package tflm

import "github.com/stowage-go/stowage/format/tflite"

// MACs returns how many multiply-accumulates the convolutions and matrix products of a model take: the arithmetic that
// strips add to if they compute lines twice.
func MACs(m *tflite.Model) (n int64) {
	for k := range m.Operators {
		n += macsOf(m, &m.Operators[k])
	}
	return n
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
