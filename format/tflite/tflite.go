// Package tflite reads TensorFlow Lite models as problems of memory planning,
// derives the lifespans that TensorFlow Lite Micro derives, and writes a plan
// back into the model, where that runtime looks for it.
//
// A model is a flatbuffer: subgraphs of operators that read and write tensors.
// The tensors that are neither constants nor variables share one arena; each
// has a size from its shape and type, and a lifespan from the order of the
// operators (lifetime.go). A plan goes into the metadata
// OfflineMemoryAllocation, an offset for each tensor (offline.go), by putting a
// new head before the old file, which stays as it is (prepend.go).
//
// No offset, length, shape or index of a file is trusted (sound.go, read.go).
//
// Sources: tensorflow/tflite-micro 90b983c: micro_allocation_info.cc for
// lifespans, memory_helpers.cc for sizes, the schema for the format.
package tflite

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/tflm/schema"
)

// Alignment is what TensorFlow Lite Micro aligns each buffer of the arena to,
// and rounds its size up to, in bytes.
const Alignment = 16

// A Model is what a file says about memory.
type Model struct {
	// File is the name for messages.
	File string
	// Description is the model's own, often that of the converter.
	Description string
	// Tensors are those of all subgraphs, subgraph by subgraph: the order in
	// which TensorFlow Lite Micro numbers them.
	Tensors []Tensor
	// Subgraphs are the parts of the model; the first is where it starts.
	Subgraphs []Subgraph
	// Operators are those of all subgraphs, subgraph by subgraph.
	Operators []Operator
	// Offline is the plan that the file has; nil for none.
	Offline *Offline
	// TrailingZIP says that files are associated with the model, as a ZIP archive
	// behind the flatbuffer.
	TrailingZIP bool

	data []byte
}

// A Tensor is one value of the model.
type Tensor struct {
	Name  string  // as the file has it; may be empty or that of others too
	Type  Type    // of its elements
	Shape []int32 // its dimensions, none negative; empty for a scalar
	// Bytes is the size: the elements of Shape times the size of Type.
	Bytes int64
	// Constant tensors have their data in the file, variable ones keep their
	// value between runs; neither shares the arena's head.
	Constant, Variable bool
	Buffer             int // index of the constant's data in the model's buffers
	// Handle says that it is the result of a VAR_HANDLE: the kernel keeps it, so it
	// takes no room in the plan.
	Handle bool
	// Channels counts the scales of its quantization: 1 for the whole tensor, more
	// for one a channel, 0 where it has none, or scales without zero points.
	Channels int
}

// Arena reports whether the tensor takes part in the plan of the arena.
func (t *Tensor) Arena() bool { return !t.Constant && !t.Variable && !t.Handle && t.Bytes > 0 }

// A Subgraph is a range of tensors and of operators. Inputs and outputs are
// indices into Model.Tensors.
type Subgraph struct {
	Name            string  // as the file has it
	FirstTensor     int     // its tensors are Tensors[FirstTensor:FirstTensor+TensorCount]
	TensorCount     int     // how many they are
	FirstOperator   int     // its operators are Operators[FirstOperator:FirstOperator+OperatorCount]
	OperatorCount   int     // how many they are
	Inputs, Outputs []int32 // tensors, as indices into Model.Tensors
}

// An Operator is a step of a subgraph.
type Operator struct {
	Code   Code   // the operator's number in the schema
	Custom string // its name where that number is CUSTOM, else empty
	// Inputs and Outputs are indices into Model.Tensors; -1 is an input left out.
	Inputs, Outputs []int32
	// Callees are the subgraphs that the operator runs: those of IF, WHILE and
	// CALL_ONCE.
	Callees []int32
	// Resource is the name of the variable that a VAR_HANDLE stands for.
	Resource string
	// TransposedX and TransposedY say that a BATCH_MATMUL transposes its first or
	// its second operand.
	TransposedX, TransposedY bool
}

// A Type is the element type of a tensor, as the schema numbers them.
type Type int8

// String returns the type's name in the schema, such as FLOAT32.
func (t Type) String() string {
	if name, ok := schema.EnumNamesTensorType()[schema.TensorType(t)]; ok {
		return name
	}
	return "type " + strconv.Itoa(int(t))
}

// A Code is a builtin operator, as the schema numbers them.
type Code int32

// String returns the operator's name in the schema, such as CONV_2D.
func (c Code) String() string {
	if name, ok := schema.EnumNamesBuiltinOperator()[schema.BuiltinOperator(c)]; ok {
		return name
	}
	return "operator " + strconv.Itoa(int(c))
}

// Name returns the operator's name in the schema, or that of the custom one.
func (o *Operator) Name() string {
	if o.Custom != "" {
		return o.Custom
	}
	return o.Code.String()
}

// typeSizes has the bytes of an element of each type that TensorFlow Lite Micro
// knows the size of, by number; 0 for the others. INT4 takes a whole byte in the arena.
var typeSizes = [...]int64{
	schema.TensorTypeFLOAT32: 4, schema.TensorTypeFLOAT16: 2, schema.TensorTypeINT32: 4, schema.TensorTypeUINT8: 1,
	schema.TensorTypeINT64: 8, schema.TensorTypeBOOL: 1, schema.TensorTypeINT16: 2, schema.TensorTypeCOMPLEX64: 8,
	schema.TensorTypeINT8: 1, schema.TensorTypeFLOAT64: 8, schema.TensorTypeCOMPLEX128: 16, schema.TensorTypeUINT64: 8,
	schema.TensorTypeRESOURCE: 4, schema.TensorTypeUINT32: 4, schema.TensorTypeUINT16: 2, schema.TensorTypeINT4: 1,
	schema.TensorTypeBFLOAT16: 2,
}
