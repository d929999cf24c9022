package tflite

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strconv"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: references in a flatbuffer lead only forward, so nothing can be added behind the file. New parts go in front: a
// new root with a new model table whose fields refer into the old file, and new tables and lists for the changes. The
// old file follows, byte for byte. So weights, signatures and unknown parts keep their alignment and their distances.
//
//	0   reference to the new model table, "TFL3"
//	8   model table                       (fields → into the old file, or below)
//	    subgraphs, where tensors or operators of them change
//	    buffers:  old ones …, ours
//	    metadata: old ones less ours …, ours
//	    our metadata, our buffers
//	P   the old file                      (P is a multiple of 64)
//
// If the file already has a plan of the right length, for example from an earlier run, its words are overwritten and
// the file does not grow.
//
// Invariant: the result parses to the same model with the changes asked for.
//
// Trials: docs/lab/formats.md (unpacking and packing the model changes every byte and loses unknown fields).
//
// Source: Stowage; the metadata is TensorFlow Lite Micro's, see offline.go.

// headAlign is the multiple that the new head is padded to, at least that of any data in a flatbuffer.
const headAlign = 64

// ErrNewer means that the model uses fields of a newer schema than this package knows, so that it cannot be rewritten.
var ErrNewer = errors.New("the model has fields of a newer schema, so it is not rewritten")

// ErrExternal means that the model has data outside of the flatbuffer at absolute places, which rewriting would move.
var ErrExternal = errors.New("the model has data at fixed places behind its flatbuffer, so it is not rewritten")

// ErrDamaged means that a part of the model that planning does not read points outside of the file.
var ErrDamaged = errors.New("the model is damaged in a part that planning does not read, so it is not rewritten")

// WithOffsets returns the model as a file with an offline plan. offsets has one offset
// in bytes for each tensor, or Online for a tensor that the device places. The error
// is ErrNewer, ErrExternal or ErrDamaged, or says that the number of offsets is wrong.
func (m *Model) WithOffsets(offsets []int32) ([]byte, error) {
	if len(offsets) != len(m.Tensors) {
		return nil, errors.New(strconv.Itoa(len(offsets)) + " offsets for " + strconv.Itoa(len(m.Tensors)) + " tensors")
	}
	plan := words(append([]int32{1, 0, int32(len(offsets))}, offsets...))
	root := tfliteschema.GetRootAsModel(m.data, 0)
	if at, ok := m.wordsAt(root, len(plan)); ok && m.edit == nil {
		out := slices.Clone(m.data)
		copy(out[at:], plan)
		// In an odd file other parts may lie in the same bytes.
		if again, err := Parse(out, m.File); err == nil && m.sameBut(again) {
			return out, nil
		}
	}
	out, err := m.rewrite(changes{plan: plan, edit: m.edit})
	if err != nil {
		return nil, err
	}
	// References that lead out of a damaged file, in front of it, now lead into the new head.
	if again, err := Parse(out, m.File); err != nil || !m.sameBut(again) {
		return nil, ErrDamaged
	}
	return out, nil
}

// sameBut reports whether another file has the same model, apart from plans.
func (m *Model) sameBut(other *Model) bool {
	a, b := *m, *other
	a.File, a.data, a.edit, a.Offline, b.File, b.data, b.edit, b.Offline = "", nil, nil, nil, "", nil, nil, nil
	return reflect.DeepEqual(a, b)
}

// wordsAt returns the position of the words of the plan that counts. ok is false unless they have want bytes and no
// tensor refers to them.
func (m *Model) wordsAt(root *tfliteschema.Model, want int) (int, bool) {
	index := -1
	var entry tfliteschema.Metadata
	for i := range root.MetadataLength() {
		root.Metadata(&entry, i)
		if string(entry.Name()) == MetadataName {
			index = int(entry.Buffer())
		}
	}
	if index < 0 || slices.ContainsFunc(m.Tensors, func(t Tensor) bool { return t.Buffer == index }) {
		return 0, false
	}
	var b tfliteschema.Buffer
	root.Buffers(&b, index)
	if b.DataLength() != want {
		return 0, false
	}
	tab := b.Table()
	return int(tab.Vector(flatbuffers.UOffsetT(tab.Offset(4)))), true
}

// changes are the differences of a rewritten model.
type changes struct {
	plan []byte // the words of the offline plan; nil for none of ours
	// constants are the data of tensors that become constants, by tensor.
	constants map[int][]byte
	dropped   map[int]bool // operators that go, by their index
	edit      *edited      // of a sketch; then there are no constants, and nothing is dropped
}

// A layout says which fields of a table are references; width 0 stands for one, and outside for a place in the file.
// A field beyond the layout is of a newer schema.
type layout []int

var (
	modelLayout    = layout{4, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	subgraphLayout = layout{0, 0, 0, 0, 0, 4}
	tensorLayout   = layout{0, 1, 4, 0, 0, 1, 0, 0, 1, 0, 4}
)

// rewrite puts a new head before the file.
func (m *Model) rewrite(c changes) ([]byte, error) {
	root := tfliteschema.GetRootAsModel(m.data, 0)
	var b tfliteschema.Buffer
	for i := range root.BuffersLength() {
		root.Buffers(&b, i)
		if b.Offset() > 1 || b.Size() > 0 {
			return nil, ErrExternal
		}
	}
	h := &head{old: m.data, bytes: append(make([]byte, 4, 4096), identifier...)}
	const codes, subgraphs, buffers, metadata = 1, 2, 4, 6
	own := []int{buffers}
	if c.plan != nil {
		own = append(own, metadata)
	}
	if len(c.constants)+len(c.dropped) > 0 {
		own = append(own, subgraphs)
	}
	if c.edit != nil {
		own = append(own, codes, subgraphs)
	}
	fields, at := h.table(root.Table(), modelLayout, own)
	h.refer(0, at)
	// A model without any buffer gets the empty one that comes first by convention.
	first := max(root.BuffersLength(), 1)
	data := []*[]byte{}
	index := map[int]int{} // of a tensor's new buffer
	for i := range m.Tensors {
		if d, ok := c.constants[i]; ok {
			index[i] = first + len(data)
			data = append(data, &d)
		}
	}
	if len(c.constants)+len(c.dropped) > 0 {
		h.refer(fields[subgraphs], h.subgraphs(m, root, c, index))
	}
	if c.edit != nil {
		number, added := m.codes(root)
		h.codes(root, fields[codes], added)
		h.refer(fields[subgraphs], h.graphs(m, root, number))
		for k := range c.edit.constants {
			data = append(data, &c.edit.constants[k])
		}
	}
	planBuffer := first + len(data)
	if c.plan != nil {
		data = append(data, &c.plan)
	}
	// The buffers: the old ones and ours.
	h.refer(fields[buffers], len(h.bytes))
	slots := h.list(first + len(data))
	for i := range root.BuffersLength() {
		root.Buffers(&b, i)
		h.into(slots+4*i, int(b.Table().Pos))
	}
	if c.plan != nil {
		h.refer(fields[metadata], h.metadata(root, planBuffer))
	}
	if root.BuffersLength() == 0 {
		h.refer(slots, h.vtable(nil))
		h.u32(4)
	}
	for k, d := range data {
		h.refer(slots+4*(first+k), h.buffer(*d))
	}
	h.flush()
	h.align(headAlign)
	if h.fault != nil {
		return nil, h.fault
	}
	return h.before()
}

// subgraphs writes the list of subgraphs anew, with the changed tensors and
// without the dropped operators, and returns where it is.
func (h *head) subgraphs(m *Model, root *tfliteschema.Model, c changes, index map[int]int) int {
	at := len(h.bytes)
	slots := h.list(len(m.Subgraphs))
	var g tfliteschema.SubGraph
	for i := range m.Subgraphs {
		s := &m.Subgraphs[i]
		root.Subgraphs(&g, i)
		const tensors, operators = 0, 3
		fields, table := h.table(g.Table(), subgraphLayout, []int{tensors, operators})
		h.refer(slots+4*i, table)
		h.refer(fields[tensors], len(h.bytes))
		list := h.list(s.TensorCount)
		var t tfliteschema.Tensor
		for k := range s.TensorCount {
			g.Tensors(&t, k)
			buffer, changed := index[s.FirstTensor+k]
			if !changed {
				h.into(list+4*k, int(t.Table().Pos))
				continue
			}
			const bufferField = 2
			fields, table := h.table(t.Table(), tensorLayout, []int{bufferField})
			binary.LittleEndian.PutUint32(h.bytes[fields[bufferField]:], uint32(buffer))
			h.refer(list+4*k, table)
		}
		kept := 0
		for k := range s.OperatorCount {
			if !c.dropped[s.FirstOperator+k] {
				kept++
			}
		}
		h.refer(fields[operators], len(h.bytes))
		list = h.list(kept)
		var o tfliteschema.Operator
		for k := range s.OperatorCount {
			if !c.dropped[s.FirstOperator+k] {
				g.Operators(&o, k)
				h.into(list, int(o.Table().Pos))
				list += 4
			}
		}
	}
	return at
}

// metadata writes the list of metadata, the old entries less ours and then ours, and returns where it is.
func (h *head) metadata(root *tfliteschema.Model, buffer int) int {
	var entry tfliteschema.Metadata
	var kept []int
	for i := range root.MetadataLength() {
		root.Metadata(&entry, i)
		if string(entry.Name()) != MetadataName {
			kept = append(kept, int(entry.Table().Pos))
		}
	}
	at := len(h.bytes)
	slots := h.list(len(kept) + 1)
	for k, pos := range kept {
		h.into(slots+4*k, pos)
	}
	table := h.vtable([]int{4, 4})
	h.refer(slots+4*len(kept), table)
	h.u32(uint32(table - h.lastVtable))
	h.u32(0)
	h.u32(uint32(buffer))
	h.refer(table+4, len(h.bytes))
	h.u32(uint32(len(MetadataName)))
	h.bytes = append(append(h.bytes, MetadataName...), 0)
	h.align(4)
	return at
}

// buffer writes a buffer whose data begin at a multiple of 16, and returns its place.
func (h *head) buffer(data []byte) int {
	table := h.vtable([]int{4})
	h.u32(uint32(table - h.lastVtable))
	h.u32(0)
	for (len(h.bytes)+4)%16 != 0 {
		h.bytes = append(h.bytes, 0)
	}
	h.refer(table+4, len(h.bytes))
	h.u32(uint32(len(data)))
	h.bytes = append(h.bytes, data...)
	h.align(4)
	return table
}

// A head is the bytes that go before the old file.
type head struct {
	old        []byte
	bytes      []byte
	later      []reference
	lastVtable int
	fault      error

	vtables map[string]int // where each list of fields is
	shared  map[string]int // by its bytes: which of the vectors
	vectors []sharedVector
}

// A reference from a place in the head to one in the old file.
type reference struct{ at, to int }

// table writes a copy of an old table: the same scalars, references to the same places, and words of zero for the
// fields of own, which the caller fills in. It returns where each field is and where the table is.
func (h *head) table(old flatbuffers.Table, l layout, own []int) (fields []int, at int) {
	vtable := int(old.Pos) - int(old.GetSOffsetT(old.Pos))
	count := (int(binary.LittleEndian.Uint16(h.old[vtable:])) - 4) / 2
	offset := func(k int) int { return int(old.Offset(flatbuffers.VOffsetT(4 + 2*k))) }
	for k := range count {
		if offset(k) != 0 && k >= len(l) {
			h.fault = ErrNewer
		} else if offset(k) != 0 && l[k] == outside {
			h.fault = ErrExternal
		}
	}
	widths := make([]int, len(l))
	for k := range l {
		if slices.Contains(own, k) || offset(k) != 0 {
			widths[k] = 4 // bytes are padded to words: a table of ours is small
		}
	}
	at = h.vtable(widths)
	h.u32(uint32(at - h.lastVtable))
	fields = make([]int, len(l))
	for k, width := range l {
		if widths[k] == 0 {
			continue
		}
		fields[k] = len(h.bytes)
		h.u32(0)
		// Fields that are not read have not been walked over: see sound.go.
		from := int(old.Pos) + offset(k)
		inside := from+max(width, 4) <= len(h.old)
		switch {
		case slices.Contains(own, k) || width == outside: // a fault that is noted
		case !inside || width == 0 && from+int(binary.LittleEndian.Uint32(h.old[from:])) > len(h.old)-4:
			h.fault = ErrDamaged
		case width == 0:
			h.into(fields[k], from+int(binary.LittleEndian.Uint32(h.old[from:])))
		default:
			copy(h.bytes[fields[k]:], h.old[from:from+width])
		}
	}
	return fields, at
}

// vtable writes the field table of a table with fields of these widths, 0 for
// those left out, unless there is one, and returns where the table itself comes, which is next.
func (h *head) vtable(widths []int) int {
	h.align(4)
	key := make([]byte, len(widths))
	for k, width := range widths {
		key[k] = byte(width)
	}
	if at, ok := h.vtables[string(key)]; ok {
		h.lastVtable = at
		return len(h.bytes)
	}
	if h.vtables == nil {
		h.vtables = map[string]int{}
	}
	h.vtables[string(key)] = len(h.bytes)
	h.lastVtable = len(h.bytes)
	size := 4
	h.u16(4 + 2*len(widths))
	sizeAt := len(h.bytes)
	h.u16(0)
	for _, width := range widths {
		if width == 0 {
			h.u16(0)
			continue
		}
		h.u16(size)
		size += width
	}
	binary.LittleEndian.PutUint16(h.bytes[sizeAt:], uint16(size))
	h.align(4)
	return len(h.bytes)
}

// list writes a vector of n references and returns the place of the first.
func (h *head) list(n int) int {
	h.align(4)
	h.u32(uint32(n))
	at := len(h.bytes)
	h.bytes = append(h.bytes, make([]byte, 4*n)...)
	return at
}

func (h *head) u16(x int) { h.bytes = binary.LittleEndian.AppendUint16(h.bytes, uint16(x)) }

func (h *head) u32(x uint32) { h.bytes = binary.LittleEndian.AppendUint32(h.bytes, x) }

// refer makes the word at a place refer to a later place of the head.
func (h *head) refer(at, to int) { binary.LittleEndian.PutUint32(h.bytes[at:], uint32(to-at)) }

// into makes the word at a place refer to a place of the old file.
func (h *head) into(at, to int) { h.later = append(h.later, reference{at, to}) }

func (h *head) align(multiple int) {
	for len(h.bytes)%multiple != 0 {
		h.bytes = append(h.bytes, 0)
	}
}

// before returns the head and the old file behind it.
func (h *head) before() ([]byte, error) {
	n := len(h.bytes)
	if n+len(h.old) > source.MaxBinary {
		return nil, errors.New("the model would be larger than 2 GiB")
	}
	for _, r := range h.later {
		h.refer(r.at, n+r.to)
	}
	return append(h.bytes, h.old...), nil
}
