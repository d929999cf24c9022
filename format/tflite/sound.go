package tflite

import (
	"bytes"
	"encoding/binary"
)

// Idea: the generated accessors believe every offset and length of a flatbuffer. So the bytes are walked once before
// any accessor sees them, along the shapes of the schema. The walk checks that each table, vtable, vector and string
// lies within the file. After that the accessors are safe.
//
// Invariant: all fields of a checked table that its shape names lie inside the data, and so do the tables that it
// refers to.
//
// Complexity: O(tables). A hostile file can share one long vector among many tables, so each visit is paid from a
// budget: one visit for every tableBytes of the file. A real file never comes near that, because its tensors and
// operators are larger. So the memory that a model takes is bounded by the size of its file.
//
// Source: the flatbuffers format; the C++ library has such a verifier, the Go library has none.

// A shape says what the fields of a table are, by their number in the schema.
type shape struct {
	name   string
	fields []field
}

// A field of a table.
type field struct {
	number int
	name   string
	kind   kind
	width  int    // bytes of the scalar, or of an element of the vector
	of     *shape // of the table or tables
}

type kind uint8

const (
	scalar kind = iota
	vector      // of scalars; a string is one of bytes
	table
	tables // a vector of references to tables
)

var (
	quantizationShape = &shape{"quantization", []field{{2, "scale", vector, 4, nil}, {3, "zero_point", vector, 8, nil}}}
	tensorShape       = &shape{"tensor", []field{
		{0, "shape", vector, 4, nil},
		{1, "type", scalar, 1, nil},
		{2, "buffer", scalar, 4, nil},
		{3, "name", vector, 1, nil},
		{4, "quantization", table, 0, quantizationShape},
		{5, "is_variable", scalar, 1, nil},
		{10, "external_buffer", scalar, 4, nil},
	}}
	operatorCodeShape = &shape{"operator code", []field{
		{0, "deprecated_builtin_code", scalar, 1, nil},
		{1, "custom_code", vector, 1, nil},
		{2, "version", scalar, 4, nil},
		{3, "builtin_code", scalar, 4, nil},
	}}
	calleesShape  = &shape{"options", []field{{0, "first", scalar, 4, nil}, {1, "second", scalar, 4, nil}}}
	flagsShape    = &shape{"options", []field{{0, "first", scalar, 1, nil}, {1, "second", scalar, 1, nil}}}
	resourceShape = &shape{"options", []field{{1, "shared_name", vector, 1, nil}}}
	operatorShape = &shape{"operator", []field{
		{0, "opcode_index", scalar, 4, nil},
		{1, "inputs", vector, 4, nil},
		{2, "outputs", vector, 4, nil},
		{3, "builtin_options_type", scalar, 1, nil},
		{8, "intermediates", vector, 4, nil},
	}}
	subgraphShape = &shape{"subgraph", []field{
		{0, "tensors", tables, 4, tensorShape},
		{1, "inputs", vector, 4, nil},
		{2, "outputs", vector, 4, nil},
		{3, "operators", tables, 4, operatorShape},
		{4, "name", vector, 1, nil},
	}}
	bufferShape = &shape{
		"buffer", []field{{0, "data", vector, 1, nil}, {1, "offset", scalar, 8, nil}, {2, "size", scalar, 8, nil}},
	}
	metadataShape = &shape{"metadata", []field{{0, "name", vector, 1, nil}, {1, "buffer", scalar, 4, nil}}}
	modelShape    = &shape{"model", []field{
		{0, "version", scalar, 4, nil},
		{1, "operator_codes", tables, 4, operatorCodeShape},
		{2, "subgraphs", tables, 4, subgraphShape},
		{3, "description", vector, 1, nil},
		{4, "buffers", tables, 4, bufferShape},
		{6, "metadata", tables, 4, metadataShape},
	}}
)

// tableBytes is what each table of a file is taken to need at least.
const tableBytes = 16

// A walk checks the bytes of one file.
type walk struct {
	data   []byte
	budget int // visits left
	fault  string
}

// pointer begins the file that a clone without Git LFS has in place of a large one.
const pointer = "version https://git-lfs"

// sound returns what is wrong with the structure of a model, "" for nothing.
func sound(data []byte) string {
	w := walk{data: data, budget: len(data)/tableBytes + 64}
	if bytes.HasPrefix(data, []byte(pointer)) {
		return "is a pointer of Git LFS in place of the model: 'git lfs pull' fetches that"
	}
	if len(data) < 8 {
		return "is too short for a TensorFlow Lite model"
	}
	if string(data[4:8]) != identifier {
		return "is not a TensorFlow Lite model: bytes 4 to 7 are not " + identifier
	}
	if at, ok := w.reference(0, modelShape.name); ok {
		w.table(at, modelShape)
	}
	return w.fault
}

// identifier marks a TensorFlow Lite file, at byte 4.
const identifier = "TFL3"

// fail records the first fault.
func (w *walk) fail(what, message string) bool {
	if w.fault == "" {
		w.fault = "is truncated or damaged: " + what + " " + message
	}
	return false
}

// fits reports whether n bytes from at lie within the data.
func (w *walk) fits(at, n int64) bool { return at >= 0 && n >= 0 && at <= int64(len(w.data))-n }

// reference returns where the unsigned offset at a position leads.
func (w *walk) reference(at int64, what string) (int64, bool) {
	if !w.fits(at, 4) {
		return 0, w.fail(what, "is too short for its reference")
	}
	to := at + int64(binary.LittleEndian.Uint32(w.data[at:]))
	if !w.fits(to, 4) {
		return 0, w.fail(what, "lies outside the file")
	}
	return to, true
}

// table checks the table at a position.
func (w *walk) table(at int64, s *shape) bool {
	if w.budget--; w.budget < 0 {
		return w.fail(s.name, "is referred to too often")
	}
	vtable := at - int64(int32(binary.LittleEndian.Uint32(w.data[at:])))
	if !w.fits(vtable, 4) {
		return w.fail(s.name, "has its field table outside the file")
	}
	length := int64(binary.LittleEndian.Uint16(w.data[vtable:]))
	size := int64(binary.LittleEndian.Uint16(w.data[vtable+2:]))
	if length < 4 || length%2 != 0 || !w.fits(vtable, length) || size < 4 || !w.fits(at, size) {
		return w.fail(s.name, "has a field table that does not fit the file")
	}
	for i := range s.fields {
		f := &s.fields[i]
		entry := int64(4 + 2*f.number)
		if entry+2 > length {
			continue
		}
		offset := int64(binary.LittleEndian.Uint16(w.data[vtable+entry:]))
		if offset == 0 {
			continue
		}
		if !w.field(at, at+offset, at+size, s, f) {
			return false
		}
	}
	return true
}

// field checks a field at a position of the table that begins at start and ends at end.
func (w *walk) field(start, at, end int64, s *shape, f *field) bool {
	what := s.name + "." + f.name
	width := int64(4)
	if f.kind == scalar {
		width = int64(f.width)
	}
	if at < start+4 || at+width > end {
		return w.fail(what, "lies outside its table")
	}
	if f.kind == scalar {
		return true
	}
	to, ok := w.reference(at, what)
	if !ok {
		return false
	}
	if f.kind == table {
		return w.table(to, f.of)
	}
	count := int64(binary.LittleEndian.Uint32(w.data[to:]))
	if !w.fits(to+4, count*int64(f.width)) {
		return w.fail(what, "is longer than the file")
	}
	if f.kind == vector {
		return true
	}
	for k := range count {
		element, ok := w.reference(to+4+4*k, what)
		if !ok || !w.table(element, f.of) {
			return false
		}
	}
	return true
}
