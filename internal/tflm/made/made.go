// Package made makes TensorFlow Lite models for tests: small ones with a known
// structure, and networks drawn at random that an interpreter can run.
package made

import (
	"encoding/binary"
	"math"

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

// Model returns a model file of these subgraphs.
func Model(graphs []Graph, metadata ...Metadata) []byte {
	b := flatbuffers.NewBuilder(1 << 12)
	buffers := [][]byte{nil}
	var codes []schema.BuiltinOperator
	code := func(c schema.BuiltinOperator) uint32 {
		for i, have := range codes {
			if have == c {
				return uint32(i)
			}
		}
		codes = append(codes, c)
		return uint32(len(codes) - 1)
	}
	var subgraphs []flatbuffers.UOffsetT
	for _, g := range graphs {
		var tensors, ops []flatbuffers.UOffsetT
		for _, t := range g.Tensors {
			buffer := 0
			if t.Data != nil {
				buffer = len(buffers)
				buffers = append(buffers, t.Data)
			}
			name, shape := b.CreateString(t.Name), ints(b, t.Shape)
			quantization := quantized(b, &t)
			schema.TensorStart(b)
			schema.TensorAddShape(b, shape)
			schema.TensorAddType(b, t.Type)
			schema.TensorAddBuffer(b, uint32(buffer))
			schema.TensorAddName(b, name)
			schema.TensorAddIsVariable(b, t.Variable)
			if quantization != 0 {
				schema.TensorAddQuantization(b, quantization)
			}
			tensors = append(tensors, schema.TensorEnd(b))
		}
		for _, o := range g.Ops {
			in, out := ints(b, o.Inputs), ints(b, o.Outputs)
			b.StartObject(len(o.Callees))
			for i, c := range o.Callees {
				b.PrependInt32Slot(i, c, 0)
			}
			opts := b.EndObject()
			schema.OperatorStart(b)
			schema.OperatorAddOpcodeIndex(b, code(o.Code))
			schema.OperatorAddInputs(b, in)
			schema.OperatorAddOutputs(b, out)
			if number := options[o.Code]; number > 0 {
				schema.OperatorAddBuiltinOptionsType(b, number)
				schema.OperatorAddBuiltinOptions(b, opts)
			}
			ops = append(ops, schema.OperatorEnd(b))
		}
		in, out, name := ints(b, g.Inputs), ints(b, g.Outputs), b.CreateString("main")
		t, o := tables(b, tensors), tables(b, ops)
		schema.SubGraphStart(b)
		schema.SubGraphAddTensors(b, t)
		schema.SubGraphAddInputs(b, in)
		schema.SubGraphAddOutputs(b, out)
		schema.SubGraphAddOperators(b, o)
		schema.SubGraphAddName(b, name)
		subgraphs = append(subgraphs, schema.SubGraphEnd(b))
	}
	var entries []flatbuffers.UOffsetT
	for _, m := range metadata {
		name := b.CreateString(m.Name)
		schema.MetadataStart(b)
		schema.MetadataAddName(b, name)
		schema.MetadataAddBuffer(b, uint32(len(buffers)))
		entries = append(entries, schema.MetadataEnd(b))
		buffers = append(buffers, m.Data)
	}
	var opcodes []flatbuffers.UOffsetT
	for _, c := range codes {
		schema.OperatorCodeStart(b)
		schema.OperatorCodeAddDeprecatedBuiltinCode(b, int8(min(c, 127)))
		schema.OperatorCodeAddBuiltinCode(b, c)
		opcodes = append(opcodes, schema.OperatorCodeEnd(b))
	}
	var data []flatbuffers.UOffsetT
	for _, d := range buffers {
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
		data = append(data, schema.BufferEnd(b))
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
