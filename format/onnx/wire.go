package onnx

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/stowage-go/stowage/format/internal/protowire"

	"github.com/stowage-go/stowage/model"
)

// Idea: a protobuf message is a row of numbered fields, each with its length. Only
// the fields that planning reads are decoded; weights are passed over, and small
// tensors are decoded where a shape depends on them (data.go). Names of values
// become numbers at once.
//
// Invariant: everything that is kept is paid for from an allowance in proportion to
// the file: an empty message takes two bytes of a file and a hundred of memory. So
// the memory that a model takes is bounded by the size of its file. The depth of
// graphs and types is bounded too.
//
// Complexity: O(bytes that are not weights), each list counted before it is made.
//
// Source: onnx.proto of onnx 1.23.2 for the numbers of fields.

const (
	maxSize     = math.MaxInt32 // no protobuf message is larger
	maxDepth    = 24            // of graphs in graphs
	maxTypes    = 8             // of sequences of sequences
	maxList     = 4096          // of the numbers of a constant in an attribute that are kept
	maxShort    = 256           // of the numbers or characters of any other
	nodeBytes   = 160           // what a node takes in memory, and so on
	attrBytes   = 184
	infoBytes   = 160
	tensorBytes = 96
	nameBytes   = 64
)

// What a parser and a walk may spend on what they keep, beside four times the file.
// Together with the file itself that is under ten times the file and 64 MB.
const (
	parserBytes = 12 << 20
	walkBytes   = 24 << 20
	foldBytes   = 8 << 20 // and a walk on elements that are known
)

// Read reads a model. The error is r's, or a *model.InputError that names what is
// wrong, by its place in the model: node 3 "conv1" (Conv), attribute pads.
func Read(r io.Reader, file string) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return Parse(data, file)
}

// Parse is Read on the bytes of a file. The model refers to them: they must not
// change.
func Parse(data []byte, file string) (*Model, error) {
	tables()
	p := parser{
		m:     &Model{File: file, functions: map[functionKey]*function{}, opsets: opsets{}, names: []string{""}, size: len(data)},
		ids:   map[string]int32{"": 0},
		texts: map[string]string{},
		left:  4*len(data) + parserBytes,
	}
	if len(data) > maxSize {
		p.fail("is larger than 2 GiB, which no protobuf message may be")
	} else {
		p.model(data)
	}
	if p.fault == nil && p.m.graph == nil {
		p.fail("is not an ONNX model: there is no graph in it")
	}
	if p.fault != nil {
		var issues model.Issues
		issues.Add(*p.fault)
		return nil, issues.Err()
	}
	return p.m, nil
}

// A parser turns messages into a Model. The first fault ends it.
type parser struct {
	m     *Model
	ids   map[string]int32  // names of values to their numbers
	texts map[string]string // other strings, each kept once
	taken []int32           // by the number of a name: the body that has it last, by its own number
	body  int32             // bodies so far
	where []place           // for messages
	left  int
	fault *model.Issue
}

func (p *parser) fail(message string) {
	if p.fault != nil {
		return
	}
	field := ""
	for i, w := range p.where {
		if i > 0 {
			field += ", "
		}
		field += w.what
		if w.at >= 0 {
			field += " " + strconv.Itoa(w.at)
		}
	}
	p.fault = &model.Issue{File: p.m.File, Field: field, Message: message}
}

// A place of a model, as messages name it: node 3, or graph.
type place struct {
	what string
	at   int // -1 for none
}

// in calls do with a place below the one where the parser is.
func (p *parser) in(what string, at int, do func()) {
	p.where = append(p.where, place{what, at})
	do()
	p.where = p.where[:len(p.where)-1]
}

// spend takes n from the allowance.
func (p *parser) spend(n int) bool {
	if p.left -= n; p.left < 0 {
		p.fail("is damaged: it has far more parts than a model of its size")
	}
	return p.fault == nil
}

// A field of a message: a number for varint and fixed ones, else the bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	body   []byte
}

// each calls do for each field of a message, until that or the message fails.
func (p *parser) each(b []byte, do func(f field)) {
	for len(b) > 0 && p.fault == nil {
		f, n := next(b)
		if n < 0 {
			p.fail("is truncated or damaged, or this is not an ONNX model")
			return
		}
		b = b[n:]
		do(f)
	}
}

// next splits the first field off a message: n is its length, negative where it is
// broken.
func next(b []byte) (f field, n int) {
	var k int
	if f.number, f.kind, n = protowire.ConsumeTag(b); n < 0 {
		return f, n
	}
	switch f.kind {
	case protowire.VarintType:
		f.value, k = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed32Type:
		var v uint32
		v, k = protowire.ConsumeFixed32(b[n:])
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, k = protowire.ConsumeFixed64(b[n:])
	case protowire.BytesType:
		f.body, k = protowire.ConsumeBytes(b[n:])
	default:
		// A group, which ONNX has none of: a field that is not known.
		k = protowire.ConsumeFieldValue(f.number, f.kind, b[n:])
	}
	if k < 0 {
		return f, k
	}
	return f, n + k
}

// count returns how many fields of each of the numbers a message has, messages
// only.
func (p *parser) count(b []byte, numbers ...protowire.Number) []int {
	counts := make([]int, len(numbers))
	p.each(b, func(f field) {
		for k, n := range numbers {
			if f.number == n && f.kind == protowire.BytesType {
				counts[k]++
			}
		}
	})
	return counts
}

// text keeps a string, once however often it is there.
func (p *parser) text(b []byte) string {
	if s, ok := p.texts[string(b)]; ok {
		return s
	}
	if !p.spend(nameBytes + len(b)) {
		return ""
	}
	s := string(b)
	p.texts[s] = s
	return s
}

// name returns the number of a value's name.
func (p *parser) name(b []byte) int32 {
	if id, ok := p.ids[string(b)]; ok {
		return id
	}
	if !p.spend(nameBytes + len(b)) {
		return 0
	}
	id := int32(len(p.m.names))
	s := string(b)
	p.m.names = append(p.m.names, s)
	p.ids[s] = id
	return id
}

func (p *parser) model(data []byte) {
	var functions [][]byte
	p.each(data, func(f field) {
		switch f.number {
		case 1:
			p.m.IRVersion = int64(f.value)
		case 2:
			p.m.Producer = p.text(f.body)
		case 7:
			if f.kind != protowire.BytesType {
				return
			}
			if p.m.graph != nil {
				p.fail("is damaged: it has several graphs")
				return
			}
			p.in("graph", -1, func() { p.m.graph = p.graph(f.body, 0) })
		case 8:
			p.opset(p.m.opsets, f.body)
		case 25:
			if p.spend(24) {
				functions = append(functions, f.body)
			}
		}
	})
	for k, body := range functions {
		p.in("function", k, func() { p.function(body) })
	}
}

// opset adds a version; the first of a domain counts.
func (p *parser) opset(to opsets, b []byte) {
	var domain string
	var version int64
	p.each(b, func(f field) {
		switch f.number {
		case 1:
			domain = p.text(f.body)
		case 2:
			version = int64(f.value)
		}
	})
	if standard(domain) {
		domain = ""
	}
	if _, ok := to[domain]; !ok && p.spend(64) {
		to[domain] = version
	}
}

func (p *parser) function(b []byte) {
	n := p.count(b, 4, 5, 7, 11, 12)
	if p.fault != nil || !p.spend(256+4*(n[0]+n[1])+nodeBytes*n[2]+attrBytes*n[3]+infoBytes*n[4]) {
		return
	}
	fn := &function{
		nodes: make([]node, 0, n[2]), inputs: make([]int32, 0, n[0]), outputs: make([]int32, 0, n[1]),
		opsets: opsets{}, defaults: make([]attribute, 0, n[3]), declared: make(map[int32]*typeInfo, n[4]),
	}
	var key functionKey
	p.each(b, func(f field) {
		switch f.number {
		case 1:
			key.name = p.text(f.body)
		case 4:
			fn.inputs = append(fn.inputs, p.name(f.body))
		case 5:
			fn.outputs = append(fn.outputs, p.name(f.body))
		case 7:
			p.m.Nodes++
			p.in("node", len(fn.nodes), func() { fn.nodes = append(fn.nodes, p.node(f.body, 0)) })
		case 9:
			p.opset(fn.opsets, f.body)
		case 10:
			key.domain = p.text(f.body)
		case 11:
			fn.defaults = append(fn.defaults, p.attribute(f.body, 0))
		case 12:
			v := p.info(f.body)
			fn.declared[v.name] = v.typ
		case 13:
			key.overload = p.text(f.body)
		}
	})
	if _, ok := p.m.functions[key]; ok {
		p.fail("is the second of its name, " + strconv.Quote(key.name))
	}
	p.m.functions[key] = fn
	p.enter()
	for _, name := range fn.inputs {
		p.claim(name, "input", -1)
	}
	p.results(fn.nodes)
}

// enter begins a body, a graph or a function, in which names are given once. Bodies in
// it have ended.
func (p *parser) enter() {
	p.body++
	if n := len(p.m.names); len(p.taken) < n {
		p.taken = append(p.taken, make([]int32, n-len(p.taken))...)
	}
}

// free reports whether nothing in the body has a name so far, and gives it away.
func (p *parser) free(name int32) bool {
	free := name == 0 || p.taken[name] != p.body
	p.taken[name] = p.body
	return free
}

// claim refuses a name that something else in the body has.
func (p *parser) claim(name int32, what string, at int) {
	if !p.free(name) {
		p.in(what, at, func() { p.fail("makes " + quoted(p.m.names[name]) + ", a name that is taken already") })
	}
}

// results claims what nodes make.
func (p *parser) results(nodes []node) {
	for k := range nodes {
		for _, name := range nodes[k].out {
			p.claim(name, "node", k)
		}
	}
}

func (p *parser) graph(b []byte, depth int) *graph {
	if depth > maxDepth {
		p.fail("is nested more than " + strconv.Itoa(maxDepth) + " graphs deep")
		return nil
	}
	n := p.count(b, 1, 5, 15, 11, 12, 13)
	if p.fault != nil || !p.spend(128+nodeBytes*n[0]+tensorBytes*(n[1]+n[2])+infoBytes*(n[3]+n[4]+n[5])) {
		return nil
	}
	p.m.values += n[1] + n[2] + n[3]
	g := &graph{
		nodes: make([]node, 0, n[0]), stored: make([]initializer, 0, n[1]+n[2]),
		inputs: make([]valueInfo, 0, n[3]), outputs: make([]valueInfo, 0, n[4]), declared: make(map[int32]*typeInfo, n[4]+n[5]),
	}
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			p.m.Nodes++
			p.in("node", len(g.nodes), func() { g.nodes = append(g.nodes, p.node(f.body, depth)) })
		case 5:
			var i initializer
			p.in("initializer", len(g.stored), func() { i.tensor = p.tensor(f.body, &i.name) })
			g.stored = append(g.stored, i)
		case 11:
			p.in("input", len(g.inputs), func() { g.inputs = append(g.inputs, p.info(f.body)) })
		case 12:
			p.in("output", len(g.outputs), func() {
				v := p.info(f.body)
				g.outputs = append(g.outputs, v)
				g.declared[v.name] = v.typ
			})
		case 13:
			v := p.info(f.body)
			g.declared[v.name] = v.typ
		case 15:
			var i initializer
			p.in("sparse_initializer", len(g.stored), func() { i.tensor = p.sparse(f.body, &i.name) })
			g.stored = append(g.stored, i)
		}
	})
	p.enter()
	for k := range g.stored {
		// Runtimes take the last of several.
		if name := g.stored[k].name; !p.free(name) && len(p.m.notes) < model.MaxIssues {
			p.m.notes = append(p.m.notes, "initializer "+quoted(p.m.names[name])+" is there more than once; the last one counts")
		}
	}
	p.results(g.nodes)
	p.enter() // an input may have a default of its name
	for k := range g.inputs {
		p.claim(g.inputs[k].name, "input", k)
	}
	p.results(g.nodes)
	return g
}

func (p *parser) node(b []byte, depth int) node {
	n := p.count(b, 1, 2, 5)
	var out node
	if p.fault != nil || !p.spend(4*(n[0]+n[1])+attrBytes*n[2]) {
		return out
	}
	p.m.values += n[1]
	out.in, out.out = make([]int32, 0, n[0]), make([]int32, 0, n[1])
	out.attributes = make([]attribute, 0, n[2])
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			out.in = append(out.in, p.name(f.body))
		case 2:
			out.out = append(out.out, p.name(f.body))
		case 3:
			if p.spend(len(f.body)) {
				out.name = string(f.body)
			}
		case 4:
			out.op = p.text(f.body)
		case 5:
			out.attributes = append(out.attributes, p.attribute(f.body, depth))
		case 7:
			out.domain = p.text(f.body)
		case 8:
			out.overload = p.text(f.body)
		}
	})
	return out
}

func (p *parser) attribute(b []byte, depth int) attribute {
	var a attribute
	p.each(b, func(f field) {
		message := f.kind == protowire.BytesType
		switch {
		case f.number == 1 && message:
			a.name = p.text(f.body)
		case f.number == 2 && f.kind == protowire.Fixed32Type:
			a.f, a.set = float64(math.Float32frombits(uint32(f.value))), a.set|setFloat
		case f.number == 3 && f.kind == protowire.VarintType:
			a.i, a.set = int64(f.value), a.set|setInt
		case f.number == 4 && message:
			if len(f.body) > maxShort {
				a.set |= setLong
				return
			}
			a.s, a.set = p.text(f.body), a.set|setString
		case f.number == 5 && message:
			if p.spend(tensorBytes) {
				t := p.tensor(f.body, nil)
				a.tensor = &t
			}
		case f.number == 6 && message:
			p.in("graph "+a.name, -1, func() { a.graph = p.graph(f.body, depth+1) })
		case f.number == 7:
			p.list(&a, f, func(f field) bool {
				if f.kind != protowire.Fixed32Type {
					return false
				}
				a.floats = append(a.floats, float64(math.Float32frombits(uint32(f.value))))
				return true
			}, protowire.Fixed32Type, len(a.floats))
		case f.number == 8:
			p.list(&a, f, func(f field) bool {
				if f.kind != protowire.VarintType {
					return false
				}
				a.ints = append(a.ints, int64(f.value))
				return true
			}, protowire.VarintType, len(a.ints))
		case f.number == 9 && message:
			a.strings++
		case f.number == 14 && message:
			a.typ = p.typ(f.body, 0)
		case f.number == 21 && message:
			a.reference = p.text(f.body)
		case f.number == 22 && message:
			if p.spend(tensorBytes) {
				t := p.sparse(f.body, nil)
				a.tensor = &t
			}
		}
	})
	return a
}

// list reads a repeated number of an attribute, packed or not. Where there are more
// than any shape needs, the attribute is marked so and none more is kept.
func (p *parser) list(a *attribute, f field, add func(field) bool, kind protowire.Type, have int) {
	if a.set&setLong != 0 {
		return
	}
	most := maxShort
	if a.name == "value_ints" || a.name == "value_floats" {
		most = maxList
	}
	if f.kind != protowire.BytesType {
		if have >= most {
			a.set |= setLong
		} else if p.spend(16) {
			add(f)
		}
		return
	}
	for b := f.body; len(b) > 0; have++ {
		if have >= most {
			a.set |= setLong
			return
		}
		v, n := number(b, kind)
		if n < 0 || !p.spend(16) {
			p.fail("is truncated or damaged")
			return
		}
		add(field{kind: kind, value: v})
		b = b[n:]
	}
}

// number reads one number of a packed list.
func number(b []byte, kind protowire.Type) (v uint64, n int) {
	switch kind {
	case protowire.VarintType:
		return protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		w, n := protowire.ConsumeFixed32(b)
		return uint64(w), n
	}
	return protowire.ConsumeFixed64(b)
}

// tensor reads what a tensor is, not what is in it.
func (p *parser) tensor(b []byte, name *int32) tensor {
	t := tensor{body: b}
	p.each(b, func(f field) {
		switch f.number {
		case 1:
			p.dims(&t.dims, f)
		case 2:
			t.elem = Type(int32(f.value))
		case 8:
			if name != nil {
				*name = p.name(f.body)
			}
		case 13:
			t.opaque = true
		case 14:
			t.opaque = t.opaque || f.value != 0
		}
	})
	if t.dims == nil {
		t.dims = []int64{}
	}
	return t
}

// sparse reads what a sparse tensor is. It is named by its values.
func (p *parser) sparse(b []byte, name *int32) tensor {
	t := tensor{opaque: true}
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.BytesType:
			t.elem = p.tensor(f.body, name).elem
		case f.number == 3:
			p.dims(&t.dims, f)
		}
	})
	if t.dims == nil {
		t.dims = []int64{}
	}
	return t
}

// dims adds dimensions of a tensor, packed or not.
func (p *parser) dims(to *[]int64, f field) {
	add := func(v uint64) {
		switch {
		case int64(v) < 0 || int64(v) > maxElements:
			p.fail("has a dimension of " + strconv.FormatInt(int64(v), 10))
		case len(*to) == maxRank:
			p.fail("has more than " + strconv.Itoa(maxRank) + " dimensions")
		case p.spend(8):
			*to = append(*to, int64(v))
		}
	}
	if f.kind == protowire.VarintType {
		add(f.value)
		return
	}
	for b := f.body; len(b) > 0 && p.fault == nil; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			p.fail("is truncated or damaged")
			return
		}
		add(v)
		b = b[n:]
	}
}

func (p *parser) info(b []byte) valueInfo {
	var v valueInfo
	p.each(b, func(f field) {
		switch {
		case f.kind != protowire.BytesType:
		case f.number == 1:
			v.name = p.name(f.body)
		case f.number == 2:
			v.typ = p.typ(f.body, 0)
		}
	})
	return v
}

func (p *parser) typ(b []byte, depth int) *typeInfo {
	if depth > maxTypes {
		p.fail("has a type that is nested more than " + strconv.Itoa(maxTypes) + " deep")
	}
	if !p.spend(infoBytes) {
		return nil
	}
	t := &typeInfo{}
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			t.kind = kindTensor
			p.tensorType(t, f.body)
		case 4, 9:
			t.kind = kindSequence
			if f.number == 9 {
				t.kind = kindOptional
			}
			p.each(f.body, func(f field) {
				if f.number == 1 && f.kind == protowire.BytesType {
					t.of = p.typ(f.body, depth+1)
				}
			})
		case 5, 7, 8:
			t.kind = kindOther
		}
	})
	return t
}

func (p *parser) tensorType(t *typeInfo, b []byte) {
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.VarintType:
			t.elem = Type(int32(f.value))
		case f.number == 2 && f.kind == protowire.BytesType:
			t.ranked = true
			p.each(f.body, func(f field) {
				if f.number != 1 || f.kind != protowire.BytesType {
					return
				}
				if len(t.dims) == maxRank {
					p.fail("has more than " + strconv.Itoa(maxRank) + " dimensions")
				} else if p.spend(48) {
					t.dims = append(t.dims, p.dimension(f.body))
				}
			})
		}
	})
}

func (p *parser) dimension(b []byte) dimension {
	d := dimension{value: -1}
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.VarintType:
			// Exporters write -1 and even 0 for what is open; 0 may be meant.
			if d.value = max(-1, int64(f.value)); d.value > maxElements {
				p.fail("has a dimension of " + strconv.FormatInt(d.value, 10))
			}
		case f.number == 2 && f.kind == protowire.BytesType:
			d.name = p.text(f.body)
		}
	})
	return d
}
