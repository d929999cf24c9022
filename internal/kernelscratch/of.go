package kernelscratch

import (
	"math"

	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: a kernel's Prepare has the shapes of its operands and the operator's options, and requests scratch for them.
// A table has a function with the same sums for each library and kind of operator.
//
// Invariant: for each operator with complete shapes, the sums equal the library's own size functions (lab/kernels
// compiles them and compares). The libraries count in 32 bits and some in 16: what does not fit is unknown.
//
// Complexity: O(1) for each operator.

// An Answer says who prepares an operator, and so where its figures come from.
type Answer int

// The answers.
const (
	Unknown     Answer = iota // the library may request scratch, and how much is not known
	ByVendor                  // the library's glue prepares it: the figures are in the answer
	ByReference               // as the reference kernel: the caller knows the figures
)

// A rule answers for one kind of operator.
type rule func(s Set, op *distance.Operator) ([]int64, Answer)

// rules returns the kinds of operators that a library's glue prepares otherwise than the reference kernels.
func rules(l distance.Library) map[string]rule {
	switch l {
	case distance.ESP:
		return espRules
	case distance.MVE, distance.DSP, distance.C:
		return cmsisRules
	}
	return nil
}

// Of returns the scratch buffers that a set's kernel requests for an operator, in order and in bytes, before the
// runtime rounds them. They are set only if the answer is ByVendor.
func Of(s Set, op *distance.Operator) ([]int64, Answer) {
	if s.Library == distance.Reference {
		return nil, ByReference
	}
	table := rules(s.Library)
	if table == nil {
		return nil, Unknown
	}
	r, ok := table[op.Kind]
	if !ok {
		return nil, ByReference
	}
	requests, answer := r(s, op)
	if answer != ByVendor {
		return nil, answer
	}
	for _, n := range requests {
		if n < 0 || n > math.MaxInt32 {
			return nil, Unknown
		}
	}
	return requests, ByVendor
}

// operand returns an operand, an empty one if it is left out.
func operand(op *distance.Operator, k int) *distance.Tensor {
	if k < len(op.Operands) {
		return &op.Operands[k]
	}
	return &distance.Tensor{}
}

// is reports whether a tensor has a type.
func is(t *distance.Tensor, name string) bool { return t.Type.Name == name }

// up rounds up to a multiple.
func up(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }
