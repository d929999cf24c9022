// Package described says of the operators of a TensorFlow Lite model what package distance asks: their shapes, types,
// options, and the constants that say what is read where.
package described

import (
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// mostOperands is the most operands, and the most results, that are described. Kernels whose order or scratch is known
// have far fewer. A file may name one tensor a million times.
const mostOperands = 4096

// Operator returns the facts that the order of a kernel depends on. It returns false if the options of the operator
// cannot be read, or if it has too many operands; then some of them are missing.
func Operator(m *tflite.Model, o *tflite.Operator) (*distance.Operator, bool) {
	return First(m, o, mostOperands)
}

// First describes so many operands and results.
func First(m *tflite.Model, o *tflite.Operator, most int) (*distance.Operator, bool) {
	d := &distance.Operator{Kind: o.Name(), TransposedX: o.TransposedX, TransposedY: o.TransposedY}
	for _, t := range o.Inputs[:min(len(o.Inputs), most)] {
		d.Operands = append(d.Operands, tensorOf(m, t))
	}
	for _, t := range o.Outputs[:min(len(o.Outputs), most)] {
		d.Results = append(d.Results, tensorOf(m, t))
	}
	if len(o.Inputs) > 1 && o.Inputs[1] >= 0 {
		d.PerChannel = m.Tensors[o.Inputs[1]].Channels > 1
	}
	whole := len(o.Inputs) <= mostOperands && len(o.Outputs) <= mostOperands
	if o.Options == nil {
		return d, whole && !tflite.HasOptions(o.Code)
	}
	x := o.Options
	d.Padding = distance.Valid
	if x.Same {
		d.Padding = distance.Same
	}
	d.Stride = [2]int{int(x.StrideH), int(x.StrideW)}
	d.Dilation = [2]int{int(x.DilationH), int(x.DilationW)}
	d.Filter = [2]int{int(x.FilterH), int(x.FilterW)}
	d.DepthMultiplier, d.Axis, d.BlockSize = int(x.DepthMultiplier), int(x.Axis), int(x.BlockSize)
	d.AlignCorners, d.HalfPixelCenters, d.Offset = x.AlignCorners, x.HalfPixelCenters, x.Offset
	d.Activation = activationOf(x.Activation)
	d.BeginMask, d.EndMask, d.EllipsisMask = int(x.BeginMask), int(x.EndMask), int(x.EllipsisMask)
	d.NewAxisMask, d.ShrinkAxisMask = int(x.NewAxisMask), int(x.ShrinkAxisMask)
	return d, whole
}

// activationOf names a fused activation as the schema does.
func activationOf(number int32) string {
	names := [...]string{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"}
	if number >= 0 && int(number) < len(names) {
		return names[number]
	}
	return "unknown"
}

// tensorOf describes a tensor. An omitted tensor is the zero Tensor.
func tensorOf(m *tflite.Model, tensor int32) distance.Tensor {
	if tensor < 0 {
		return distance.Tensor{}
	}
	t := &m.Tensors[tensor]
	out := distance.Tensor{Type: distance.TypeOf(t.Type.String()), Constant: !t.Arena(), Data: m.Integers(int(tensor))}
	if t.Type == tflite.Type(tfliteschema.TensorTypeINT4) {
		out.Type.Bytes = 0 // two elements a byte in the file, one in the arena
	}
	for _, d := range t.Shape {
		out.Shape = append(out.Shape, int(d))
	}
	return out
}
