package tflite

import (
	"encoding/binary"
	"math"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: some converters store weights as float16 and put a DEQUANTIZE behind each. A desktop runtime folds the two
// into a float32 constant when it loads the model. TensorFlow Lite Micro does not fold and has no such kernel, so the
// model does not run there. It runs if the file is folded. Besides, weights must not count as buffers of the arena.
//
// The folded file is larger: its float16 data stay, and each weight's float32 data come in front. See prepend.go.
//
// Source: what TensorFlow Lite does on loading (constant folding by XNNPACK and
// the interpreter). No test here runs a folded model yet.

// Fold converts float16 constants that the model only dequantises into float32 constants, and removes the operators
// that did so. It returns the new model and the number of these constants. If there are none, it returns the model
// itself. The error is ErrNewer, ErrExternal or ErrDamaged.
func (m *Model) Fold() (*Model, int, error) {
	m, err := m.Written()
	if err != nil {
		return nil, 0, err
	}
	c := changes{constants: map[int][]byte{}, dropped: map[int]bool{}}
	for i := range m.Operators {
		o := &m.Operators[i]
		if o.Code != Code(tfliteschema.BuiltinOperatorDEQUANTIZE) || len(o.Inputs) != 1 || len(o.Outputs) != 1 ||
			o.Inputs[0] < 0 {
			continue
		}
		in, out := &m.Tensors[o.Inputs[0]], &m.Tensors[o.Outputs[0]]
		if !in.Constant || in.Type != Type(tfliteschema.TensorTypeFLOAT16) ||
			out.Type != Type(tfliteschema.TensorTypeFLOAT32) || out.Constant || out.Variable {
			continue
		}
		data := m.constant(int(o.Inputs[0]))
		if int64(len(data)) != in.Bytes || out.Bytes != 2*in.Bytes || out.Bytes == 0 {
			continue
		}
		c.dropped[i] = true
		c.constants[int(o.Outputs[0])] = floats(data)
	}
	if len(c.dropped) == 0 {
		return m, 0, nil
	}
	data, err := m.rewrite(c)
	if err != nil {
		return nil, 0, err
	}
	folded, err := Parse(data, m.File)
	return folded, len(c.dropped), err
}

// constant returns the data of a constant tensor.
func (m *Model) constant(tensor int) []byte { return m.buffer(m.Tensors[tensor].Buffer) }

// buffer returns what a buffer of the model holds.
func (m *Model) buffer(k int) []byte {
	if m.edit != nil && k >= m.edit.first {
		return m.edit.constants[k-m.edit.first]
	}
	var b tfliteschema.Buffer
	root := tfliteschema.GetRootAsModel(m.data, 0)
	if k < root.BuffersLength() {
		root.Buffers(&b, k)
		return b.DataBytes()
	}
	return nil
}

// floats converts little-endian float16 to float32.
func floats(halves []byte) []byte {
	out := make([]byte, 0, 2*len(halves))
	for i := 0; i+1 < len(halves); i += 2 {
		out = binary.LittleEndian.AppendUint32(out, float32Bits(binary.LittleEndian.Uint16(halves[i:])))
	}
	return out
}

// float32Bits returns the bits of the float32 of the same value as a float16.
func float32Bits(half uint16) uint32 {
	sign := uint32(half&0x8000) << 16
	exponent, mantissa := uint32(half>>10&0x1f), uint32(half&0x3ff)
	switch exponent {
	case 0: // zero and subnormal: the mantissa in units of 2^-24
		return sign | math.Float32bits(float32(mantissa)*(1.0/(1<<24)))
	case 0x1f: // infinity and NaN, payload kept
		return sign | 0x7f800000 | mantissa<<13
	}
	return sign | (exponent+112)<<23 | mantissa<<13
}

// Bytes returns the content of the model as a file. The caller must not change it. A sketch has none: it must be Written.
func (m *Model) Bytes() []byte {
	if m.edit != nil {
		return nil
	}
	return m.data
}
