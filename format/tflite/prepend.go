package tflite

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/format/tflite/internal/schema"
)

// Idea: references in a flatbuffer lead forward only, so nothing can be added
// behind the file. It is put in front instead: a new root with a new model table,
// whose fields refer into the old file, a new list of buffers and a new list of
// metadata, each the old entries and ours. The old file follows, byte for byte,
// so weights, signatures and what this package does not know keep their places
// relative to one another, and at the same alignment.
//
//	0   reference to the new model table, "TFL3"
//	8   field table, model table          (fields → into the old file, or below)
//	    buffers:  old ones …, ours
//	    metadata: old ones less ours …, ours
//	    our metadata, its name, our buffer, its words
//	P   the old file                       (P is a multiple of 64)
//
// Where the file has an entry of the right length already, as after an earlier
// plan, its words are overwritten and nothing grows.
//
// Invariant: the result parses to the same model, with the new plan.
//
// Tried elsewhere and not done: to unpack and pack the whole model, which
// changes every byte and loses the fields that the schema at hand does not know.
//
// Source: Stowage; the metadata is TensorFlow Lite Micro's, see offline.go.

// headAlign is the multiple that the new head is padded to.
const headAlign = 64

// knownFields is the number of fields of a model table in the schema. A table
// with more is from a later one, whose new fields may hold anything.
const knownFields = 10

// ErrNewer means that the model has fields that its schema got after this
// package was written, so that it cannot be rewritten.
var ErrNewer = errors.New("the model has fields of a newer schema, so it is not rewritten")

// ErrExternal means that the model has data at absolute places outside of the
// flatbuffer, which would move.
var ErrExternal = errors.New("the model keeps data behind its flatbuffer at fixed places, so it is not rewritten")

// WithOffsets returns the bytes of the model with an offline plan: an offset for
// each tensor, Online for those that the device is to place. The error is
// ErrNewer, ErrExternal, or that the offsets are not one for each tensor.
func (m *Model) WithOffsets(offsets []int32) ([]byte, error) {
	if len(offsets) != len(m.Tensors) {
		return nil, errors.New(strconv.Itoa(len(offsets)) + " offsets for " + strconv.Itoa(len(m.Tensors)) + " tensors")
	}
	words := make([]byte, 0, 12+4*len(offsets))
	for _, w := range append([]int32{1, 0, int32(len(offsets))}, offsets...) {
		words = binary.LittleEndian.AppendUint32(words, uint32(w))
	}
	root := schema.GetRootAsModel(m.data, 0)
	var b schema.Buffer
	for i := range root.BuffersLength() {
		root.Buffers(&b, i)
		if b.Offset() > 1 || b.Size() > 0 {
			return nil, ErrExternal
		}
	}
	if at, ok := m.wordsAt(root, len(words)); ok {
		out := slices.Clone(m.data)
		copy(out[at:], words)
		return out, nil
	}
	return m.prepend(root, words)
}

// wordsAt returns where the words of the plan are that counts, if they are as
// many bytes as wanted and nothing else refers to them.
func (m *Model) wordsAt(root *schema.Model, want int) (int, bool) {
	at, index := -1, -1
	var entry schema.Metadata
	for i := range root.MetadataLength() {
		root.Metadata(&entry, i)
		if string(entry.Name()) == MetadataName {
			index = int(entry.Buffer())
		}
	}
	if index < 0 {
		return 0, false
	}
	for i := range m.Tensors {
		if m.Tensors[i].Buffer == index {
			return 0, false
		}
	}
	var b schema.Buffer
	root.Buffers(&b, index)
	if b.DataLength() == want {
		tab := b.Table()
		at = int(tab.Vector(flatbuffers.UOffsetT(tab.Offset(4))))
	}
	return at, at >= 0
}

// prepend puts a new head before the file.
func (m *Model) prepend(root *schema.Model, words []byte) ([]byte, error) {
	old := root.Table()
	vtable := int(old.Pos) - int(old.GetSOffsetT(old.Pos))
	fields := (int(binary.LittleEndian.Uint16(m.data[vtable:])) - 4) / 2
	for k := knownFields; k < fields; k++ {
		if old.Offset(flatbuffers.VOffsetT(4+2*k)) != 0 {
			return nil, ErrNewer
		}
	}
	h := head{}
	// The fields of the new table in order: each a word.
	const version, operatorCodes, subgraphs, description, buffers, metadataBuffer, metadata = 0, 1, 2, 3, 4, 5, 6
	h.bytes = append(h.bytes, 0, 0, 0, 0)
	h.bytes = append(h.bytes, identifier...)
	table := make([]int, knownFields) // where each field is, once laid out
	present := func(k int) bool {
		return k == version || k == buffers || k == metadata || old.Offset(flatbuffers.VOffsetT(4+2*k)) != 0
	}
	size := 4
	at := make([]int, knownFields)
	for k := range knownFields {
		if present(k) {
			at[k] = size
			size += 4
		}
	}
	h.u16(4 + 2*knownFields)
	h.u16(size)
	for k := range knownFields {
		h.u16(at[k])
	}
	h.align(4)
	model := len(h.bytes)
	h.put(0, model)
	h.u32(uint32(model - 8)) // back to the field table
	for k := range knownFields {
		if present(k) {
			table[k] = len(h.bytes)
			h.u32(0)
		}
	}
	binary.LittleEndian.PutUint32(h.bytes[table[version]:], root.Version())
	// What stays where it is.
	for k := range knownFields {
		if present(k) && k != version && k != buffers && k != metadata {
			from := int(old.Pos) + int(old.Offset(flatbuffers.VOffsetT(4+2*k)))
			h.into(table[k], from+int(binary.LittleEndian.Uint32(m.data[from:])))
		}
	}
	// The lists: the old entries and ours.
	h.put(table[buffers], len(h.bytes))
	n := root.BuffersLength()
	var b schema.Buffer
	ours := max(n, 1)
	h.u32(uint32(ours + 1))
	slot := len(h.bytes)
	for range ours + 1 {
		h.u32(0)
	}
	for i := range n {
		root.Buffers(&b, i)
		h.into(slot+4*i, int(b.Table().Pos))
	}
	h.put(table[metadata], len(h.bytes))
	var entry schema.Metadata
	var kept []int
	for i := range root.MetadataLength() {
		root.Metadata(&entry, i)
		if string(entry.Name()) != MetadataName {
			kept = append(kept, int(entry.Table().Pos))
		}
	}
	h.u32(uint32(len(kept) + 1))
	for _, pos := range kept {
		h.u32(0)
		h.into(len(h.bytes)-4, pos)
	}
	h.u32(0)
	last := len(h.bytes) - 4
	// Our metadata: its field table, its table, its name.
	h.u16(8)
	h.u16(12)
	h.u16(4)
	h.u16(8)
	h.put(last, len(h.bytes))
	h.u32(8)
	name := len(h.bytes)
	h.u32(0)
	h.u32(uint32(ours))
	h.put(name, len(h.bytes))
	h.u32(uint32(len(MetadataName)))
	h.bytes = append(append(h.bytes, MetadataName...), 0)
	h.align(4)
	// Our buffer, with its words at a multiple of 16. A model without any buffer
	// gets the empty one that comes first by convention.
	h.u16(6)
	h.u16(8)
	h.u16(4)
	h.u16(0)
	h.put(slot+4*ours, len(h.bytes))
	h.u32(8)
	data := len(h.bytes)
	h.u32(0)
	if n == 0 {
		h.u16(4)
		h.u16(4)
		h.put(slot, len(h.bytes))
		h.u32(4)
	}
	for (len(h.bytes)+4)%16 != 0 {
		h.bytes = append(h.bytes, 0)
	}
	h.put(data, len(h.bytes))
	h.u32(uint32(len(words)))
	h.bytes = append(h.bytes, words...)
	h.align(headAlign)
	return h.before(m.data)
}

// A head is the bytes that go before the old file.
type head struct {
	bytes []byte
	later []reference
}

// A reference from a place in the head to one in the old file.
type reference struct{ at, to int }

func (h *head) u16(x int) { h.bytes = binary.LittleEndian.AppendUint16(h.bytes, uint16(x)) }

func (h *head) u32(x uint32) { h.bytes = binary.LittleEndian.AppendUint32(h.bytes, x) }

// put makes the word at a place refer to a later place of the head.
func (h *head) put(at, to int) { binary.LittleEndian.PutUint32(h.bytes[at:], uint32(to-at)) }

// into makes the word at a place refer to a place of the old file.
func (h *head) into(at, to int) { h.later = append(h.later, reference{at, to}) }

func (h *head) align(multiple int) {
	for len(h.bytes)%multiple != 0 {
		h.bytes = append(h.bytes, 0)
	}
}

// before returns the head and the old file behind it.
func (h *head) before(old []byte) ([]byte, error) {
	n := len(h.bytes)
	if n+len(old) > maxSize {
		return nil, errors.New("the model with its plan would be larger than 2 GiB")
	}
	for _, r := range h.later {
		h.put(r.at, n+r.to)
	}
	return append(h.bytes, old...), nil
}
