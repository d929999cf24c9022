// Package onnx reads ONNX models as problems of memory planning.
//
// A model is a protobuf: a graph of nodes that read and write named tensors. The file
// rarely has the sizes of the tensors between nodes, so the package derives them.
// infer.go walks the graph once, in the order of the file, which is topological. The
// files ops_….go have the rule for each operator, and fold.go computes the small
// integer tensors from which shapes follow. said.go adds what the file and the user
// say, and cause.go explains which sizes are still open. lifetime.go counts the time
// of lifespans in the same walk, and problem.go makes the buffers of the arena.
//
// # Where sizes come from
//
// There are three sources: the shape that follows from a node's inputs, the shape that
// the file gives (value_info, and the types of outputs), and sizes that the user gives
// (Options). Options.Dims gives the dimensions that inputs leave open. An error names
// the source that is missing.
//
// # What the arena holds
//
// The arena holds every tensor that is neither stored nor constant. Stored tensors are
// the initialisers, whose data is in the file or beside it. Constant tensors are
// computed only from constants, which a compiler does once. The package opens no file
// of external data.
//
// The package trusts no offset, length, shape or index of a file (wire.go).
//
// Sources: onnx 1.23.2, onnx.proto for the format and the operators' definitions for
// shapes.
package onnx

import (
	"strconv"
	"strings"
)

// Alignment is the default of Options.Alignment, in bytes.
const Alignment = 64

// A Model is the part of a model that planning needs.
type Model struct {
	File      string // file name, for messages
	IRVersion int64  // version of the format
	Producer  string // program that wrote the file
	Nodes     int    // number of nodes, including those of nested graphs and functions

	graph     *graph
	functions map[functionKey]*function
	opsets    opsets
	names     []string // of values, by number
	size      int      // of the file
	values    int      // that nodes make, initialisers and inputs
	notes     []string // what had to be decided
}

// opsets are the versions of the sets of operators that nodes mean, by domain; that of
// ONNX itself is "".
type opsets map[string]int64

type graph struct {
	nodes   []node
	inputs  []valueInfo
	outputs []valueInfo
	stored  []initializer
	// declared has what the file says of values, by name.
	declared map[int32]*typeInfo
}

type function struct {
	nodes    []node
	inputs   []int32 // names
	outputs  []int32
	defaults []attribute
	declared map[int32]*typeInfo
	opsets   opsets
}

type functionKey struct{ domain, name, overload string }

// A node of a graph. Values are by the number of their name; 0 is the empty name,
// an input or output left out.
type node struct {
	op, domain, overload, name string
	in, out                    []int32
	attributes                 []attribute
}

// label names a node in messages.
func (n *node) label(at int) string {
	s := "node " + strconv.Itoa(at)
	if n.name != "" && len(n.name) <= longName {
		s += " " + strconv.Quote(n.name)
	}
	return s + " (" + n.operator() + ")"
}

// operator returns the name of the operator, with its domain where that is not
// the standard one.
func (n *node) operator() string {
	op := n.op
	if len(op) > longName {
		op = op[:longName] + "…"
	}
	if standard(n.domain) || len(n.domain) > longName {
		return op
	}
	return n.domain + "." + op
}

// longName is the length of names beyond which messages do without them.
const longName = 80

// quoted returns a name for messages, the beginning of a long one.
func quoted(name string) string {
	if len(name) > longName {
		name = name[:longName] + "…"
	}
	return strconv.Quote(name)
}

// standard reports whether a domain is that of ONNX itself.
func standard(domain string) bool { return domain == "" || domain == "ai.onnx" }

// An attribute of a node: one of these is set, as the file has it.
type attribute struct {
	name, reference string // reference: the attribute of a function that it stands for
	i               int64
	f               float64
	s               string
	ints            []int64
	floats          []float64
	strings         int // how many strings there are
	tensor          *tensor
	graph           *graph
	typ             *typeInfo
	set             set
}

// set says which fields of an attribute are there.
type set uint8

const (
	setInt set = 1 << iota
	setFloat
	setString
	setLong // a list that is too long to be of use for shapes; it is not kept
)

// A tensor of the file. The data stay there.
type tensor struct {
	elem   Type
	dims   []int64
	body   []byte // the message
	opaque bool   // the data are elsewhere, or sparse
}

type initializer struct {
	name   int32
	tensor tensor
}

// valueInfo is what the file says of a value.
type valueInfo struct {
	name int32
	typ  *typeInfo
}

// typeInfo is the type of a value.
type typeInfo struct {
	kind   kind
	elem   Type
	ranked bool // has a shape
	dims   []dimension
	of     *typeInfo // of a sequence or an optional
}

type kind uint8

const (
	kindNone kind = iota
	kindTensor
	kindSequence
	kindOptional
	kindOther
)

// A dimension is a number, or a name, or nothing.
type dimension struct {
	value int64 // -1 for none
	name  string
}

// A Type is the element type of a tensor, numbered as in ONNX.
type Type int32

// types has the names and the bits of an element of each type; 0 bits is not
// known: strings have any length.
var types = [...]struct {
	name string
	bits int64
}{
	0: {"UNDEFINED", 0}, 1: {"FLOAT", 32}, 2: {"UINT8", 8}, 3: {"INT8", 8}, 4: {"UINT16", 16}, 5: {"INT16", 16},
	6: {"INT32", 32}, 7: {"INT64", 64}, 8: {"STRING", 0}, 9: {"BOOL", 8}, 10: {"FLOAT16", 16}, 11: {"DOUBLE", 64},
	12: {"UINT32", 32}, 13: {"UINT64", 64}, 14: {"COMPLEX64", 64}, 15: {"COMPLEX128", 128}, 16: {"BFLOAT16", 16},
	17: {"FLOAT8E4M3FN", 8}, 18: {"FLOAT8E4M3FNUZ", 8}, 19: {"FLOAT8E5M2", 8}, 20: {"FLOAT8E5M2FNUZ", 8},
	21: {"UINT4", 4}, 22: {"INT4", 4}, 23: {"FLOAT4E2M1", 4}, 24: {"FLOAT8E8M0", 8}, 25: {"UINT2", 2}, 26: {"INT2", 2},
	27: {"FLOAT6E2M3", 6}, 28: {"FLOAT6E3M2", 6},
}

// The types that rules name.
const (
	typeFloat  Type = 1
	typeUint8  Type = 2
	typeInt8   Type = 3
	typeUint16 Type = 4
	typeInt16  Type = 5
	typeInt32  Type = 6
	typeInt64  Type = 7
	typeString Type = 8
	typeBool   Type = 9
	typeDouble Type = 11
	typeUint32 Type = 12
	typeUint64 Type = 13
)

// String returns the type's name in ONNX, such as FLOAT.
func (t Type) String() string {
	if t >= 0 && int(t) < len(types) {
		return types[t].name
	}
	return "type " + strconv.Itoa(int(t))
}

// bits returns how many bits an element takes, 0 where that is not known.
func (t Type) bits() int64 {
	if t >= 0 && int(t) < len(types) {
		return types[t].bits
	}
	return 0
}

// integer reports whether elements are whole numbers or truth values, and of at
// least eight bits, as in what shapes are computed from.
func (t Type) integer() bool {
	return t >= typeUint8 && t <= typeInt64 || t == typeBool || t == typeUint32 || t == typeUint64
}

// float reports whether fold.go knows how to compute with the type's fractions.
func (t Type) float() bool { return t == typeFloat || t == typeDouble }

// elements returns the product of dimensions, -1 where one is open or there are
// too many.
func elements(dims []int64) int64 {
	if dims == nil {
		return -1
	}
	n := int64(1)
	for _, d := range dims {
		if d == 0 {
			return 0
		}
	}
	for _, d := range dims {
		if d < 0 || n > maxElements/d {
			return -1
		}
		n *= d
	}
	return n
}

// maxElements bounds the elements of a tensor, and each of its dimensions.
const maxElements = 1 << 44

// maxRank is how many dimensions a tensor may have: NumPy's limit.
const maxRank = 64

// bytesOf returns the bytes of a tensor, elements of fewer than eight bits packed;
// -1 where that is not known.
func bytesOf(elem Type, dims []int64) int64 {
	n, bits := elements(dims), elem.bits()
	if n < 0 || bits == 0 {
		return -1
	}
	return (n*bits + 7) / 8
}

// shapeText formats a shape for messages.
func shapeText(dims []int64) string {
	if dims == nil {
		return "of unknown rank"
	}
	var s strings.Builder
	s.WriteByte('[')
	for i, d := range dims {
		if i > 0 {
			s.WriteByte(',')
		}
		if d < 0 {
			s.WriteByte('?')
		} else {
			s.WriteString(strconv.FormatInt(d, 10))
		}
	}
	s.WriteByte(']')
	return s.String()
}
