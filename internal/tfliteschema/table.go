// Package tfliteschema reads and builds the tables of a TensorFlow Lite file that planning needs. schema.fbs says which;
// schema.go is generated from it.
package tfliteschema

import flatbuffers "github.com/google/flatbuffers/go"

// A table is what all tables of the file have in common: the file's bytes, and the place of the table in them. A slot
// is the place of a field in the table's list of fields; a field that the file leaves out counts as zero or empty.
type table struct {
	_tab flatbuffers.Table
}

func (t *table) Init(buf []byte, i flatbuffers.UOffsetT) { t._tab.Bytes, t._tab.Pos = buf, i }

func (t *table) Table() flatbuffers.Table { return t._tab }

// length returns the number of elements of a vector.
func (t *table) length(slot flatbuffers.VOffsetT) int {
	if o := t._tab.Offset(slot); o != 0 {
		return t._tab.VectorLen(flatbuffers.UOffsetT(o))
	}
	return 0
}

// bytes returns a string, or a vector of bytes.
func (t *table) bytes(slot flatbuffers.VOffsetT) []byte {
	if o := t._tab.Offset(slot); o != 0 {
		return t._tab.ByteVector(flatbuffers.UOffsetT(o) + t._tab.Pos)
	}
	return nil
}

// element sets obj to table j of a vector of tables. It returns false if there is no vector.
func (t *table) element(slot flatbuffers.VOffsetT, j int, obj *table) bool {
	o := t._tab.Offset(slot)
	if o == 0 {
		return false
	}
	obj.Init(t._tab.Bytes, t._tab.Indirect(t._tab.Vector(flatbuffers.UOffsetT(o))+flatbuffers.UOffsetT(j)*4))
	return true
}
