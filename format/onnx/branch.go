package onnx

import (
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: an If runs one of two graphs. If the condition is known, that graph is walked in the place of the node.
// Otherwise both are walked, one after the other. The shape of a result is what the two graphs agree on. A result is
// written at the end of each graph, and has a gap between the two ends.
//
// Source: the definition of If in onnx 1.23.2.

// branches are the names of the two, by number.
var branches = [2]string{"then_branch", "else_branch"}

// A fork is an If that is walked.
type fork struct {
	w        *walker
	n        *graph.Node
	results  []shape.Result // of the node, as far as branches have been walked
	constant []bool         // which of them are
	ends     [2]int64       // of those that were walked
	ran      int            // how many that is
}

// branch walks an If.
func (w *walker) branch(place string, at int, n *graph.Node, declared map[int32]*graph.TypeInfo) {
	here := label(place, at, n)
	graphs := [2]*graph.Graph{w.graphOf(n, branches[0]), w.graphOf(n, branches[1])}
	if len(n.In) != 1 || graphs[0] == nil || graphs[1] == nil {
		w.fail(here, "must have a condition, a then_branch and an else_branch")
		return
	}
	if !w.read(place, at, n) || !w.Spend(2*len(here)+64) {
		return
	}
	taken := w.taken(n)
	w.step(at, n)
	w.push(false)
	f := fork{w: w, n: n, results: make([]shape.Result, len(n.Out)), constant: make([]bool, len(n.Out))}
	for k, g := range graphs {
		if taken >= 0 && taken != k {
			continue
		}
		if f.ran == 1 {
			w.open[len(w.open)-1].other = w.now
		}
		if !f.walk(here+", "+branches[k], g, taken >= 0) {
			return
		}
	}
	w.pop()
	f.join(place, at, declared)
}

// taken returns which branch runs, or -1 if the condition is not known.
func (w *walker) taken(n *graph.Node) int {
	v := w.lookup(n.In[0])
	if v < 0 {
		return -1
	}
	d := w.values[v].Operand.Known(&w.budget)
	switch {
	case d == nil || len(d.Ints) != 1:
		return -1
	case d.Ints[0] != 0:
		return 0
	default:
		return 1
	}
}

// walk walks a branch, which may be the only one, and adds what it says of the results. It returns false if the model
// is at fault.
func (f *fork) walk(name string, g *graph.Graph, only bool) bool {
	w, n := f.w, f.n
	mark := len(w.undo)
	out := w.body(name, g)
	if w.fault != nil {
		return false
	}
	if len(out) < len(n.Out) {
		w.fail(name, "has fewer outputs than the If")
		return false
	}
	for i, v := range out {
		if i < len(n.Out) && n.Out[i] != 0 {
			w.use(v, w.now)
			w.values[v].Operand.Known(&w.budget)
			f.results[i] = shape.Either(f.results[i], w.values[v].Result, f.ran == 0)
			f.constant[i] = only && w.values[v].Constant || f.results[i].Data != nil
		}
	}
	w.leave(mark)
	f.ends[f.ran] = w.now
	f.ran++
	w.tick()
	return true
}

// join makes the results of the node.
func (f *fork) join(place string, at int, declared map[int32]*graph.TypeInfo) {
	w, n, ends := f.w, f.n, f.ends
	for i, name := range n.Out {
		if name == 0 {
			continue
		}
		w.declare(&f.results[i], declared[name], name)
		v := w.add(name, f.results[i])
		if w.fault != nil {
			return
		}
		w.bind(name, v)
		if w.values[v].Constant = f.constant[i]; f.constant[i] {
			continue
		}
		w.born(v, ends[0])
		if f.ran == 2 {
			w.values[v].last = ends[1]
			if ends[0]+1 < ends[1] {
				w.values[v].gaps = []gap{{from: ends[0] + 1, to: ends[1], own: true}}
			}
		}
		w.size(v)
		w.blame(v, place, at, n, "its branches have different shapes, or unknown ones")
	}
}

// rounds is how often a loop's body is walked before all that differs is open.
const rounds = 4
