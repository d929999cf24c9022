// Package tflitemade makes TensorFlow Lite models for tests: small ones with a known
// structure, and networks drawn at random that an interpreter can run.
package tflitemade

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// A Tensor of a model to make.
type Tensor struct {
	Name     string
	Shape    []int32
	Type     tfliteschema.TensorType
	Data     []byte // of a constant; nil for none
	Variable bool
	// Scales are those of its quantization, one or one for each channel, which are
	// those of a dimension; nil for none. Zero points are Zero.
	Scales    []float32
	Zero      int64
	Dimension int32
}

// An Op is an operator of a model to make. Inputs and outputs are numbers of the subgraph's tensors.
type Op struct {
	Code            tfliteschema.BuiltinOperator
	Custom          string // its name, if Code is CUSTOM
	Inputs, Outputs []int32
	Callees         []int32 // the first options, as the subgraphs of IF, WHILE and CALL_ONCE are
	// Options are those of the operator, by their numbers in the schema; a value is an int32, an
	// int8 or a bool. Without them, and without Callees, all have their defaults.
	Options map[int]any
}

// A Graph is a subgraph of a model to make.
type Graph struct {
	Tensors         []Tensor
	Ops             []Op
	Inputs, Outputs []int32
}

// options are the numbers of the union that holds an operator's options. The
// options themselves are empty tables, all defaults.
var options = map[tfliteschema.BuiltinOperator]byte{
	tfliteschema.BuiltinOperatorFULLY_CONNECTED: 8, tfliteschema.BuiltinOperatorCONCATENATION: 10,
	tfliteschema.BuiltinOperatorADD:     11,
	tfliteschema.BuiltinOperatorRESHAPE: 17, tfliteschema.BuiltinOperatorMUL: 21,
	tfliteschema.BuiltinOperatorDEQUANTIZE: 38,
	tfliteschema.BuiltinOperatorLEAKY_RELU: 75, tfliteschema.BuiltinOperatorIF: 92, tfliteschema.BuiltinOperatorWHILE: 93,
	tfliteschema.BuiltinOperatorCALL_ONCE: 103, tfliteschema.BuiltinOperatorSVDF: 6, tfliteschema.BuiltinOperatorMEAN: 27,
	tfliteschema.BuiltinOperatorCONV_2D: 1, tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D: 2,
	tfliteschema.BuiltinOperatorTRANSPOSE_CONV:  49,
	tfliteschema.BuiltinOperatorAVERAGE_POOL_2D: 5, tfliteschema.BuiltinOperatorMAX_POOL_2D: 5,
	tfliteschema.BuiltinOperatorL2_POOL_2D: 5,
	tfliteschema.BuiltinOperatorSOFTMAX:    9, tfliteschema.BuiltinOperatorL2_NORMALIZATION: 12,
	tfliteschema.BuiltinOperatorSUB: 28, tfliteschema.BuiltinOperatorDIV: 29,
	tfliteschema.BuiltinOperatorRESIZE_BILINEAR: 15, tfliteschema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR: 74,
	tfliteschema.BuiltinOperatorSUM: 27, tfliteschema.BuiltinOperatorREDUCE_MAX: 27,
	tfliteschema.BuiltinOperatorREDUCE_MIN: 27, tfliteschema.BuiltinOperatorREDUCE_ALL: 27,
	tfliteschema.BuiltinOperatorSQUEEZE: 30, tfliteschema.BuiltinOperatorSTRIDED_SLICE: 32,
	tfliteschema.BuiltinOperatorSPLIT: 35, tfliteschema.BuiltinOperatorSPLIT_V: 79,
	tfliteschema.BuiltinOperatorCAST: 37, tfliteschema.BuiltinOperatorARG_MAX: 40, tfliteschema.BuiltinOperatorARG_MIN: 57,
	tfliteschema.BuiltinOperatorSHAPE: 55,
	tfliteschema.BuiltinOperatorPACK:  59, tfliteschema.BuiltinOperatorUNPACK: 64, tfliteschema.BuiltinOperatorGATHER: 23,
	tfliteschema.BuiltinOperatorMIRROR_PAD:     77,
	tfliteschema.BuiltinOperatorSPACE_TO_DEPTH: 19, tfliteschema.BuiltinOperatorDEPTH_TO_SPACE: 94,
	tfliteschema.BuiltinOperatorBATCH_MATMUL: 101,
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
	builtin tfliteschema.BuiltinOperator
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
		tfliteschema.MetadataStart(b)
		tfliteschema.MetadataAddName(b, name)
		tfliteschema.MetadataAddBuffer(b, f.buffer(m.Data))
		entries = append(entries, tfliteschema.MetadataEnd(b))
	}
	var opcodes []flatbuffers.UOffsetT
	for _, c := range f.codes {
		var name flatbuffers.UOffsetT
		if c.custom != "" {
			name = b.CreateString(c.custom)
		}
		tfliteschema.OperatorCodeStart(b)
		tfliteschema.OperatorCodeAddDeprecatedBuiltinCode(b, int8(min(c.builtin, 127)))
		tfliteschema.OperatorCodeAddBuiltinCode(b, c.builtin)
		if c.custom != "" {
			tfliteschema.OperatorCodeAddCustomCode(b, name)
		}
		opcodes = append(opcodes, tfliteschema.OperatorCodeEnd(b))
	}
	var data []flatbuffers.UOffsetT
	for _, d := range f.buffers {
		data = append(data, f.bytes(d))
	}
	description := b.CreateString("made by a test")
	c, s, d, e := tables(b, opcodes), tables(b, subgraphs), tables(b, data), tables(b, entries)
	tfliteschema.ModelStart(b)
	tfliteschema.ModelAddVersion(b, 3)
	tfliteschema.ModelAddOperatorCodes(b, c)
	tfliteschema.ModelAddSubgraphs(b, s)
	tfliteschema.ModelAddDescription(b, description)
	tfliteschema.ModelAddBuffers(b, d)
	if len(entries) > 0 {
		tfliteschema.ModelAddMetadata(b, e)
	}
	b.FinishWithFileIdentifier(tfliteschema.ModelEnd(b), []byte("TFL3"))
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
	tfliteschema.SubGraphStart(b)
	tfliteschema.SubGraphAddTensors(b, t)
	tfliteschema.SubGraphAddInputs(b, in)
	tfliteschema.SubGraphAddOutputs(b, out)
	tfliteschema.SubGraphAddOperators(b, o)
	tfliteschema.SubGraphAddName(b, name)
	return tfliteschema.SubGraphEnd(b)
}

func (f *file) tensor(t *Tensor) flatbuffers.UOffsetT {
	b := f.Builder
	buffer := uint32(0)
	if t.Data != nil {
		buffer = f.buffer(t.Data)
	}
	name, shape := b.CreateString(t.Name), ints(b, t.Shape)
	quantization := quantized(b, t)
	tfliteschema.TensorStart(b)
	tfliteschema.TensorAddShape(b, shape)
	tfliteschema.TensorAddType(b, t.Type)
	tfliteschema.TensorAddBuffer(b, buffer)
	tfliteschema.TensorAddName(b, name)
	tfliteschema.TensorAddIsVariable(b, t.Variable)
	if quantization != 0 {
		tfliteschema.TensorAddQuantization(b, quantization)
	}
	return tfliteschema.TensorEnd(b)
}

func (f *file) operator(o *Op) flatbuffers.UOffsetT {
	b := f.Builder
	in, out := ints(b, o.Inputs), ints(b, o.Outputs)
	b.StartObject(max(len(o.Callees), 8))
	for i, c := range o.Callees {
		b.PrependInt32Slot(i, c, 0)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Options)) {
		switch v := o.Options[k].(type) {
		case int32:
			b.PrependInt32(v)
		case int8:
			b.PrependInt8(v)
		case bool:
			b.PrependBool(v)
		case float32:
			b.PrependFloat32(v)
		default:
			panic("an option is an int32, an int8, a bool or a float32")
		}
		b.Slot(k)
	}
	opts := b.EndObject()
	tfliteschema.OperatorStart(b)
	tfliteschema.OperatorAddOpcodeIndex(b, f.code(code{o.Code, o.Custom}))
	tfliteschema.OperatorAddInputs(b, in)
	tfliteschema.OperatorAddOutputs(b, out)
	if number := options[o.Code]; number > 0 {
		tfliteschema.OperatorAddBuiltinOptionsType(b, number)
		tfliteschema.OperatorAddBuiltinOptions(b, opts)
	}
	return tfliteschema.OperatorEnd(b)
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
	tfliteschema.BufferStart(b)
	if d != nil {
		tfliteschema.BufferAddData(b, v)
	}
	return tfliteschema.BufferEnd(b)
}

// quantized writes the quantization of a tensor and returns where it is, 0 for none.
func quantized(b *flatbuffers.Builder, t *Tensor) flatbuffers.UOffsetT {
	if t.Scales == nil {
		return 0
	}
	tfliteschema.QuantizationStartScaleVector(b, len(t.Scales))
	for i := len(t.Scales) - 1; i >= 0; i-- {
		b.PrependFloat32(t.Scales[i])
	}
	scale := b.EndVector(len(t.Scales))
	tfliteschema.QuantizationStartZeroPointVector(b, len(t.Scales))
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
