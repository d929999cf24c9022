// Package protowire reads the wire format of protobuf: tags, numbers and stretches of bytes. Its names and answers
// are those of google.golang.org/protobuf/encoding/protowire; the tests compare the two. That package delays the
// start of every program by a tenth of a millisecond, since it reads the program's own file.
//
// Source: https://protobuf.dev/programming-guides/encoding.
package protowire

import (
	"encoding/binary"
	"math"
)

// A Number is the number of a field.
type Number int32

// A Type is how the value of a field is written.
type Type int8

// The types.
const (
	VarintType Type = iota
	Fixed64Type
	BytesType
	StartGroupType
	EndGroupType
	Fixed32Type
)

// bad is the length of what cannot be read.
const bad = -1

// deepest is how deep groups may be in groups.
const deepest = 10_000

// ConsumeTag reads a tag. Its length n is negative if there is none.
func ConsumeTag(b []byte) (number Number, kind Type, n int) {
	v, n := ConsumeVarint(b)
	if n < 0 {
		return 0, 0, n
	}
	if v>>3 < 1 || v>>3 > math.MaxInt32 {
		return 0, 0, bad
	}
	return Number(v >> 3), Type(v & 7), n
}

// ConsumeVarint reads a number of seven bits a byte. Its length n is negative if it
// is cut short or larger than 64 bits.
func ConsumeVarint(b []byte) (v uint64, n int) {
	if v, n = binary.Uvarint(b); n <= 0 {
		return 0, bad
	}
	return v, n
}

// ConsumeFixed32 reads four bytes; n is negative if there are fewer.
func ConsumeFixed32(b []byte) (v uint32, n int) {
	if len(b) < 4 {
		return 0, bad
	}
	return binary.LittleEndian.Uint32(b), 4
}

// ConsumeFixed64 reads eight bytes; n is negative if there are fewer.
func ConsumeFixed64(b []byte) (v uint64, n int) {
	if len(b) < 8 {
		return 0, bad
	}
	return binary.LittleEndian.Uint64(b), 8
}

// ConsumeBytes reads a stretch of bytes behind its length; n, the length of both, is
// negative if there are fewer.
func ConsumeBytes(b []byte) (v []byte, n int) {
	m, n := ConsumeVarint(b)
	if n < 0 || m > uint64(len(b)-n) {
		return nil, bad
	}
	return b[n:][:m], n + int(m)
}

// ConsumeFieldValue returns the length of a value of any type, negative if there is
// none. A group ends with the tag of its own number.
func ConsumeFieldValue(number Number, kind Type, b []byte) (n int) {
	return value(number, kind, b, deepest)
}

func value(number Number, kind Type, b []byte, depth int) (n int) {
	switch kind {
	case VarintType:
		_, n = ConsumeVarint(b)
	case Fixed32Type:
		_, n = ConsumeFixed32(b)
	case Fixed64Type:
		_, n = ConsumeFixed64(b)
	case BytesType:
		_, n = ConsumeBytes(b)
	case StartGroupType:
		return group(number, b, depth)
	default:
		return bad
	}
	return n
}

// group returns the length of a group's fields and of the tag that ends it.
func group(number Number, b []byte, depth int) (n int) {
	for depth >= 0 {
		inner, kind, m := ConsumeTag(b[n:])
		if m < 0 {
			return bad
		}
		n += m
		if kind == EndGroupType {
			if inner != number {
				return bad
			}
			return n
		}
		if m = value(inner, kind, b[n:], depth-1); m < 0 {
			return bad
		}
		n += m
	}
	return bad
}
