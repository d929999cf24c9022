// Package made makes TensorFlow Lite models for tests: small ones with a known
// structure, and networks drawn at random that an interpreter can run.
package made

import (
	"encoding/binary"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/internal/tflm/schema"
)

// A Tensor of a model to make.
type Tensor struct {
	Name     string
	Shape    []int32
	Type     schema.TensorType
	Data     []byte // of a constant; nil for none
	Variable bool
	// Scales are those of its quantization, one or one for each channel, which are
	// those of a dimension; nil for none. Zero points are Zero.
	Scales    []float32
	Zero      int64
	Dimension int32
}

// An Op is an operator of a model to make. Inputs and outputs are numbers of the
// subgraph's tensors.
type Op struct {
	Code            schema.BuiltinOperator
	Custom          string // its name, if Code is CUSTOM
	Inputs, Outputs []int32
	Callees         []int32 // the first options, as the subgraphs of IF, WHILE and CALL_ONCE are
}

// A Graph is a subgraph of a model to make.
type Graph struct {
	Tensors         []Tensor
	Ops             []Op
	Inputs, Outputs []int32
}

// options are the numbers of the union that holds an operator's options. The
// options themselves are empty tables, all defaults.
var options = map[schema.BuiltinOperator]byte{
	schema.BuiltinOperatorFULLY_CONNECTED: 8, schema.BuiltinOperatorCONCATENATION: 10, schema.BuiltinOperatorADD: 11,
	schema.BuiltinOperatorRESHAPE: 17, schema.BuiltinOperatorMUL: 21, schema.BuiltinOperatorDEQUANTIZE: 38,
	schema.BuiltinOperatorLEAKY_RELU: 75, schema.BuiltinOperatorIF: 92, schema.BuiltinOperatorWHILE: 93,
	schema.BuiltinOperatorCALL_ONCE: 103, schema.BuiltinOperatorSVDF: 6, schema.BuiltinOperatorMEAN: 27,
	schema.BuiltinOperatorCONV_2D: 1, schema.BuiltinOperatorDEPTHWISE_CONV_2D: 2, schema.BuiltinOperatorTRANSPOSE_CONV: 49,
	schema.BuiltinOperatorAVERAGE_POOL_2D: 5, schema.BuiltinOperatorMAX_POOL_2D: 5, schema.BuiltinOperatorL2_POOL_2D: 5,
	schema.BuiltinOperatorSOFTMAX: 9, schema.BuiltinOperatorL2_NORMALIZATION: 12, schema.BuiltinOperatorSUB: 28, schema.BuiltinOperatorDIV: 29,
	schema.BuiltinOperatorRESIZE_BILINEAR: 15, schema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR: 74,
	schema.BuiltinOperatorSUM: 27, schema.BuiltinOperatorREDUCE_MAX: 27, schema.BuiltinOperatorREDUCE_MIN: 27, schema.BuiltinOperatorREDUCE_ALL: 27,
	schema.BuiltinOperatorSQUEEZE: 30, schema.BuiltinOperatorSTRIDED_SLICE: 32, schema.BuiltinOperatorSPLIT: 35, schema.BuiltinOperatorSPLIT_V: 79,
	schema.BuiltinOperatorCAST: 37, schema.BuiltinOperatorARG_MAX: 40, schema.BuiltinOperatorARG_MIN: 57, schema.BuiltinOperatorSHAPE: 55,
	schema.BuiltinOperatorPACK: 59, schema.BuiltinOperatorUNPACK: 64, schema.BuiltinOperatorGATHER: 23, schema.BuiltinOperatorMIRROR_PAD: 77,
	schema.BuiltinOperatorSPACE_TO_DEPTH: 19, schema.BuiltinOperatorDEPTH_TO_SPACE: 94, schema.BuiltinOperatorBATCH_MATMUL: 101,
}

// Metadata is an entry of a model's metadata.
type Metadata struct {
	Name string
	Data []byte
}

// A file is a model that is being written. What a table refers to is written before it.
type file struct {
	*flatbuffers.Builder
	buffers [][]byte // of the model; the first is the empty one
	codes   []code
}

// A code is an entry of the model's operator codes.
type code struct {
	builtin schema.BuiltinOperator
	custom  string
}

// Model returns a model file of these subgraphs.
func Model(graphs []Graph, metadata ...Metadata) []byte {
	f := &file{Builder: flatbuffers.NewBuilder(1 << 12), buffers: [][]byte{nil}}
	b := f.Builder
	var subgraphs []flatbuffers.UOffsetT
	for i := range graphs {
		subgraphs = append(subgraphs, f.graph(&graphs[i]))
	}
	var entries []flatbuffers.UOffsetT
	for _, m := range metadata {
		name := b.CreateString(m.Name)
		schema.MetadataStart(b)
		schema.MetadataAddName(b, name)
		schema.MetadataAddBuffer(b, f.buffer(m.Data))
		entries = append(entries, schema.MetadataEnd(b))
	}
	var opcodes []flatbuffers.UOffsetT
	for _, c := range f.codes {
		var name flatbuffers.UOffsetT
		if c.custom != "" {
			name = b.CreateString(c.custom)
		}
		schema.OperatorCodeStart(b)
		schema.OperatorCodeAddDeprecatedBuiltinCode(b, int8(min(c.builtin, 127)))
		schema.OperatorCodeAddBuiltinCode(b, c.builtin)
		if c.custom != "" {
			schema.OperatorCodeAddCustomCode(b, name)
		}
		opcodes = append(opcodes, schema.OperatorCodeEnd(b))
	}
	var data []flatbuffers.UOffsetT
	for _, d := range f.buffers {
		data = append(data, f.bytes(d))
	}
	description := b.CreateString("made by a test")
	c, s, d, e := tables(b, opcodes), tables(b, subgraphs), tables(b, data), tables(b, entries)
	schema.ModelStart(b)
	schema.ModelAddVersion(b, 3)
	schema.ModelAddOperatorCodes(b, c)
	schema.ModelAddSubgraphs(b, s)
	schema.ModelAddDescription(b, description)
	schema.ModelAddBuffers(b, d)
	if len(entries) > 0 {
		schema.ModelAddMetadata(b, e)
	}
	b.FinishWithFileIdentifier(schema.ModelEnd(b), []byte("TFL3"))
	return b.FinishedBytes()
}

// buffer adds a buffer to the model and returns its number.
func (f *file) buffer(data []byte) uint32 {
	f.buffers = append(f.buffers, data)
	return uint32(len(f.buffers) - 1)
}

// code returns the number of an operator's code, which is added where it is new.
func (f *file) code(c code) uint32 {
	i := slices.Index(f.codes, c)
	if i < 0 {
		i, f.codes = len(f.codes), append(f.codes, c)
	}
	return uint32(i)
}

// graph writes a subgraph and returns where it is, as those below do.
func (f *file) graph(g *Graph) flatbuffers.UOffsetT {
	b := f.Builder
	var list, ops []flatbuffers.UOffsetT
	for i := range g.Tensors {
		list = append(list, f.tensor(&g.Tensors[i]))
	}
	for i := range g.Ops {
		ops = append(ops, f.operator(&g.Ops[i]))
	}
	in, out, name := ints(b, g.Inputs), ints(b, g.Outputs), b.CreateString("main")
	t, o := tables(b, list), tables(b, ops)
	schema.SubGraphStart(b)
	schema.SubGraphAddTensors(b, t)
	schema.SubGraphAddInputs(b, in)
	schema.SubGraphAddOutputs(b, out)
	schema.SubGraphAddOperators(b, o)
	schema.SubGraphAddName(b, name)
	return schema.SubGraphEnd(b)
}

func (f *file) tensor(t *Tensor) flatbuffers.UOffsetT {
	b := f.Builder
	buffer := uint32(0)
	if t.Data != nil {
		buffer = f.buffer(t.Data)
	}
	name, shape := b.CreateString(t.Name), ints(b, t.Shape)
	quantization := quantized(b, t)
	schema.TensorStart(b)
	schema.TensorAddShape(b, shape)
	schema.TensorAddType(b, t.Type)
	schema.TensorAddBuffer(b, buffer)
	schema.TensorAddName(b, name)
	schema.TensorAddIsVariable(b, t.Variable)
	if quantization != 0 {
		schema.TensorAddQuantization(b, quantization)
	}
	return schema.TensorEnd(b)
}

func (f *file) operator(o *Op) flatbuffers.UOffsetT {
	b := f.Builder
	in, out := ints(b, o.Inputs), ints(b, o.Outputs)
	b.StartObject(len(o.Callees))
	for i, c := range o.Callees {
		b.PrependInt32Slot(i, c, 0)
	}
	opts := b.EndObject()
	schema.OperatorStart(b)
	schema.OperatorAddOpcodeIndex(b, f.code(code{o.Code, o.Custom}))
	schema.OperatorAddInputs(b, in)
	schema.OperatorAddOutputs(b, out)
	if number := options[o.Code]; number > 0 {
		schema.OperatorAddBuiltinOptionsType(b, number)
		schema.OperatorAddBuiltinOptions(b, opts)
	}
	return schema.OperatorEnd(b)
}

// bytes writes what a buffer holds; nil is a buffer without.
func (f *file) bytes(d []byte) flatbuffers.UOffsetT {
	b := f.Builder
	var v flatbuffers.UOffsetT
	if d != nil {
		b.StartVector(1, len(d), 16)
		for i := len(d) - 1; i >= 0; i-- {
			b.PrependByte(d[i])
		}
		v = b.EndVector(len(d))
	}
	schema.BufferStart(b)
	if d != nil {
		schema.BufferAddData(b, v)
	}
	return schema.BufferEnd(b)
}

// quantized writes the quantization of a tensor and returns where it is, 0 for
// none.
func quantized(b *flatbuffers.Builder, t *Tensor) flatbuffers.UOffsetT {
	if t.Scales == nil {
		return 0
	}
	schema.QuantizationStartScaleVector(b, len(t.Scales))
	for i := len(t.Scales) - 1; i >= 0; i-- {
		b.PrependFloat32(t.Scales[i])
	}
	scale := b.EndVector(len(t.Scales))
	schema.QuantizationStartZeroPointVector(b, len(t.Scales))
	for range t.Scales {
		b.PrependInt64(t.Zero)
	}
	zero := b.EndVector(len(t.Scales))
	const fields, scales, zeros, dimension = 7, 2, 3, 6
	b.StartObject(fields)
	b.PrependUOffsetTSlot(scales, scale, 0)
	b.PrependUOffsetTSlot(zeros, zero, 0)
	b.PrependInt32Slot(dimension, t.Dimension, 0)
	return b.EndObject()
}

func ints(b *flatbuffers.Builder, x []int32) flatbuffers.UOffsetT {
	b.StartVector(4, len(x), 4)
	for i := len(x) - 1; i >= 0; i-- {
		b.PrependInt32(x[i])
	}
	return b.EndVector(len(x))
}

func tables(b *flatbuffers.Builder, x []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(x), 4)
	for i := len(x) - 1; i >= 0; i-- {
		b.PrependUOffsetT(x[i])
	}
	return b.EndVector(len(x))
}

// Elements is the product of a tensor's dimensions.
func Elements(t Tensor) int {
	n := 1
	for _, d := range t.Shape {
		n *= int(d)
	}
	return n
}

// Words are the bytes of int32 constants.
func Words(x ...int32) []byte {
	var out []byte
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out
}

// Floats are the bytes of float32 constants.
func Floats(x ...float32) []byte {
	var out []byte
	for _, f := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}
