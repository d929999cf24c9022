package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: some operators may write their result over an operand that dies there.
// RESHAPE's bytes are the operand's, and its kernel skips the copy where both are
// at one place; an element-wise kernel reads each element before it writes the
// same one. Such a pair is planned as one buffer that lives from the operand's
// beginning to the result's end.
//
// Invariant: the tensors of a group have equal sizes and live one after the
// other, each sharing with the next only the tick of the operator between them.
//
// It lowers an arena rarely: the peak of a convolution net is the input and
// output of a convolution. So it is an option.
//
// Source: reference kernels of tensorflow/tflite-micro 90b983c; TestInterpreter
// runs models that are planned in place in its interpreter.

// inPlace are the operators whose result may lie over an operand.
var inPlace = map[string]bool{
	"RESHAPE": true, "ADD": true, "MUL": true, "RELU": true, "LEAKY_RELU": true, "LOGISTIC": true,
}

// groups unites results with the operands that they may lie over, where the two
// are also to. It returns, for each tensor, the first tensor of its group:
// itself where it is alone.
func groups(m *tflite.Model, l *tflite.Lifetimes, are func(operand, result int) bool) []int {
	first := make([]int, len(m.Tensors))
	taken := make([]bool, len(m.Tensors)) // has a result over it
	for i := range first {
		first[i] = i
	}
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := range s.OperatorCount {
			o := &m.Operators[s.FirstOperator+k]
			if !inPlace[o.Name()] || len(o.Outputs) != 1 {
				continue
			}
			operands := o.Inputs
			if o.Name() == "RESHAPE" && len(operands) > 1 {
				operands = operands[:1] // the second is the shape
			}
			for _, in := range operands {
				if in >= 0 && !taken[in] && are(int(in), int(o.Outputs[0])) && mayShare(m, l, s, s.FirstOperator+k, int(in), int(o.Outputs[0])) {
					taken[in] = true
					first[o.Outputs[0]] = first[in]
					break
				}
			}
		}
	}
	return first
}

// inPlaceAt reports whether one of two tensors is the result of an operator that
// may lie over the other, its operand.
func inPlaceAt(m *tflite.Model, l *tflite.Lifetimes, a, b int) bool {
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := range s.OperatorCount {
			at := s.FirstOperator + k
			o := &m.Operators[at]
			if !inPlace[o.Name()] || len(o.Outputs) != 1 {
				continue
			}
			out, in := int(o.Outputs[0]), a
			if out == a {
				in = b
			} else if out != b {
				continue
			}
			if slices.Contains(o.Inputs, int32(in)) && mayShare(m, l, s, at, in, out) {
				return true
			}
		}
	}
	return false
}

// mayShare reports whether the result of an operator may lie over an operand.
func mayShare(m *tflite.Model, l *tflite.Lifetimes, s *tflite.Subgraph, operator, in, out int) bool {
	a, b := &m.Tensors[in], &m.Tensors[out]
	if in == out || !a.Arena() || !b.Arena() || a.Bytes != b.Bytes || a.Type != b.Type {
		return false
	}
	now := l.Operators[operator]
	return l.Tensors[in].Last == now.First && l.Tensors[in].First < now.First && l.Tensors[out].First == now.First &&
		!slices.Contains(s.Outputs, int32(in))
}

// unite returns the arena's problem with a buffer for each group, and for each
// tensor's buffer of the arena which buffer of the new problem it is in.
func unite(a *tflite.Arena, first []int) (*model.Problem, []int) {
	p := &model.Problem{Name: a.Problem.Name}
	in := make([]int, len(a.Tensor))
	at := map[int]int{} // by first tensor of the group
	for k, t := range a.Tensor {
		b := a.Problem.Buffers[k]
		if t >= 0 {
			if to, ok := at[first[t]]; ok {
				u := &p.Buffers[to]
				u.Lower, u.Upper = min(u.Lower, b.Lower), max(u.Upper, b.Upper)
				in[k] = to
				continue
			}
			at[first[t]] = len(p.Buffers)
		}
		in[k] = len(p.Buffers)
		p.Buffers = append(p.Buffers, b)
	}
	return p, in
}
