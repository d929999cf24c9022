package graph

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/model"
)

// Idea: a graph and a function are bodies of nodes. Their parts are counted before any is kept, so each list is made
// and paid for once. A body must give each name only once. taken has, for each name, the last body that gave it, so a
// new body needs no clearing.
//
// Complexity: O(bytes): a message is gone through twice at most.

func (p *parser) model(data []byte) {
	var functions [][]byte
	p.each(data, func(f field) {
		switch f.number {
		case 1:
			p.m.Version = int64(f.value)
		case 2:
			p.m.Producer = p.text(f.body)
		case 7:
			if f.kind != protowire.BytesType {
				return
			}
			if p.m.Graph != nil {
				p.fail("is damaged: it has several graphs")
				return
			}
			p.in("graph", -1, func() { p.m.Graph = p.graph(f.body, 0) })
		case 8:
			p.opset(p.m.Opsets, f.body)
		case 25:
			if p.spend(64) { // the list grows
				functions = append(functions, f.body)
			}
		}
	})
	for k, body := range functions {
		p.in("function", k, func() { p.function(body) })
	}
}

// opset adds a version; the first of a domain counts.
func (p *parser) opset(to Opsets, b []byte) {
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
	if Standard(domain) {
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
	fn := &Function{
		Nodes: make([]Node, 0, n[2]), Inputs: make([]int32, 0, n[0]), Outputs: make([]int32, 0, n[1]),
		Opsets: Opsets{}, Defaults: make([]Attribute, 0, n[3]), Declared: make(map[int32]*TypeInfo, n[4]),
	}
	var key FunctionKey
	p.each(b, func(f field) {
		switch f.number {
		case 1:
			key.Name = p.text(f.body)
		case 4:
			fn.Inputs = append(fn.Inputs, p.name(f.body))
		case 5:
			fn.Outputs = append(fn.Outputs, p.name(f.body))
		case 7:
			p.m.Count++
			p.in("node", len(fn.Nodes), func() { fn.Nodes = append(fn.Nodes, p.node(f.body, 0)) })
		case 9:
			p.opset(fn.Opsets, f.body)
		case 10:
			key.Domain = p.text(f.body)
		case 11:
			fn.Defaults = append(fn.Defaults, p.attribute(f.body, 0))
		case 12:
			v := p.info(f.body)
			fn.Declared[v.Name] = v.Type
		case 13:
			key.Overload = p.text(f.body)
		}
	})
	if _, ok := p.m.Functions[key]; ok {
		p.fail("has the same name as another: " + strconv.Quote(key.Name))
	}
	p.m.Functions[key] = fn
	p.enter()
	for _, name := range fn.Inputs {
		p.claim(name, "input", -1)
	}
	p.results(fn.Nodes)
}

// enter begins a body, a graph or a function, in which names are given once. Bodies in it have ended.
func (p *parser) enter() {
	p.body++
	if n := len(p.m.Names); len(p.taken) < n {
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
		p.in(what, at, func() { p.fail("makes " + Quoted(p.m.Names[name]) + ", a name that is already taken") })
	}
}

// results claims what nodes make.
func (p *parser) results(nodes []Node) {
	for k := range nodes {
		for _, name := range nodes[k].Out {
			p.claim(name, "node", k)
		}
	}
}

func (p *parser) graph(b []byte, depth int) *Graph {
	if depth > MaxDepth {
		p.fail("is nested more than " + strconv.Itoa(MaxDepth) + " graphs deep")
		return nil
	}
	n := p.count(b, 1, 5, 15, 11, 12, 13)
	if p.fault != nil || !p.spend(128+nodeBytes*n[0]+tensorBytes*(n[1]+n[2])+infoBytes*(n[3]+n[4]+n[5])) {
		return nil
	}
	p.m.Values += n[1] + n[2] + n[3]
	g := &Graph{
		Nodes: make([]Node, 0, n[0]), Stored: make([]Initializer, 0, n[1]+n[2]),
		Inputs: make([]ValueInfo, 0, n[3]), Outputs: make([]ValueInfo, 0, n[4]),
		Declared: make(map[int32]*TypeInfo, n[4]+n[5]),
	}
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			p.m.Count++
			p.in("node", len(g.Nodes), func() { g.Nodes = append(g.Nodes, p.node(f.body, depth)) })
		case 5:
			var i Initializer
			p.in("initializer", len(g.Stored), func() { i.Tensor = p.tensor(f.body, &i.Name) })
			g.Stored = append(g.Stored, i)
		case 11:
			p.in("input", len(g.Inputs), func() { g.Inputs = append(g.Inputs, p.info(f.body)) })
		case 12:
			p.in("output", len(g.Outputs), func() {
				v := p.info(f.body)
				g.Outputs = append(g.Outputs, v)
				g.Declared[v.Name] = v.Type
			})
		case 13:
			v := p.info(f.body)
			g.Declared[v.Name] = v.Type
		case 15:
			var i Initializer
			p.in("sparse_initializer", len(g.Stored), func() { i.Tensor = p.sparse(f.body, &i.Name) })
			g.Stored = append(g.Stored, i)
		}
	})
	p.enter()
	for k := range g.Stored {
		// Runtimes take the last of several.
		if name := g.Stored[k].Name; !p.free(name) && len(p.m.Notes) < model.MaxIssues {
			p.m.Notes = append(p.m.Notes, "initializer "+Quoted(p.m.Names[name])+
				" appears more than once; the last one counts")
		}
	}
	p.results(g.Nodes)
	p.enter() // an input may have a default of its name
	for k := range g.Inputs {
		p.claim(g.Inputs[k].Name, "input", k)
	}
	p.results(g.Nodes)
	return g
}

func (p *parser) node(b []byte, depth int) Node {
	n := p.count(b, 1, 2, 5)
	var out Node
	if p.fault != nil || !p.spend(operandBytes*n[0]+resultBytes*n[1]+attrBytes*n[2]) {
		return out
	}
	p.m.Values += n[1]
	out.In, out.Out = make([]int32, 0, n[0]), make([]int32, 0, n[1])
	out.Attributes = make([]Attribute, 0, n[2])
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			out.In = append(out.In, p.name(f.body))
		case 2:
			out.Out = append(out.Out, p.name(f.body))
		case 3:
			if p.spend(len(f.body)) {
				out.Name = string(f.body)
			}
		case 4:
			out.Op = p.text(f.body)
		case 5:
			out.Attributes = append(out.Attributes, p.attribute(f.body, depth))
		case 7:
			out.Domain = p.text(f.body)
		case 8:
			out.Overload = p.text(f.body)
		}
	})
	return out
}
