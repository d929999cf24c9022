package distance

import (
	"fmt"
	"math"
)

// An Operator is a call of a kernel, with all that its order of reading and writing depends on. A field
// that a kind does not have is left zero.
type Operator struct {
	Kind     string   // TensorFlow Lite's name of the operator, such as "CONV_2D"
	Operands []Tensor // in TensorFlow Lite's order; one that is left out is the zero Tensor
	Results  []Tensor

	Stride          [2]int  // rows, columns; 0 is 1
	Dilation        [2]int  // rows, columns; 0 is 1
	Filter          [2]int  // rows, columns of a pool; a convolution's is in the shape of its second operand
	Padding         Padding // of a convolution or a pool
	DepthMultiplier int     // of DEPTHWISE_CONV_2D; 0: channels of the result / channels of the operand

	Axis             int    // of CONCATENATION, PACK, UNPACK, GATHER; below zero: from the end
	BlockSize        int    // of SPACE_TO_DEPTH, DEPTH_TO_SPACE
	AlignCorners     bool   // of the RESIZE operators
	HalfPixelCenters bool   // of the RESIZE operators
	Activation       string // the fused activation, TensorFlow Lite's name; "" and "NONE" are none
	Symmetric        bool   // of MIRROR_PAD: the outermost element is repeated, too
	TransposedX      bool   // of BATCH_MATMUL: the first operand is transposed
	TransposedY      bool   // of BATCH_MATMUL: so is the second
	PerChannel       bool   // the filter has a scale for each channel, if a kernel then takes another path

	// The masks of STRIDED_SLICE, a bit for each dimension, and Offset: the ends are lengths.
	BeginMask, EndMask, EllipsisMask, NewAxisMask, ShrinkAxisMask int
	Offset                                                        bool
}

// Padding says what a window does at the edges of the image.
type Padding int

// The two ways, as TensorFlow Lite has them.
const (
	Valid Padding = iota // it stays inside
	Same                 // it is centred; what lies outside counts as zero
)

// A Tensor is an operand or a result.
type Tensor struct {
	Shape    []int
	Type     Type
	Constant bool    // it is in the model, not in the arena: no permit is for it
	Data     []int64 // elements of a constant that says what is read where (paddings, begins, sizes, axes), else nil
}

// A Type is the type of a tensor's elements.
type Type struct {
	Name  string // TensorFlow Lite's name, such as "INT8"
	Bytes int    // of an element; 0 if it has not a whole number of bytes
}

// TypeOf returns the type of a name of TensorFlow Lite's. One that is not known has no bytes, so that
// nothing is permitted for it.
func TypeOf(name string) Type {
	switch name {
	case "INT8", "UINT8", "BOOL":
		return Type{name, 1}
	case "INT16", "UINT16", "FLOAT16", "BFLOAT16":
		return Type{name, 2}
	case "INT32", "UINT32", "FLOAT32":
		return Type{name, 4}
	case "INT64", "UINT64", "FLOAT64", "COMPLEX64":
		return Type{name, 8}
	case "COMPLEX128":
		return Type{name, 16}
	}
	return Type{Name: name}
}

// most bounds the bytes of a tensor, so that no sum or product here overflows.
const most = math.MaxInt64 >> 16

// Elements returns the number of elements, 1 for a scalar, and -1 if a dimension is below 1 or the bytes
// would be too many.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		if d < 1 || n > most/16/int64(d) {
			return -1
		}
		n *= int64(d)
	}
	return n
}

// bytes returns the bytes of a tensor that was checked.
func (t *Tensor) bytes() int64 { return t.Elements() * t.size() }

// size returns the bytes of an element.
func (t *Tensor) size() int64 { return int64(t.Type.Bytes) }

// given reports whether an operand is there.
func (t *Tensor) given() bool { return t.Type.Name != "" }

// dims returns the shape with leading ones up to n dimensions, false if it has more.
func (t *Tensor) dims(n int) ([]int64, bool) {
	if len(t.Shape) > n {
		return nil, false
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	for i, d := range t.Shape {
		out[n-len(t.Shape)+i] = int64(d)
	}
	return out, true
}

// has reports what an operator lacks that a rule looks at: some operands, and an exact number of results.
func (op *Operator) has(operands, results int) string {
	if len(op.Operands) < operands || len(op.Results) != results {
		return fmt.Sprintf("it has %d operands and %d results", len(op.Operands), len(op.Results))
	}
	for i := range operands {
		if !op.Operands[i].given() {
			return fmt.Sprintf("operand %d is left out", i)
		}
	}
	return ""
}
