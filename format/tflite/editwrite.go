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
	switch tfliteschema.BuiltinOperator(code) {
	case tfliteschema.BuiltinOperatorBROADCAST_TO: // its first version was never released
		if t != Type(tfliteschema.TensorTypeFLOAT32) {
			return 3
		}
		return 2
	case tfliteschema.BuiltinOperatorWHILE, tfliteschema.BuiltinOperatorDYNAMIC_UPDATE_SLICE:
		return 1
	}
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
	look := func(all []NewOperator, first int) {
		for k := range all {
			if o := &all[k]; o.From < 0 {
				key := m.codeOf(o, first)
				if _, ok := number[key]; !ok {
					number[key] = root.OperatorCodesLength() + len(added)
					added = append(added, key)
				}
			}
		}
	}
	look(m.edit.operators, 0)
	for k := range m.edit.graphs {
		look(m.edit.graphs[k].Operators, m.graph(k).FirstTensor)
	}
	return number, added
}

// graph returns a new subgraph of a sketch.
func (m *Model) graph(k int) *Subgraph { return &m.Subgraphs[len(m.edit.old.Subgraphs)+k] }

// codeOf returns the code of a new operator of the subgraph whose first tensor is given.
func (m *Model) codeOf(o *NewOperator, first int) operatorCode {
	return operatorCode{o.Code, versionOf(o.Code, m.Tensors[first+int(o.Inputs[0])].Type)}
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
		h.u32(min(uint32(a.code), 127)) // a byte, PLACEHOLDER_FOR_GREATER_OP_CODES
		h.u32(uint32(a.version))
		h.u32(uint32(a.code))
	}
}

// graphs writes the list of subgraphs of a sketch and returns where it is. The first differs from the file's, and some
// are new.
func (h *head) graphs(m *Model, root *tfliteschema.Model, number map[operatorCode]int) int {
	at := len(h.bytes)
	slots := h.list(len(m.Subgraphs))
	var g tfliteschema.SubGraph
	for i := 1; i < len(m.edit.old.Subgraphs); i++ {
		root.Subgraphs(&g, i)
		h.into(slots+4*i, int(g.Table().Pos))
	}
	root.Subgraphs(&g, 0)
	h.refer(slots, h.edited(m, &g, number))
	for k := range m.edit.graphs {
		h.refer(slots+4*(len(m.edit.old.Subgraphs)+k), h.newGraph(m, k, &g, number))
	}
	return at
}

// newGraph writes a new subgraph and returns where it is. g is the first subgraph of the file.
func (h *head) newGraph(m *Model, k int, g *tfliteschema.SubGraph, number map[operatorCode]int) int {
	made, s := &m.edit.graphs[k], m.graph(k)
	at := h.vtable([]int{4, 4, 4, 4, 4}) // tensors, inputs, outputs, operators, name
	h.u32(uint32(at - h.lastVtable))
	tensors := len(h.bytes)
	h.u32(0)
	h.share(list(made.Inputs))
	h.share(list(made.Outputs))
	operators := len(h.bytes)
	h.u32(0)
	h.share(text(made.Name))
	h.refer(tensors, len(h.bytes))
	h.tensors(m, s.FirstTensor, len(made.Tensors), func(k int) *NewTensor { return &made.Tensors[k] }, g)
	h.refer(operators, len(h.bytes))
	h.operators(m, s.FirstTensor, made.Operators, g, number)
	return at
}

// text returns a string as the file has it.
func text(s string) []byte {
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...), 0)
}

// edited writes the first subgraph of a sketch and returns where it is.
func (h *head) edited(m *Model, g *tfliteschema.SubGraph, number map[operatorCode]int) int {
	const tensors, operators = 0, 3
	fields, at := h.table(g.Table(), subgraphLayout, []int{tensors, operators})
	h.refer(fields[tensors], len(h.bytes))
	h.tensors(m, 0, len(m.edit.tensors), func(k int) *NewTensor { return m.edit.tensors[k] }, g)
	h.refer(fields[operators], len(h.bytes))
	h.operators(m, 0, m.edit.operators, g, number)
	return at
}

// tensors writes the list of n tensors of a subgraph whose first tensor is given. made is nil for an old one.
func (h *head) tensors(m *Model, first, n int, made func(k int) *NewTensor, g *tfliteschema.SubGraph) {
	list := h.list(n)
	var t tfliteschema.Tensor
	for k := range n {
		switch x := made(k); {
		case x == nil:
			g.Tensors(&t, k)
			h.into(list+4*k, int(t.Table().Pos))
		case x.Same:
			g.Tensors(&t, int(x.Like))
			h.into(list+4*k, int(t.Table().Pos))
		case x.Data != nil || x.Like < 0:
			h.refer(list+4*k, h.tensor(&m.Tensors[first+k], flatbuffers.Table{}))
		default:
			g.Tensors(&t, int(x.Like))
			h.refer(list+4*k, h.tensor(&m.Tensors[first+k], t.Table()))
		}
	}
}

// operators writes the list of operators of a subgraph whose first tensor is given.
func (h *head) operators(m *Model, first int, all []NewOperator, g *tfliteschema.SubGraph, number map[operatorCode]int) {
	list := h.list(len(all))
	var o tfliteschema.Operator
	for k := range all {
		made := &all[k]
		if made.From < 0 {
			h.refer(list+4*k, h.newOperator(made, number[m.codeOf(made, first)]))
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
}

// tensor writes a new tensor and returns where it is. like is the table of an old one; without quantization it is
// empty.
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
		h.share(text(t.Name))
	}
	if quantization != 0 {
		h.into(len(h.bytes), quantization)
		h.u32(0)
	}
	return at
}

// whileOptions is the number of WHILE's options in the schema's union.
const whileOptions = 93

// newOperator writes an operator that the model lacks and returns where it is.
func (h *head) newOperator(o *NewOperator, code int) int {
	widths := []int{4, 4, 4, 0, 0}
	union, options := 0, []uint32(nil)
	switch tfliteschema.BuiltinOperator(o.Code) {
	case tfliteschema.BuiltinOperatorCONCATENATION:
		union, options = int(forms[tfliteschema.BuiltinOperatorCONCATENATION].number), []uint32{uint32(o.Axis)}
	case tfliteschema.BuiltinOperatorWHILE:
		union, options = whileOptions, []uint32{uint32(o.Callees[0]), uint32(o.Callees[1])}
	}
	if options != nil {
		widths[optionsTypeField], widths[optionsField] = 4, 4
	}
	at := h.vtable(widths)
	h.u32(uint32(at - h.lastVtable))
	h.u32(uint32(code))
	h.share(list(o.Inputs))
	h.share(list(o.Outputs))
	if options != nil {
		h.u32(uint32(union))
		slot := len(h.bytes)
		h.u32(0)
		table := h.vtable(slices.Repeat([]int{4}, len(options)))
		h.refer(slot, table)
		h.u32(uint32(table - h.lastVtable))
		for _, x := range options {
			h.u32(x)
		}
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
