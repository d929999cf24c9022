package onnx

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
)

// Idea: some results may lie over an operand. The result of Reshape and of similar operators is the operand's own
// bytes, and both may be read later. An element-wise operator reads each element before it writes the same one, so
// its result may take the place of an operand that dies there. Such values are planned as one buffer, from the
// beginning of the first to the end of the last.
//
// Invariant: the values of a group have one size and are in one body, and none is written while another is still to
// be read. A value that a loop hands on, or that has a gap in a branch, is in no group.
//
// It is an option, since a code generator may copy.
//
// Complexity: O(operands of such nodes).

// views are the operators whose result is the operand's bytes.
var views = []string{"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"}

// over are the operators whose result may take the place of an operand.
var over = []string{
	"Abs", "Add", "And", "BatchNormalization", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceil",
	"Celu", "Clip", "Cos", "Div", "Dropout", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish",
	"LeakyRelu", "Log", "Max", "Mean", "Min", "Mish", "Mul", "Neg", "Not", "Or", "PRelu", "Pow", "Reciprocal",
	"Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Sub", "Sum",
	"Swish", "Tan", "Tanh", "ThresholdedRelu", "Xor",
}

// onlyFirst reports whether the operands after the first only say how an operator works.
func onlyFirst(op string) bool {
	return op == "BatchNormalization" || op == "Clip" || op == "Dropout" || op == "PRelu"
}

// A view is a result that may lie over an operand.
type view struct {
	operand, result int32
	same            bool // the bytes are the operand's own
}

// overlay notes what the result of a node may lie over.
func (w *walker) overlay(n *graph.Node) {
	if !w.o.InPlace || w.trial > 0 || !graph.Standard(n.Domain) || len(n.Out) == 0 || len(n.In) == 0 {
		return
	}
	same := slices.Contains(views, n.Op)
	if !same && !slices.Contains(over, n.Op) {
		return
	}
	operands := n.In
	if same || onlyFirst(n.Op) {
		operands = operands[:1]
	}
	out := w.lookup(n.Out[0])
	for _, name := range operands {
		if in := w.lookup(name); in >= 0 && out >= 0 && w.Spend(16) {
			w.views = append(w.views, view{in, out, same})
		}
	}
}

// groups returns for each value the first value of its group. A value that is alone is its own group.
func (w *walker) groups() []int32 {
	first := make([]int32, len(w.values))
	for i := range first {
		first[i] = int32(i)
	}
	if !w.o.InPlace {
		return first
	}
	end := make([]int64, len(w.values)) // of the group, by its first value
	for i := range end {
		end[i] = w.values[i].last
	}
	alone := func(v *value) bool {
		return v.Constant || v.Stored != nil || v.state || len(v.gaps) > 0 || v.Bytes() <= 0
	}
	for _, o := range w.views {
		a, b := &w.values[o.operand], &w.values[o.result]
		g := first[o.operand]
		if first[o.result] != o.result || alone(a) || alone(b) || a.region != b.region || a.Bytes() != b.Bytes() {
			continue
		}
		if o.same || end[g] == b.first && a.Elem.Bits() == b.Elem.Bits() && slices.Equal(a.Dims, b.Dims) {
			first[o.result] = g
			end[g] = max(end[g], b.last)
		}
	}
	return first
}
