package graph

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: shapes are computed from small tensors, such as the dimensions that a Reshape asks for, or the scales of a
// Resize. These are decoded on demand. Weights never are.

// Decode returns the elements of a tensor in the file; nil if it is too large, of another type, elsewhere or damaged.
func (t *Tensor) Decode() *shape.Data {
	if t.Opaque || !shape.Foldable(t.Elem, t.Dims) {
		return nil
	}
	n := int(shape.Elements(t.Dims))
	d := decoder{Data: &shape.Data{}, most: n}
	if t.Elem.Integer() {
		d.Ints = make([]int64, 0, n)
	} else {
		d.Floats = make([]float64, 0, n)
	}
	for b := t.Body; len(b) > 0; {
		f, k := next(b)
		if k < 0 {
			return nil
		}
		b = b[k:]
		ok := true
		switch {
		case f.number == 9 && f.kind == protowire.BytesType:
			ok = d.raw(t.Elem, f.body)
		case f.number == 4 && t.Elem == shape.TypeFloat:
			ok = d.list(f, protowire.Fixed32Type,
				func(v uint64) {
					d.Floats = append(d.Floats, float64(math.Float32frombits(uint32(v))))
				})
		case f.number == 10 && t.Elem == shape.TypeDouble:
			ok = d.list(f, protowire.Fixed64Type,
				func(v uint64) {
					d.Floats = append(d.Floats, math.Float64frombits(v))
				})
		case (f.number == 5 || f.number == 7 || f.number == 11) && t.Elem.Integer():
			ok = d.list(f, protowire.VarintType, func(v uint64) { d.Ints = append(d.Ints, int64(v)) })
		}
		if !ok {
			return nil
		}
	}
	if d.count() != n {
		return nil
	}
	return d.Data
}

// A decoder gathers the elements of a tensor.
type decoder struct {
	*shape.Data
	most int // elements of the tensor
}

// count returns how many elements there are so far.
func (d *decoder) count() int { return len(d.Ints) + len(d.Floats) }

// list adds the numbers of a field, packed or not, and reports whether there is room.
func (d *decoder) list(f field, kind protowire.Type, add func(uint64)) bool {
	if f.kind == kind {
		add(f.value)
		return d.count() <= d.most
	}
	for b := f.body; len(b) > 0; {
		v, k := number(b, kind)
		if k < 0 || d.count() == d.most {
			return false
		}
		add(v)
		b = b[k:]
	}
	return f.kind == protowire.BytesType
}

// raw adds elements that are there as little-endian bytes.
func (d *decoder) raw(elem shape.Type, b []byte) bool {
	width := int(elem.Bits() / 8)
	if len(b) != d.most*width || d.count() > 0 {
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
		case shape.TypeFloat:
			d.Floats = append(d.Floats, float64(math.Float32frombits(uint32(bits))))
		case shape.TypeDouble:
			d.Floats = append(d.Floats, math.Float64frombits(bits))
		case shape.TypeInt8:
			d.Ints = append(d.Ints, int64(int8(bits)))
		case shape.TypeInt16:
			d.Ints = append(d.Ints, int64(int16(bits)))
		case shape.TypeInt32:
			d.Ints = append(d.Ints, int64(int32(bits)))
		default:
			d.Ints = append(d.Ints, int64(bits))
		}
	}
	return true
}
