package onnx

import (
	"encoding/binary"
	"math"

	"github.com/stowage-go/stowage/format/internal/protowire"
)

// Idea: shapes are computed from small tensors: the dimensions that a Reshape asks
// for, the scales of a Resize. Those are decoded, where they are asked for; weights
// never are. What is computed from them is in the same form (fold.go).

// maxFold is how many elements a tensor that shapes are computed from may have, and
// maxFoldFloat how many where they are fractions.
const (
	maxFold      = 1024
	maxFoldFloat = 64
	maxBody      = 32 << 10 // bytes that such a tensor takes in a file, with its name
)

// data are the elements of a small tensor: whole numbers and truth values, or
// fractions. One of the two is not nil.
type data struct {
	ints   []int64
	floats []float64
}

// foldable reports whether the elements of such a tensor are few enough.
func foldable(elem Type, dims []int64) bool {
	n := elements(dims)
	return n >= 0 && (elem.integer() && n <= maxFold || elem.float() && n <= maxFoldFloat)
}

// decode returns the elements of a tensor in the file; nil where it is too large,
// of another type, elsewhere or damaged.
func (t *tensor) decode() *data {
	if t.opaque || !foldable(t.elem, t.dims) {
		return nil
	}
	n := int(elements(t.dims))
	d := &data{}
	if t.elem.integer() {
		d.ints = make([]int64, 0, n)
	} else {
		d.floats = make([]float64, 0, n)
	}
	for b := t.body; len(b) > 0; {
		f, k := next(b)
		if k < 0 {
			return nil
		}
		b = b[k:]
		ok := true
		switch {
		case f.number == 9 && f.kind == protowire.BytesType:
			ok = d.raw(t.elem, f.body, n)
		case f.number == 4 && t.elem == typeFloat:
			ok = d.list(f, protowire.Fixed32Type, n, func(v uint64) { d.floats = append(d.floats, float64(math.Float32frombits(uint32(v)))) })
		case f.number == 10 && t.elem == typeDouble:
			ok = d.list(f, protowire.Fixed64Type, n, func(v uint64) { d.floats = append(d.floats, math.Float64frombits(v)) })
		case (f.number == 5 || f.number == 7 || f.number == 11) && t.elem.integer():
			ok = d.list(f, protowire.VarintType, n, func(v uint64) { d.ints = append(d.ints, int64(v)) })
		}
		if !ok {
			return nil
		}
	}
	if len(d.ints)+len(d.floats) != n {
		return nil
	}
	return d
}

// list adds the numbers of a field, packed or not, and reports whether there is room.
func (d *data) list(f field, kind protowire.Type, n int, add func(uint64)) bool {
	if f.kind == kind {
		add(f.value)
		return len(d.ints)+len(d.floats) <= n
	}
	for b := f.body; len(b) > 0; {
		v, k := number(b, kind)
		if k < 0 || len(d.ints)+len(d.floats) == n {
			return false
		}
		add(v)
		b = b[k:]
	}
	return f.kind == protowire.BytesType
}

// raw adds elements that are there as little-endian bytes.
func (d *data) raw(elem Type, b []byte, n int) bool {
	width := int(elem.bits() / 8)
	if len(b) != n*width || len(d.ints)+len(d.floats) > 0 {
		return false
	}
	for ; len(b) > 0; b = b[width:] {
		var bits uint64
		switch width {
		case 1:
			bits = uint64(b[0])
		case 2:
			bits = uint64(binary.LittleEndian.Uint16(b))
		case 4:
			bits = uint64(binary.LittleEndian.Uint32(b))
		case 8:
			bits = binary.LittleEndian.Uint64(b)
		}
		switch elem {
		case typeFloat:
			d.floats = append(d.floats, float64(math.Float32frombits(uint32(bits))))
		case typeDouble:
			d.floats = append(d.floats, math.Float64frombits(bits))
		case typeInt8:
			d.ints = append(d.ints, int64(int8(bits)))
		case typeInt16:
			d.ints = append(d.ints, int64(int16(bits)))
		case typeInt32:
			d.ints = append(d.ints, int64(int32(bits)))
		default:
			d.ints = append(d.ints, int64(bits))
		}
	}
	return true
}
