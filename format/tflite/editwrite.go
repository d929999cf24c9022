package tflite

import (
	"encoding/binary"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the file of an edit is the old file with a head before it, as in prepend.go. An operator that is changed has a
// new table with the old one's fields, so whatever the file says of it stays; its options stay the old ones, unless its
// padding changes. A new tensor refers to the quantization of the old one that it is like. So weights, options and
// quantization are shared, and the file grows by tables and lists alone.
//
// Vectors with the same bytes are written once, behind all tables, because references lead forward only. Tables with
// the same fields share their list of fields, which may lie anywhere.
//
// Complexity: O(tensors + operators).
//
// Source: the schema of tensorflow/tflite-micro 90b983c; versions of operators: tensorflow 2.19,
// lite/tools/versioning/op_version.cc.

var (
	operatorLayout = layout{4, 0, 0, 1, 0, 0, 1, 0, 0, outside, outside, 1, 0, 4}
	// windowLayouts are the options of operators that have a padding, which comes first, by their number in the union.
	windowLayouts = map[byte]layout{
		1:  {1, 4, 4, 1, 4, 4, 1},
		2:  {1, 4, 4, 4, 1, 4, 4},
		5:  {1, 4, 4, 4, 4, 1},
		49: {1, 4, 4, 1, 1},
	}
)

// outside is the width of a field that says where data are in the file, counted from its beginning.
const outside = -1

// Numbers of fields, as in the schema.
const (
	codeField, inputsField, outputsField, optionsTypeField, optionsField = 0, 1, 2, 3, 4 // of an operator
	quantizationField                                                    = 4             // of a tensor
)

// An operatorCode is an entry of the model's list of codes.
type operatorCode struct {
	code    Code
	version int32
}

// A sharedVector is written once for all places that refer to it.
type sharedVector struct {
	bytes []byte // with what is before the elements
	from  []int  // places in the head
}

// versionOf returns the version that a runtime asks of a new operator on elements of a type.
func versionOf(code Code, t Type) int32 {
	switch tfliteschema.TensorType(t) {
	case tfliteschema.TensorTypeINT8:
		return 2
	case tfliteschema.TensorTypeINT16:
		if code == Code(tfliteschema.BuiltinOperatorSLICE) {
			return 4
		}
		return 3
	}
	return 1
}

// codes returns the number of each code that an edit needs, and those that the model lacks.
func (m *Model) codes(root *tfliteschema.Model) (number map[operatorCode]int, added []operatorCode) {
	number = map[operatorCode]int{}
	const version = 4 + 2*2
	var c tfliteschema.OperatorCode
	for i := range root.OperatorCodesLength() {
		root.OperatorCodes(&c, i)
		table := c.Table()
		code := max(c.BuiltinCode(), tfliteschema.BuiltinOperator(c.DeprecatedBuiltinCode()))
		key := operatorCode{Code(code), table.GetInt32Slot(version, 1)}
		if _, ok := number[key]; !ok && len(c.CustomCode()) == 0 {
			number[key] = i
		}
	}
	for k := range m.edit.operators {
		o := &m.edit.operators[k]
		if o.From < 0 {
			key := m.codeOf(o)
			if _, ok := number[key]; !ok {
				number[key] = root.OperatorCodesLength() + len(added)
				added = append(added, key)
			}
		}
	}
	return number, added
}

// codeOf returns the code of a new operator.
func (m *Model) codeOf(o *NewOperator) operatorCode {
	return operatorCode{o.Code, versionOf(o.Code, m.Tensors[o.Inputs[0]].Type)}
}

// codes writes the list of operator codes, the old ones and those that are added.
func (h *head) codes(root *tfliteschema.Model, slot int, added []operatorCode) {
	h.refer(slot, len(h.bytes))
	n := root.OperatorCodesLength()
	list := h.list(n + len(added))
	var c tfliteschema.OperatorCode
	for i := range n {
		root.OperatorCodes(&c, i)
		h.into(list+4*i, int(c.Table().Pos))
	}
	for k, a := range added {
		table := h.vtable([]int{4, 0, 4, 4})
		h.refer(list+4*(n+k), table)
		h.u32(uint32(table - h.lastVtable))
		h.u32(uint32(a.code)) // a byte: all three codes are below 127
		h.u32(uint32(a.version))
		h.u32(uint32(a.code))
	}
}

// graphs writes the list of subgraphs of a sketch, of which only the first differs, and returns where it is.
func (h *head) graphs(m *Model, root *tfliteschema.Model, number map[operatorCode]int) int {
	at := len(h.bytes)
	slots := h.list(len(m.Subgraphs))
	var g tfliteschema.SubGraph
	for i := 1; i < len(m.Subgraphs); i++ {
		root.Subgraphs(&g, i)
		h.into(slots+4*i, int(g.Table().Pos))
	}
	root.Subgraphs(&g, 0)
	h.refer(slots, h.edited(m, &g, number))
	return at
}

// edited writes the first subgraph of a sketch and returns where it is.
func (h *head) edited(m *Model, g *tfliteschema.SubGraph, number map[operatorCode]int) int {
	const tensors, operators = 0, 3
	fields, at := h.table(g.Table(), subgraphLayout, []int{tensors, operators})
	h.refer(fields[tensors], len(h.bytes))
	list := h.list(len(m.edit.tensors))
	var t tfliteschema.Tensor
	for k, made := range m.edit.tensors {
		if made == nil {
			g.Tensors(&t, k)
			h.into(list+4*k, int(t.Table().Pos))
			continue
		}
		if made.Data == nil {
			g.Tensors(&t, int(made.Like))
			h.refer(list+4*k, h.tensor(&m.Tensors[k], t.Table()))
			continue
		}
		h.refer(list+4*k, h.tensor(&m.Tensors[k], flatbuffers.Table{}))
	}
	h.refer(fields[operators], len(h.bytes))
	list = h.list(len(m.edit.operators))
	var o tfliteschema.Operator
	for k := range m.edit.operators {
		made := &m.edit.operators[k]
		if made.From < 0 {
			h.refer(list+4*k, h.newOperator(made, number[m.codeOf(made)]))
			continue
		}
		g.Operators(&o, made.From)
		old := &m.edit.old.Operators[made.From]
		if made.Padding == KeptPadding && slices.Equal(made.Inputs, old.Inputs) &&
			slices.Equal(made.Outputs, old.Outputs) {
			h.into(list+4*k, int(o.Table().Pos))
			continue
		}
		h.refer(list+4*k, h.changedOperator(made, &o))
	}
	return at
}

// tensor writes a new tensor and returns where it is. like is the table of an old one; of a constant it is empty.
func (h *head) tensor(t *Tensor, like flatbuffers.Table) int {
	widths := []int{4, 4, 4, 4, 4} // shape, type, buffer, name, quantization
	quantization := 0
	if like.Bytes != nil {
		if offset := like.Offset(4 + 2*quantizationField); offset != 0 {
			quantization = int(like.Indirect(like.Pos + flatbuffers.UOffsetT(offset)))
		}
	}
	if !t.Constant {
		widths[2] = 0
	}
	if t.Name == "" {
		widths[3] = 0
	}
	if quantization == 0 {
		widths[4] = 0
	}
	at := h.vtable(widths)
	h.u32(uint32(at - h.lastVtable))
	h.share(list(t.Shape))
	h.u32(uint32(t.Type))
	if t.Constant {
		h.u32(uint32(t.Buffer))
	}
	if t.Name != "" {
		text := binary.LittleEndian.AppendUint32(nil, uint32(len(t.Name)))
		h.share(append(append(text, t.Name...), 0))
	}
	if quantization != 0 {
		h.into(len(h.bytes), quantization)
		h.u32(0)
	}
	return at
}

// newOperator writes a SLICE, a PAD or a CONCATENATION and returns where it is.
func (h *head) newOperator(o *NewOperator, code int) int {
	widths := []int{4, 4, 4, 0, 0}
	joins := o.Code == Code(tfliteschema.BuiltinOperatorCONCATENATION)
	if joins {
		widths[optionsTypeField], widths[optionsField] = 4, 4
	}
	at := h.vtable(widths)
	h.u32(uint32(at - h.lastVtable))
	h.u32(uint32(code))
	h.share(list(o.Inputs))
	h.share(list(o.Outputs))
	if joins {
		h.u32(uint32(forms[tfliteschema.BuiltinOperatorCONCATENATION].number))
		slot := len(h.bytes)
		h.u32(0)
		options := h.vtable([]int{4})
		h.refer(slot, options)
		h.u32(uint32(options - h.lastVtable))
		h.u32(uint32(o.Axis))
	}
	return at
}

// changedOperator writes an old operator with other tensors, and returns where it is.
func (h *head) changedOperator(o *NewOperator, old *tfliteschema.Operator) int {
	own := []int{inputsField, outputsField}
	if o.Padding != KeptPadding {
		own = append(own, optionsField)
	}
	fields, at := h.table(old.Table(), operatorLayout, own)
	h.shareAt(fields[inputsField], list(o.Inputs))
	h.shareAt(fields[outputsField], list(o.Outputs))
	if o.Padding != KeptPadding {
		table := old.Table()
		table.Pos = table.Indirect(table.Pos + flatbuffers.UOffsetT(table.Offset(4+2*optionsField)))
		const padding = 0
		options, place := h.table(table, windowLayouts[old.BuiltinOptionsType()], []int{padding})
		h.refer(fields[optionsField], place)
		if o.Padding == ValidPadding {
			h.bytes[options[padding]] = 1
		}
	}
	return at
}

// list returns a vector of numbers as the file has it.
func list(x []int32) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(x))), words(x)...)
}

// words returns the bytes of numbers.
func words(x []int32) []byte {
	out := make([]byte, 0, 4*len(x))
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out
}

// share writes a word that refers to a vector, and shareAt makes an old one do so.
func (h *head) share(bytes []byte) {
	h.u32(0)
	h.shareAt(len(h.bytes)-4, bytes)
}

func (h *head) shareAt(at int, bytes []byte) {
	if h.shared == nil {
		h.shared = map[string]int{}
	}
	k, ok := h.shared[string(bytes)]
	if !ok {
		k = len(h.vectors)
		h.shared[string(bytes)] = k
		h.vectors = append(h.vectors, sharedVector{bytes: bytes})
	}
	h.vectors[k].from = append(h.vectors[k].from, at)
}

// flush writes the vectors that are shared.
func (h *head) flush() {
	for _, v := range h.vectors {
		h.align(4)
		for _, at := range v.from {
			h.refer(at, len(h.bytes))
		}
		h.bytes = append(h.bytes, v.bytes...)
	}
	h.shared, h.vectors = nil, nil
}
