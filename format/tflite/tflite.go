// Package tflite reads TensorFlow Lite models as problems of memory planning, with the lifespans of TensorFlow Lite
// Micro. It writes a plan into the model, where that runtime looks for it.
//
// A model is a flatbuffer: subgraphs of operators that read and write tensors. The tensors that are neither constants
// nor variables share one arena. The size of a tensor follows from its shape and type, its lifespan from the order of
// the operators (lifetime.go). The metadata OfflineMemoryAllocation holds a plan: an offset for each tensor
// (offline.go). To write it, the package puts a new head before the old file, which stays unchanged (prepend.go).
//
// The package trusts no offset, length, shape or index of a file (sound.go, read.go).
//
// Sources: tensorflow/tflite-micro 90b983c: micro_allocation_info.cc for lifespans,
// memory_helpers.cc for sizes, the schema for the format.
package tflite

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Alignment is the alignment in bytes of each buffer in the arena of TensorFlow Lite
// Micro. Sizes are rounded up to a multiple of it.
const Alignment = 16

// A Model is the part of a model that planning needs.
type Model struct {
	// File is the file's name, for messages.
	File string
	// Description is the description in the model, often the name of its converter.
	Description string
	// Tensors has the tensors of all subgraphs, one subgraph after the other.
	// TensorFlow Lite Micro numbers tensors in this order.
	Tensors []Tensor
	// Subgraphs has the subgraphs of the model. The first is the one that a program runs.
	Subgraphs []Subgraph
	// Operators has the operators of all subgraphs, one subgraph after the other.
	Operators []Operator
	// Offline is the plan in the model; nil if there is none.
	Offline *Offline
	// TrailingZIP says that a ZIP archive with associated files follows the flatbuffer.
	TrailingZIP bool

	data []byte
	edit *edited // of a sketch: see Edited
}

// Resources counts the resource variables: the different names of the VAR_HANDLE operators.
func (m *Model) Resources() int {
	names := map[string]bool{}
	for k := range m.Operators {
		if o := &m.Operators[k]; o.Code == Code(tfliteschema.BuiltinOperatorVAR_HANDLE) {
			names[o.Resource] = true
		}
	}
	return len(names)
}

// A Tensor is one value of the model.
type Tensor struct {
	Name  string  // as in the file; may be empty, and several tensors may have the same
	Type  Type    // type of its elements
	Shape []int32 // dimensions, none negative; empty for a scalar
	// Bytes is the size in bytes: the number of elements of Shape times the size of Type.
	Bytes int64
	// Constant tensors have their data in the file. Variable tensors keep their value
	// between runs. Neither kind is in the head of the arena.
	Constant, Variable bool
	Buffer             int // index of the constant's data in the model's buffers
	// Handle says that the tensor is the result of a VAR_HANDLE. The kernel keeps it, so the plan has no place for it.
	Handle bool
	// Channels counts the scales of the tensor's quantization: 1 for the whole tensor, more for one a channel. It is 0
	// if the tensor has no scales, or scales without zero points.
	Channels int
}

// Arena reports whether the plan of the arena has a place for the tensor.
func (t *Tensor) Arena() bool { return !t.Constant && !t.Variable && !t.Handle && t.Bytes > 0 }

// A Subgraph is a range of tensors and a range of operators.
type Subgraph struct {
	Name            string  // as in the file
	FirstTensor     int     // its tensors are Model.Tensors[FirstTensor:FirstTensor+TensorCount]
	TensorCount     int     // number of its tensors
	FirstOperator   int     // its operators are Model.Operators[FirstOperator:FirstOperator+OperatorCount]
	OperatorCount   int     // number of its operators
	Inputs, Outputs []int32 // tensors, as indices into Model.Tensors
}

// An Operator is one step of a subgraph.
type Operator struct {
	Code   Code   // number in the schema
	Custom string // name of a custom operator (Code is CUSTOM); empty for others
	// Inputs and Outputs are indices into Model.Tensors; -1 means that the operator has no such input.
	Inputs, Outputs []int32
	// Callees are the subgraphs that an IF, WHILE or CALL_ONCE runs.
	Callees []int32
	// Resource is the name of the variable of a VAR_HANDLE.
	Resource string
	// TransposedX and TransposedY say that a BATCH_MATMUL transposes its first or its second operand.
	TransposedX, TransposedY bool
	// Options say in which order the kernel reads and writes. It is nil if the operator has no such options, or if
	// they cannot be read.
	Options *Options
}

// A Type is the element type of a tensor, numbered as in the schema.
type Type int8

// String returns the type's name in the schema, such as FLOAT32.
func (t Type) String() string { return nameIn(tfliteschema.EnumNamesTensorType(), int(t), "type ") }

// A Code is a builtin operator, numbered as in the schema.
type Code int32

// String returns the operator's name in the schema, such as CONV_2D.
func (c Code) String() string {
	return nameIn(tfliteschema.EnumNamesBuiltinOperator(), int(c), "operator ")
}

// nameIn returns name k of a list. If it has none, nameIn returns k behind what it is.
func nameIn(names []string, k int, what string) string {
	if k >= 0 && k < len(names) {
		return names[k]
	}
	return what + strconv.Itoa(k)
}

// Name returns the operator's name in the schema, or the name of a custom operator.
func (o *Operator) Name() string {
	if o.Custom != "" {
		return o.Custom
	}
	return o.Code.String()
}

// typeSizes has the bytes of an element of each type that TensorFlow Lite Micro
// knows the size of, by number; 0 for the others. INT4 takes a whole byte in the arena.
var typeSizes = [...]int64{
	tfliteschema.TensorTypeFLOAT32: 4, tfliteschema.TensorTypeFLOAT16: 2, tfliteschema.TensorTypeINT32: 4,
	tfliteschema.TensorTypeUINT8: 1,
	tfliteschema.TensorTypeINT64: 8, tfliteschema.TensorTypeBOOL: 1, tfliteschema.TensorTypeINT16: 2,
	tfliteschema.TensorTypeCOMPLEX64: 8,
	tfliteschema.TensorTypeINT8:      1, tfliteschema.TensorTypeFLOAT64: 8, tfliteschema.TensorTypeCOMPLEX128: 16,
	tfliteschema.TensorTypeUINT64:   8,
	tfliteschema.TensorTypeRESOURCE: 4, tfliteschema.TensorTypeUINT32: 4, tfliteschema.TensorTypeUINT16: 2,
	tfliteschema.TensorTypeINT4: 1, tfliteschema.TensorTypeBFLOAT16: 2,
}
