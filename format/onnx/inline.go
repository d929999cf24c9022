package onnx

import (
	"strconv"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
)

// Idea: a node that calls a function of the model is replaced by the nodes of that function. The arguments are bound
// to its inputs in a new frame of names. Its outputs are then bound to the results' names in the frame of the caller.
//
// Invariant: no name of a function is seen outside of it, and no name of the caller inside.
//
// Complexity: that of the function's nodes, for each call. Calls are paid for from the budget and are at most
// maxCalls deep.

// functionOf returns the function of the model that a node calls.
func (w *walker) functionOf(n *graph.Node) (*graph.Function, bool) {
	if len(w.m.Functions) == 0 {
		return nil, false
	}
	f, ok := w.m.Functions[graph.FunctionKey{Domain: n.Domain, Name: n.Op, Overload: n.Overload}]
	return f, ok
}

// maxCalls is how deep functions may call functions.
const maxCalls = 64

// Attribute returns an attribute of a node, nil for none. In a function it may refer to an attribute of the calling
// node.
func (w *walker) Attribute(n *graph.Node, name string) *graph.Attribute {
	f := w.frame
	for depth := 0; depth <= maxCalls; depth++ {
		a := find(n.Attributes, name)
		if a == nil || a.Reference == "" {
			return a
		}
		if f == nil || f.call == nil {
			return nil
		}
		name = a.Reference
		if b := find(f.call.Attributes, name); b == nil {
			return find(f.function.Defaults, name)
		}
		n, f = f.call, f.caller
	}
	return nil
}

func find(list []graph.Attribute, name string) *graph.Attribute {
	for k := range list {
		if list[k].Name == name {
			return &list[k]
		}
	}
	return nil
}

// inline walks the nodes of a function in place of the node that calls it.
func (w *walker) inline(place string, at int, n *graph.Node, f *graph.Function) {
	if w.depth == maxCalls {
		w.fail(label(place, at, n), "calls functions more than "+strconv.Itoa(maxCalls)+" deep")
		return
	}
	arguments := make([]int32, len(n.In))
	for k, name := range n.In {
		v, ok := w.operand(place, at, n, name)
		if !ok {
			return
		}
		arguments[k] = v
	}
	mark, first, old := len(w.undo), len(w.values), w.frame
	w.frames++
	w.depth++
	w.frame = &frame{id: w.frames, caller: old, call: n, function: f, opsets: f.Opsets}
	if !w.Spend(96 + 4*len(arguments) + 12*len(f.Inputs) + 4*len(f.Outputs)) {
		return
	}
	for k, name := range f.Inputs {
		if k < len(arguments) && arguments[k] >= 0 {
			w.bind(name, arguments[k])
		}
	}
	here := label(place, at, n)
	if !w.Spend(len(here)) {
		return
	}
	w.nodes(here, f.Nodes, f.Declared)
	results := make([]int32, len(f.Outputs))
	for k, name := range f.Outputs {
		results[k] = w.lookup(name)
		if results[k] < 0 && name != 0 && w.fault == nil {
			w.fail(here, "no node of the function makes its output "+w.Quote(name))
		}
	}
	w.frame = old
	w.depth--
	w.leave(mark)
	for k, name := range n.Out {
		if k >= len(results) || results[k] < 0 || w.fault != nil {
			continue
		}
		if int(results[k]) >= first {
			w.values[results[k]].name = name
			w.size(results[k])
		}
		w.bind(name, results[k])
	}
}
