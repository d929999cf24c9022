package tflite

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unsafe"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/model"
)

// Read reads a model from r; file is its name in messages. The error is r's, or a *model.InputError that names each
// fault by its place in the model, such as "subgraph 0, operator 3, input 1".
func Read(r io.Reader, file string) (*Model, error) {
	data, budget, err := source.Binary(r, file)
	if err != nil {
		return nil, err
	}
	return parseWithin(data, file, budget)
}

// Parse is Read for the content of a file. The model keeps data, which must not change.
func Parse(data []byte, file string) (*Model, error) {
	return parseWithin(data, file, source.BudgetOf(len(data)))
}

func parseWithin(data []byte, file string, budget source.Budget) (*Model, error) {
	p := parser{budget: budget, m: &Model{File: file, data: data}}
	if len(data) > source.MaxBinary {
		p.refuse("", "", "is larger than 2 GiB, which no TensorFlow Lite model may be")
		return nil, p.issues.Err()
	}
	if fault := sound(data); fault != "" {
		p.refuse("", "", fault)
		return nil, p.issues.Err()
	}
	p.root = tfliteschema.GetRootAsModel(data, 0)
	p.model()
	if err := p.issues.Err(); err != nil {
		return nil, err
	}
	return p.m, nil
}

// tensorBytes is what a tensor takes in memory, with its lifespan and its buffer of the arena, and operatorBytes what
// an operator takes.
const (
	tensorBytes   = int(unsafe.Sizeof(Tensor{})) + source.BufferBytes + 32
	operatorBytes = int(unsafe.Sizeof(Operator{})) + 32
	operandBytes  = 64 // of an operator, with what follows from it: its permits and scratch
)

// A parser turns accessors into a Model and keeps what is wrong.
type parser struct {
	m      *Model
	root   *tfliteschema.Model
	codes  []code
	issues model.Issues
	// budget also pays for vectors and names: tables of a hostile file can share one
	// long vector, so that it expands beyond its size. over is set once it is spent.
	budget source.Budget
	over   bool
}

// code is an entry of the model's operator codes.
type code struct {
	own    tfliteschema.BuiltinOperator // as TensorFlow Lite Micro's lifetimes read it
	real   tfliteschema.BuiltinOperator
	custom string
}

func (p *parser) refuse(field, value, message string) {
	p.issues.Add(model.Issue{File: p.m.File, Field: field, Value: value, Message: message})
}

// spend takes n from the budget for a part of the model.
func (p *parser) spend(place string, n int) bool {
	if !p.over && !p.budget.Spend(n) {
		p.refuse(place, "", p.budget.Excess())
		p.over = true
	}
	return !p.over
}

func (p *parser) model() {
	p.m.Description = p.text("description", p.root.Description())
	var oc tfliteschema.OperatorCode
	for i := range p.root.OperatorCodesLength() {
		p.root.OperatorCodes(&oc, i)
		c := code{own: oc.BuiltinCode(), custom: p.text("operator_codes "+strconv.Itoa(i), oc.CustomCode())}
		c.real = max(c.own, tfliteschema.BuiltinOperator(oc.DeprecatedBuiltinCode()))
		p.codes = append(p.codes, c)
	}
	n := p.root.SubgraphsLength()
	if n == 0 {
		p.refuse("subgraphs", "", "the model has none")
	}
	var g tfliteschema.SubGraph
	for i := range n {
		if p.over {
			return
		}
		p.root.Subgraphs(&g, i)
		p.subgraph(i, &g, n)
	}
	p.offline()
	// An archive of associated files ends with its directory.
	tail := p.m.data[max(0, len(p.m.data)-1<<16-22):]
	p.m.TrailingZIP = bytes.Contains(tail, []byte("PK\x05\x06"))
}

func (p *parser) text(place string, b []byte) string {
	if !p.spend(place, len(b)) {
		return ""
	}
	return string(b)
}

func (p *parser) subgraph(at int, g *tfliteschema.SubGraph, subgraphs int) {
	m := p.m
	place := "subgraph " + strconv.Itoa(at)
	s := Subgraph{
		Name: p.text(place, g.Name()), FirstTensor: len(m.Tensors), TensorCount: g.TensorsLength(),
		FirstOperator: len(m.Operators), OperatorCount: g.OperatorsLength(),
	}
	if !p.spend(place, s.TensorCount*tensorBytes+s.OperatorCount*operatorBytes) {
		return
	}
	m.Tensors = slices.Grow(m.Tensors, s.TensorCount)
	m.Operators = slices.Grow(m.Operators, s.OperatorCount)
	var t tfliteschema.Tensor
	for i := range s.TensorCount {
		if p.over {
			return
		}
		g.Tensors(&t, i)
		m.Tensors = append(m.Tensors, p.tensor(place+", tensor "+strconv.Itoa(i), &t))
	}
	s.Inputs = p.indices(place+", input", g.InputsLength(), g.Inputs, &s, false)
	s.Outputs = p.indices(place+", output", g.OutputsLength(), g.Outputs, &s, false)
	var o tfliteschema.Operator
	for i := range s.OperatorCount {
		if p.over {
			return
		}
		g.Operators(&o, i)
		m.Operators = append(m.Operators, p.operator(place+", operator "+strconv.Itoa(i), &o, &s, subgraphs))
	}
	m.Subgraphs = append(m.Subgraphs, s)
}

func (p *parser) tensor(place string, t *tfliteschema.Tensor) Tensor {
	out := Tensor{Name: p.text(place, t.Name()), Type: Type(t.Type()), Variable: t.IsVariable(), Buffer: int(t.Buffer())}
	if t.ExternalBuffer() != 0 {
		out.Constant = true
	}
	if int64(t.Buffer()) >= int64(p.root.BuffersLength()) && t.Buffer() != 0 {
		p.refuse(place+", buffer", strconv.Itoa(int(t.Buffer())), "there are "+strconv.Itoa(p.root.BuffersLength()))
	} else if p.root.BuffersLength() > 0 {
		var b tfliteschema.Buffer
		p.root.Buffers(&b, int(t.Buffer()))
		out.Constant = out.Constant || b.DataLength() > 0 || b.Size() > 0
	}
	if q := t.Quantization(nil); q != nil && q.ZeroPointLength() > 0 {
		out.Channels = q.ScaleLength()
	}
	size := int64(0)
	if k := int(t.Type()); k >= 0 && k < len(typeSizes) {
		size = typeSizes[k]
	}
	if size == 0 && !out.Constant {
		p.refuse(place+", type", out.Type.String(), "is a type whose size TensorFlow Lite Micro does not know")
		return out
	}
	if !p.spend(place, 4*t.ShapeLength()) {
		return out
	}
	out.Bytes, out.Shape = size, make([]int32, 0, t.ShapeLength())
	for i := range t.ShapeLength() {
		d := t.Shape(i)
		out.Shape = append(out.Shape, d)
		if d < 0 {
			p.refuse(place+", shape", strconv.Itoa(int(d)), "a dimension must not be negative")
			return out
		}
		if d > 0 && out.Bytes > math.MaxInt32/int64(d) && !out.Constant {
			p.refuse(place+", shape", fmt.Sprint(out.Shape), "takes more than 2 GiB")
			return out
		}
		out.Bytes *= int64(d)
	}
	return out
}

// indices reads a vector of the subgraph's own tensor numbers as indices into
// Model.Tensors. -1 is allowed where optional.
func (p *parser) indices(place string, n int, at func(int) int32, s *Subgraph, optional bool) []int32 {
	if !p.spend(place, operandBytes*n) {
		return nil
	}
	out := make([]int32, n)
	for i := range n {
		switch k := at(i); {
		case k == -1 && optional:
			out[i] = -1
		case k < 0 || int(k) >= s.TensorCount:
			p.refuse(place+" "+strconv.Itoa(i), strconv.Itoa(int(k)), "the subgraph has "+strconv.Itoa(s.TensorCount)+" tensors")
		default:
			out[i] = int32(s.FirstTensor) + k
		}
	}
	return out
}

func (p *parser) operator(place string, o *tfliteschema.Operator, s *Subgraph, subgraphs int) Operator {
	var out Operator
	k := int64(o.OpcodeIndex())
	if k >= int64(len(p.codes)) {
		p.refuse(place+", opcode", strconv.FormatInt(k, 10), "there are "+strconv.Itoa(len(p.codes)))
		return out
	}
	c := p.codes[k]
	out.Code, out.Custom = Code(c.real), c.custom
	out.Inputs = p.indices(place+", input", o.InputsLength(), o.Inputs, s, true)
	out.Outputs = p.indices(place+", output", o.OutputsLength(), o.Outputs, s, false)
	out.Options = p.optionsOf(o, c.real)
	count := 0
	switch c.real {
	case tfliteschema.BuiltinOperatorBATCH_MATMUL:
		out.TransposedX, out.TransposedY = p.flags(o)
	case tfliteschema.BuiltinOperatorVAR_HANDLE:
		if at, _ := p.options(o, resourceShape); at != 0 {
			tab := flatbuffers.Table{Bytes: p.m.data, Pos: at}
			if name := flatbuffers.UOffsetT(tab.Offset(6)); name != 0 {
				out.Resource = p.text(place, tab.ByteVector(at+name))
			}
		}
		for _, t := range out.Outputs {
			if int(t) < len(p.m.Tensors) { // else it was refused
				p.m.Tensors[t].Handle = true
			}
		}
	}
	switch c.own {
	case tfliteschema.BuiltinOperatorIF, tfliteschema.BuiltinOperatorWHILE:
		count = 2
	case tfliteschema.BuiltinOperatorCALL_ONCE:
		count = 1
	}
	if count > 0 {
		out.Callees = p.callees(place, o, count, subgraphs)
	}
	return out
}

// options returns where the table of an operator's options is, once it has been walked over: options have another shape
// with each operator. It is 0 if there is none.
func (p *parser) options(o *tfliteschema.Operator, s *shape) (at flatbuffers.UOffsetT, fault string) {
	tab := o.Table()
	const optionsField = 4 + 2*4
	offset := tab.Offset(optionsField)
	if offset == 0 {
		return 0, ""
	}
	w := walk{data: p.m.data, budget: 2}
	to, ok := w.reference(int64(tab.Pos)+int64(offset), "operator.builtin_options")
	if !ok || !w.table(to, s) {
		return 0, w.fault
	}
	return flatbuffers.UOffsetT(to), ""
}

// flags reads the first two options if they are yes or no; no if they are
// left out or damaged, since nothing but a size depends on them.
func (p *parser) flags(o *tfliteschema.Operator) (first, second bool) {
	at, _ := p.options(o, flagsShape)
	if at == 0 {
		return false, false
	}
	tab := flatbuffers.Table{Bytes: p.m.data, Pos: at}
	flag := func(field flatbuffers.VOffsetT) bool {
		offset := flatbuffers.UOffsetT(tab.Offset(4 + 2*field))
		return offset != 0 && tab.GetBool(at+offset)
	}
	return flag(0), flag(1)
}

// callees reads which subgraphs a control-flow operator runs. Its options are
// not in the shape of an operator, since those of others have any form.
func (p *parser) callees(place string, o *tfliteschema.Operator, count, subgraphs int) []int32 {
	at, fault := p.options(o, calleesShape)
	if at == 0 {
		if fault == "" {
			fault = "has no options that name its subgraphs"
		}
		p.refuse(place, "", fault)
		return nil
	}
	options := new(tfliteschema.Callees)
	options.Init(p.m.data, at)
	var out []int32
	for _, g := range []int32{options.First(), options.Second()}[:count] {
		if g < 0 || int(g) >= subgraphs {
			p.refuse(place+", subgraph", strconv.Itoa(int(g)), "there are "+strconv.Itoa(subgraphs))
			return nil
		}
		out = append(out, g)
	}
	return out
}
