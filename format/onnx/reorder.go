package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/order"
)

// Idea: ONNX asks of a file only that each node stands behind those whose results it reads. So the nodes can stand in
// any such order. In protobuf they are repeated fields of one number. Each node keeps its bytes, and the k-th place
// gets the node that runs k-th. The lengths of the messages around them, and the size of the file, stay the same.
//
// Package order finds the order with the lowest load. A node is an operator, a tensor of the arena is a value, and a
// view (inplace.go) lies in the bytes of its operand.
//
// Nodes that may have state keep their order among themselves: nodes that draw random numbers, run graphs or functions,
// or are unknown to the rules. A model with control flow or functions keeps its order, since the bytes that such a node
// needs inside are not known here.
//
// Invariant: the result parses to the same model, with its nodes in the other order.
//
// Complexity: O(size of the file), and that of order.Best.

// ErrOrder means that the nodes cannot run in an order. An error that says why wraps it.
var ErrOrder = errors.New("the nodes cannot run in this order")

// prior returns, for each node of the graph, the nodes that must run before it.
func (m *Model) prior() [][]int32 {
	nodes := m.file.Graph.Nodes
	maker := slices.Repeat([]int32{-1}, len(m.file.Names)) // by name
	prior := make([][]int32, len(nodes))
	state := int32(-1) // the last node that may have state
	for k := range nodes {
		n := &nodes[k]
		reads(n, func(name int32) {
			if b := maker[name]; name != 0 && b >= 0 && !slices.Contains(prior[k], b) {
				prior[k] = append(prior[k], b)
			}
		})
		if !ops.Deterministic(n) || m.nested(n) {
			if state >= 0 && !slices.Contains(prior[k], state) {
				prior[k] = append(prior[k], state)
			}
			state = int32(k)
		}
		for _, name := range n.Out {
			maker[name] = int32(k)
		}
	}
	return prior
}

// reads calls f with each name that a node reads, and that the graphs in it do.
func reads(n *graph.Node, f func(name int32)) {
	for _, name := range n.In {
		f(name)
	}
	for k := range n.Attributes {
		if g := n.Attributes[k].Graph; g != nil {
			for i := range g.Nodes {
				reads(&g.Nodes[i], f)
			}
			for i := range g.Outputs {
				f(g.Outputs[i].Name)
			}
		}
	}
}

// nested reports whether a node runs graphs or a function of the model.
func (m *Model) nested(n *graph.Node) bool {
	_, function := m.file.Functions[graph.FunctionKey{Domain: n.Domain, Name: n.Op, Overload: n.Overload}]
	return function || slices.ContainsFunc(n.Attributes, func(a graph.Attribute) bool { return a.Graph != nil })
}

// An Ordering is what Order finds.
type Ordering struct {
	// Nodes has the numbers of the graph's nodes, the first to run first.
	Nodes []int
	// Given and Peak are the most bytes that are live at once in the order of the file and in that of
	// Nodes, with sizes rounded up to the alignment.
	Given, Peak int64
	// Bound: no order has a peak below it, in bytes. It is Peak if that is proven.
	Bound int64
}

// Order looks for the order of the nodes in which the fewest bytes are live at once, with results
// over operands if the options say so. It is nil if the model has control flow or functions, whose
// order is kept. If the context ends, it is the best order so far. The error is that of Arena.
func (m *Model) Order(ctx context.Context, o Options) (*Ordering, error) {
	nodes := m.file.Graph.Nodes
	if slices.ContainsFunc(nodes, func(n graph.Node) bool { return m.nested(&n) }) {
		return nil, nil
	}
	if o.Alignment == 0 {
		o.Alignment = Alignment
	}
	w, err := walk(m.file, o)
	if err != nil {
		return nil, err
	}
	p := w.program(m.prior())
	best, err := order.Best(ctx, p, order.Options{States: o.States})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	out := &Ordering{Given: best.Given, Peak: best.Peak, Bound: best.Bound}
	for _, k := range best.Order {
		out.Nodes = append(out.Nodes, int(k))
	}
	return out, nil
}

// program returns the nodes of a model without control flow for package order.
func (w *walker) program(prior [][]int32) *order.Program {
	g := w.m.Graph
	p := &order.Program{Sizes: make([]int64, len(w.values)), Alias: slices.Repeat([]int32{-1}, len(w.values))}
	of := slices.Repeat([]int32{-1}, len(w.m.Names)) // the value of a name
	for i := range w.values {
		v := &w.values[i]
		if of[v.name] = int32(i); v.buffer() {
			p.Sizes[i] = bound.Up(v.Bytes(), w.o.Alignment)
		}
	}
	live := func(names []int32) (out []int32) {
		for _, name := range names {
			if name != 0 && of[name] >= 0 && p.Sizes[of[name]] > 0 {
				out = append(out, of[name])
			}
		}
		return out
	}
	names := func(list []graph.ValueInfo) (out []int32) {
		for k := range list {
			out = append(out, list[k].Name)
		}
		return out
	}
	p.Inputs, p.Outputs = live(names(g.Inputs)), live(names(g.Outputs))
	over := map[int32][]view{} // by result
	for _, x := range w.views {
		a, b := &w.values[x.operand], &w.values[x.result]
		switch {
		case p.Sizes[x.operand] == 0 || p.Sizes[x.result] == 0 || a.Bytes() != b.Bytes():
		case x.same:
			p.Alias[x.result] = x.operand
		case a.Elem.Bits() == b.Elem.Bits() && slices.Equal(a.Dims, b.Dims):
			over[x.result] = append(over[x.result], x)
		}
	}
	for k := range g.Nodes {
		n := &g.Nodes[k]
		o := order.Operator{Results: live(n.Out), After: prior[k]}
		if len(o.Results) > 0 || len(n.Out) == 0 { // constants keep nothing alive
			o.Operands = live(n.In)
		}
		for _, y := range o.Results {
			for _, x := range over[y] {
				o.Permits = append(o.Permits, order.Permit{Result: y, Operand: x.operand, Exactly: true})
			}
		}
		p.Operators = append(p.Operators, o)
	}
	return p
}

// Reordered returns the model as a file with the nodes of its graph in another order: order has their numbers, the
// first to run first. All else stays byte for byte, and the file has the same size. The error wraps ErrOrder if a node
// would run before one that it needs, or if order does not have each node once.
func (m *Model) Reordered(order []int) ([]byte, error) {
	nodes := m.file.Graph.Nodes
	label := func(k int) string { return nodes[k].Label(k) }
	if err := source.CheckOrder(order, m.prior(), ErrOrder, "node", "the graph", label); err != nil {
		return nil, err
	}
	const graphField, nodeField = 7, 1
	graphs, ok := fields(m.data, 0, len(m.data), graphField)
	if !ok || len(graphs) != 1 {
		return nil, errDamaged(m.File)
	}
	own, ok := fields(m.data, graphs[0].body, graphs[0].end, nodeField)
	if !ok || len(own) != len(nodes) {
		return nil, errDamaged(m.File)
	}
	out := make([]byte, 0, len(m.data))
	at := 0
	for to, k := range order {
		out = append(out, m.data[at:own[to].start]...)
		out = append(out, m.data[own[k].start:own[k].end]...)
		at = own[to].end
	}
	return append(out, m.data[at:]...), nil
}

// Bytes returns the content of the model as a file. The caller must not change it.
func (m *Model) Bytes() []byte { return m.data }

func errDamaged(file string) error {
	return errors.New(file + ": is damaged in a part that planning does not read, so it is not rewritten")
}

// A stretch is a field of a message: where its tag, its body and what follows begin.
type stretch struct{ start, body, end int }

// fields returns the fields of a number with a body among those of a message in [from, to).
func fields(data []byte, from, to int, number protowire.Number) (out []stretch, ok bool) {
	for at := from; at < to; {
		num, kind, tag := protowire.ConsumeTag(data[at:to])
		if tag < 0 {
			return nil, false
		}
		size := protowire.ConsumeFieldValue(num, kind, data[at+tag:to])
		if size < 0 {
			return nil, false
		}
		if num == number && kind == protowire.BytesType {
			_, length := protowire.ConsumeVarint(data[at+tag : to])
			out = append(out, stretch{at, at + tag + length, at + tag + size})
		}
		at += tag + size
	}
	return out, true
}
