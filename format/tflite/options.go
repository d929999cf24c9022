package tflite

import (
	"bytes"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the options of an operator are a table whose form depends on the operator. Those that
// say in which order a kernel reads and writes are read here, by one list of fields for each form.
//
// Invariant: Operator.Options is nil if the operator has none of these forms, and if its table is damaged, missing,
// or of another form.
//
// Complexity: O(fields) for each operator.
//
// Source: the schema of tensorflow/tflite-micro 90b983c.

// Options are what a kernel is told beside its tensors. Fields that the operator does not have are zero.
type Options struct {
	Same             bool  // padding: windows are centred; if not, they stay inside the image
	StrideH          int32 // rows that a window moves
	StrideW          int32 // columns that a window moves
	DilationH        int32 // rows between two rows of a filter
	DilationW        int32 // columns between two columns of a filter
	FilterH          int32 // rows of a pool's window
	FilterW          int32 // columns of a pool's window
	DepthMultiplier  int32 // channels of the result for each of the operand
	Axis             int32 // below zero: from the end
	BlockSize        int32 // of SPACE_TO_DEPTH and DEPTH_TO_SPACE
	AlignCorners     bool  // of a resize: the corners' centres are at the same places
	HalfPixelCenters bool  // of a resize: a pixel is at its centre
	Activation       int32 // the fused activation, as numbered in the schema; 0 for none
	BeginMask        int32 // of STRIDED_SLICE, as are the others: a bit for each dimension
	EndMask          int32 // dimensions whose end is not given
	EllipsisMask     int32 // the dimension that stands for all that are not named
	NewAxisMask      int32 // dimensions that are new
	ShrinkAxisMask   int32 // dimensions that are left out
	Offset           bool  // the ends are lengths
}

// A form is a table of options: its number in the schema's union, and the fields that are read.
type form struct {
	number byte
	fields []option
}

// An option is a field of a form. What the file leaves out has the default, which is 0 if none is given.
type option struct {
	number  int
	name    string
	width   int // bytes: 4 is int32, 1 is int8 or bool
	set     func(o *Options, v int32)
	initial int32
}

func number(at int, name string, set func(o *Options, v int32)) option {
	return option{at, name, 4, set, 0}
}

func small(at int, name string, set func(o *Options, v int32)) option {
	return option{at, name, 1, set, 0}
}

func one(o option) option {
	o.initial = 1
	return o
}

// Fields that several forms have, at a number that depends on the form.
func padding(at int) option { // of the enum Padding: 0 is SAME
	return small(at, "padding", func(o *Options, v int32) { o.Same = v == 0 })
}

func strideW(at int) option {
	return number(at, "stride_w", func(o *Options, v int32) { o.StrideW = v })
}

func strideH(at int) option {
	return number(at, "stride_h", func(o *Options, v int32) { o.StrideH = v })
}

func dilationW(at int) option {
	return one(number(at, "dilation_w_factor", func(o *Options, v int32) { o.DilationW = v }))
}

func dilationH(at int) option {
	return one(number(at, "dilation_h_factor", func(o *Options, v int32) { o.DilationH = v }))
}

func activation(at int) option {
	return small(at, "fused_activation_function", func(o *Options, v int32) { o.Activation = v })
}
func axis(at int) option { return number(at, "axis", func(o *Options, v int32) { o.Axis = v }) }
func block(at int) option {
	return number(at, "block_size", func(o *Options, v int32) { o.BlockSize = v })
}

func corners(at int) option {
	return small(at, "align_corners", func(o *Options, v int32) { o.AlignCorners = v != 0 })
}

func centers(at int) option {
	return small(at, "half_pixel_centers", func(o *Options, v int32) { o.HalfPixelCenters = v != 0 })
}

var pool = []option{
	padding(0), strideW(1), strideH(2), number(3, "filter_width", func(o *Options, v int32) { o.FilterW = v }),
	number(4, "filter_height", func(o *Options, v int32) { o.FilterH = v }), activation(5),
}

// forms has the form of each operator whose options are read.
var forms = map[tfliteschema.BuiltinOperator]form{
	tfliteschema.BuiltinOperatorCONV_2D: {
		1, []option{padding(0), strideW(1), strideH(2), activation(3), dilationW(4), dilationH(5)},
	},
	tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D: {2, []option{
		padding(0), strideW(1), strideH(2), number(3, "depth_multiplier",
			func(o *Options, v int32) { o.DepthMultiplier = v }),
		activation(4), dilationW(5), dilationH(6),
	}},
	tfliteschema.BuiltinOperatorAVERAGE_POOL_2D: {5, pool},
	tfliteschema.BuiltinOperatorMAX_POOL_2D:     {5, pool},
	tfliteschema.BuiltinOperatorL2_POOL_2D:      {5, pool},
	tfliteschema.BuiltinOperatorFULLY_CONNECTED: {8, []option{activation(0)}},
	tfliteschema.BuiltinOperatorCONCATENATION:   {10, []option{axis(0), activation(1)}},
	tfliteschema.BuiltinOperatorADD:             {11, []option{activation(0)}},
	tfliteschema.BuiltinOperatorMUL:             {21, []option{activation(0)}},
	tfliteschema.BuiltinOperatorSUB:             {28, []option{activation(0)}},
	tfliteschema.BuiltinOperatorDIV:             {29, []option{activation(0)}},
	tfliteschema.BuiltinOperatorRESIZE_BILINEAR: {15, []option{corners(2), centers(3)}},

	tfliteschema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR: {74, []option{corners(0), centers(1)}},
	tfliteschema.BuiltinOperatorSPACE_TO_DEPTH:          {19, []option{block(0)}},
	tfliteschema.BuiltinOperatorDEPTH_TO_SPACE:          {94, []option{block(0)}},
	tfliteschema.BuiltinOperatorGATHER:                  {23, []option{axis(0)}},
	tfliteschema.BuiltinOperatorPACK:                    {59, []option{axis(1)}},
	tfliteschema.BuiltinOperatorUNPACK:                  {64, []option{axis(1)}},
	tfliteschema.BuiltinOperatorTRANSPOSE_CONV:          {49, []option{padding(0), strideW(1), strideH(2)}},
	tfliteschema.BuiltinOperatorSTRIDED_SLICE: {32, []option{
		number(0, "begin_mask", func(o *Options, v int32) { o.BeginMask = v }),
		number(1, "end_mask", func(o *Options, v int32) { o.EndMask = v }),
		number(2, "ellipsis_mask", func(o *Options, v int32) { o.EllipsisMask = v }),
		number(3, "new_axis_mask", func(o *Options, v int32) { o.NewAxisMask = v }),
		number(4, "shrink_axis_mask", func(o *Options, v int32) { o.ShrinkAxisMask = v }),
		small(5, "offset", func(o *Options, v int32) { o.Offset = v != 0 }),
	}},
}

// HasOptions reports whether operators of this kind have Options, unless these cannot be read.
func HasOptions(c Code) bool {
	_, ok := forms[tfliteschema.BuiltinOperator(c)]
	return ok
}

// optionsOf reads the options of an operator.
func (p *parser) optionsOf(o *tfliteschema.Operator, code tfliteschema.BuiltinOperator) *Options {
	f, ok := forms[code]
	if !ok || o.BuiltinOptionsType() != f.number {
		return nil
	}
	s := &shape{name: "options"}
	for _, x := range f.fields {
		s.fields = append(s.fields, field{x.number, x.name, scalar, x.width, nil})
	}
	at, _ := p.options(o, s)
	if at == 0 {
		return nil
	}
	out := &Options{}
	tab := flatbuffers.Table{Bytes: p.m.data, Pos: at}
	for _, x := range f.fields {
		offset := flatbuffers.UOffsetT(tab.Offset(flatbuffers.VOffsetT(4 + 2*x.number)))
		switch {
		case offset == 0:
			x.set(out, x.initial)
		case x.width == 1:
			x.set(out, int32(int8(p.m.data[at+offset])))
		default:
			x.set(out, int32(binary.LittleEndian.Uint32(p.m.data[at+offset:])))
		}
	}
	return out
}

// maxIntegers bounds the elements of a constant that says where a kernel reads.
const maxIntegers = 1 << 12

// Integers returns the elements of a constant tensor of whole numbers, such as paddings, axes or sizes. It is nil if
// the tensor is not constant, has other elements or more than 4096, or if its data is not in the model.
func (m *Model) Integers(tensor int) []int64 {
	t := &m.Tensors[tensor]
	width := 0
	switch t.Type {
	case Type(tfliteschema.TensorTypeINT8), Type(tfliteschema.TensorTypeUINT8), Type(tfliteschema.TensorTypeBOOL):
		width = 1
	case Type(tfliteschema.TensorTypeINT16):
		width = 2
	case Type(tfliteschema.TensorTypeINT32):
		width = 4
	case Type(tfliteschema.TensorTypeINT64):
		width = 8
	}
	if !t.Constant || width == 0 {
		return nil
	}
	data := m.constant(tensor)
	if len(data) == 0 || int64(len(data)) != t.Bytes || len(data) > maxIntegers*width {
		return nil
	}
	out := make([]int64, 0, len(data)/width)
	for ; len(data) > 0; data = data[width:] {
		switch width {
		case 1:
			v := int64(int8(data[0]))
			if t.Type == Type(tfliteschema.TensorTypeUINT8) {
				v = int64(data[0])
			}
			out = append(out, v)
		case 2:
			out = append(out, int64(int16(binary.LittleEndian.Uint16(data))))
		case 4:
			out = append(out, int64(int32(binary.LittleEndian.Uint32(data))))
		default:
			out = append(out, int64(binary.LittleEndian.Uint64(data)))
		}
	}
	return out
}

// Finite reports whether all elements of a constant tensor of floats are finite numbers.
func (m *Model) Finite(tensor int) bool {
	const exponent = 0xff << 23
	for data := m.constant(tensor); len(data) >= 4; data = data[4:] {
		if binary.LittleEndian.Uint32(data)&exponent == exponent {
			return false
		}
	}
	return true
}

// SameQuantization reports whether two tensors of the first subgraph have the same scales and zero points.
func (m *Model) SameQuantization(a, b int) bool {
	if m.edit != nil {
		return false // numbers of tensors are others than in the file
	}
	var g tfliteschema.SubGraph
	tfliteschema.GetRootAsModel(m.data, 0).Subgraphs(&g, 0)
	vectors := func(k int) (scales, zeros []byte) {
		var t tfliteschema.Tensor
		g.Tensors(&t, k)
		if q := t.Quantization(nil); q != nil {
			table := q.Table()
			vector := func(field flatbuffers.VOffsetT, width int) []byte {
				offset := flatbuffers.UOffsetT(table.Offset(4 + 2*field))
				if offset == 0 {
					return nil
				}
				at := int(table.Vector(offset))
				return m.data[at : at+width*table.VectorLen(offset)]
			}
			scales, zeros = vector(2, 4), vector(3, 8)
		}
		return scales, zeros
	}
	scales, zeros := vectors(a)
	otherScales, otherZeros := vectors(b)
	return bytes.Equal(scales, otherScales) && bytes.Equal(zeros, otherZeros)
}
