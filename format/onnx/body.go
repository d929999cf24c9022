package onnx

import (
	"strconv"

	"github.com/stowage-go/stowage/format/internal/protowire"
	"github.com/stowage-go/stowage/model"
)

// Idea: a graph and a function are bodies of nodes. Their parts are counted before any is
// kept, so that each list is made once and paid for at once. In a body a name is given
// once; taken has, for each name, the body that gave it last, so that a new body begins
// without anything being cleared.
//
// Complexity: O(bytes): a message is gone through twice at most.

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
		p.fail("has the same name as another: " + strconv.Quote(key.name))
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
		p.in(what, at, func() { p.fail("makes " + quoted(p.m.names[name]) + ", a name that is already taken") })
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
			p.m.notes = append(p.m.notes, "initializer "+quoted(p.m.names[name])+" appears more than once; the last one counts")
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
