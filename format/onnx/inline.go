package onnx

import "strconv"

// Idea: a node that calls a function of the model is the nodes of that function, with
// the arguments bound to its inputs in a frame of names of its own. What its outputs
// stand for is then bound to the results' names, in the frame of the caller.
//
// Invariant: no name of a function is seen outside of it, and none of the caller's in it.
//
// Complexity: that of the function's nodes, for each call; calls are paid for from the
// allowance and are at most maxCalls deep.

// functionOf returns the function of the model that a node calls.
func (w *walker) functionOf(n *node) (*function, bool) {
	if len(w.m.functions) == 0 {
		return nil, false
	}
	f, ok := w.m.functions[functionKey{n.domain, n.op, n.overload}]
	return f, ok
}

// maxCalls is how deep functions may call functions.
const maxCalls = 64

// inline walks the nodes of a function in place of the node that calls it.
func (w *walker) inline(place string, at int, n *node, f *function) {
	if w.depth == maxCalls {
		w.fail(label(place, at, n), "calls functions more than "+strconv.Itoa(maxCalls)+" deep")
		return
	}
	arguments := make([]int32, len(n.in))
	for k, name := range n.in {
		v, ok := w.operand(place, at, n, name)
		if !ok {
			return
		}
		arguments[k] = v
	}
	mark, first, old := len(w.undo), len(w.values), w.frame
	w.frames++
	w.depth++
	w.frame = &frame{id: w.frames, caller: old, call: n, function: f, opsets: f.opsets}
	if !w.spend(96 + 4*len(arguments) + 12*len(f.inputs) + 4*len(f.outputs)) {
		return
	}
	for k, name := range f.inputs {
		if k < len(arguments) && arguments[k] >= 0 {
			w.bind(name, arguments[k])
		}
	}
	here := label(place, at, n)
	if !w.spend(len(here)) {
		return
	}
	w.nodes(here, f.nodes, f.declared)
	results := make([]int32, len(f.outputs))
	for k, name := range f.outputs {
		results[k] = w.lookup(name)
		if results[k] < 0 && name != 0 && w.fault == nil {
			w.fail(here, "no node of the function makes its output "+w.quote(name))
		}
	}
	w.frame = old
	w.depth--
	w.leave(mark)
	for k, name := range n.out {
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
