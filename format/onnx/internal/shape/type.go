package shape

import (
	"strconv"
	"strings"
)

// A Kind says whether a value is a tensor.
type Kind uint8

const (
	KindNone Kind = iota
	KindTensor
	KindSequence
	KindOptional
	KindOther
)

// A Type is the element type of a tensor, numbered as in ONNX.
type Type int32

// types has the names and the bits of an element of each type; 0 bits is not known: strings have any length.
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
	TypeFloat  Type = 1
	TypeUint8  Type = 2
	TypeInt8   Type = 3
	TypeUint16 Type = 4
	TypeInt16  Type = 5
	TypeInt32  Type = 6
	TypeInt64  Type = 7
	TypeString Type = 8
	TypeBool   Type = 9
	TypeDouble Type = 11
	TypeUint32 Type = 12
	TypeUint64 Type = 13
)

// String returns the type's name in ONNX, such as FLOAT.
func (t Type) String() string {
	if t >= 0 && int(t) < len(types) {
		return types[t].name
	}
	return "type " + strconv.Itoa(int(t))
}

// Bits returns how many bits an element takes, 0 if that is not known.
func (t Type) Bits() int64 {
	if t >= 0 && int(t) < len(types) {
		return types[t].bits
	}
	return 0
}

// Named returns the type that people call so: by ONNX's name, in capitals or not, or float32 and float64.
func Named(name string) (t Type, ok bool) {
	switch name = strings.ToUpper(name); name {
	case "FLOAT32":
		name = "FLOAT"
	case "FLOAT64":
		name = "DOUBLE"
	}
	for k := range types {
		if types[k].name == name && types[k].bits > 0 {
			return Type(k), true
		}
	}
	return 0, false
}

// Integer reports whether elements are whole numbers or truth values of at least eight bits. Shapes are computed from
// such elements.
func (t Type) Integer() bool {
	return t >= TypeUint8 && t <= TypeInt64 || t == TypeBool || t == TypeUint32 || t == TypeUint64
}

// Float reports whether elements are fractions of a type that shapes are computed from.
func (t Type) Float() bool { return t == TypeFloat || t == TypeDouble }
