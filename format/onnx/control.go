package onnx

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: an If runs one of two graphs (branch.go). A Loop or a Scan runs one graph again and again. The walk enters
// these graphs at the node, with the values of the node in scope. At the end of a graph its results are copied into the
// results of the node, so both are live there. A runtime that writes them in place needs no more.
//
// The values that a loop hands from one round to the next may change their shapes. So the body is walked until its
// shapes at the begin equal those at the end. Dimensions that differ become open, so this ends at the latest if all are
// open. Only the last walk counts.
//
// Invariant: a value that a loop hands on is live from the loop's beginning to its end. If a round hands on another
// value of the loop as it was at the beginning of the round, for example to exchange two values, room for a copy is
// live at the end of the round.
//
// Source: the definitions of Loop and Scan in onnx 1.23.2.

// graphOf returns a graph of a node's attributes.
func (w *walker) graphOf(n *graph.Node, name string) *graph.Graph {
	if a := w.Attribute(n, name); a != nil {
		return a.Graph
	}
	return nil
}

// body walks a graph in its own region and returns its outputs as values.
func (w *walker) body(here string, g *graph.Graph) []int32 {
	outer := w.enter()
	w.store(g)
	w.nodes(here, g.Nodes, g.Declared)
	out := make([]int32, len(g.Outputs))
	for k := range g.Outputs {
		if out[k] = w.lookup(g.Outputs[k].Name); out[k] < 0 && w.fault == nil {
			w.fail(here, "no node of the graph makes its output "+w.Quote(g.Outputs[k].Name))
		}
	}
	w.Spend(4 * len(out))
	w.region = outer
	return out
}

// read marks the inputs of a node as read now.
func (w *walker) read(place string, at int, n *graph.Node) bool {
	for _, name := range n.In {
		v, ok := w.operand(place, at, n, name)
		if !ok {
			return false
		}
		if v >= 0 {
			w.use(v, w.now)
		}
	}
	return true
}

// loop walks a Loop, or a Scan.
func (w *walker) loop(place string, at int, n *graph.Node, declared map[int32]*graph.TypeInfo, scan bool) {
	l := loop{w: w, n: n, here: label(place, at, n), scan: scan, body: w.graphOf(n, "body")}
	if l.body == nil {
		w.fail(l.here, "needs a body")
		return
	}
	if !w.read(place, at, n) || !l.shape() || !w.Spend(len(l.here)+200*len(l.body.Inputs)+100*len(n.Out)) {
		return
	}
	w.trial++
	for round := range rounds {
		values, now, regions, views := len(w.values), w.now, w.regions, len(w.views)
		out := l.round()
		if w.fault != nil {
			return
		}
		changed := false
		for k := range l.states {
			r := w.values[out[l.leading+k]].Result
			dims := shape.Meet(l.states[k].Dims, r.Dims)
			if round == rounds-2 && !slices.Equal(dims, l.states[k].Dims) {
				dims = nil
			}
			if !slices.Equal(dims, l.states[k].Dims) || (dims == nil) != (l.states[k].Dims == nil) {
				l.states[k].Dims, changed = dims, true
			}
		}
		w.pop()
		w.leave(l.mark)
		w.values, w.now, w.regions, w.views = w.values[:values], now, regions, w.views[:views]
		if !changed {
			break
		}
	}
	w.trial--
	w.step(at, n)
	l.commit(place, at, declared)
}

// A loop is a Loop or a Scan that is being walked.
type loop struct {
	w       *walker
	n       *graph.Node
	here    string
	scan    bool
	body    *graph.Graph
	leading int            // outputs of the body before the states: the condition of a Loop
	inputs  []shape.Result // of the body before the states: round and condition of a Loop
	states  []shape.Result // what goes from one round to the next
	slices  []shape.Result // of a Scan: the slice of each scanned input that a round gets
	trips   int64          // the most rounds; -1 if that is not known
	exact   bool           // there are exactly that many rounds
	mark    int
	first   int32 // value of the body's first input
	start   int64
}

// shape sets the shapes with which the body begins.
func (l *loop) shape() bool {
	w, n := l.w, l.n
	get := func(k int) shape.Result {
		if v := w.lookup(n.In[k]); v >= 0 {
			w.values[v].Operand.Known(&w.budget)
			return w.values[v].Result
		}
		return shape.Result{}
	}
	forget := func(r shape.Result) shape.Result {
		return shape.Result{Kind: r.Kind, Elem: r.Elem, Dims: r.Dims} // elements differ from round to round
	}
	if !l.scan {
		l.leading, l.trips = 1, -1
		if len(n.In) < 2 || len(l.body.Inputs) != len(n.In) || len(l.body.Outputs) < len(n.In)-1 ||
			len(n.Out) > len(l.body.Outputs)-1 {
			w.fail(l.here, "has a body whose inputs and outputs do not match its own")
			return false
		}
		l.inputs = []shape.Result{
			{Elem: shape.TypeInt64, Dims: []int64{}},
			{Elem: shape.TypeBool, Dims: []int64{}, Data: &shape.Data{Ints: []int64{1}}},
		}
		if d := get(0).Data; d != nil && len(d.Ints) == 1 {
			l.trips = max(0, d.Ints[0])
		}
		c := get(1)
		l.exact = n.In[1] == 0 || c.Data != nil && len(c.Data.Ints) == 1 && c.Data.Ints[0] != 0
		for k := 2; k < len(n.In); k++ {
			l.states = append(l.states, forget(get(k)))
		}
		return true
	}
	scanned := int(max(0, min(w.Attribute(n, "num_scan_inputs").Integer(0), int64(len(n.In))+1)))
	if scanned < 1 || scanned > len(n.In) || len(l.body.Inputs) != len(n.In) ||
		len(l.body.Outputs) < len(n.In)-scanned || len(n.Out) > len(l.body.Outputs) {
		w.fail(l.here, "has a body whose inputs and outputs do not match its own")
		return false
	}
	l.trips, l.exact = -1, true
	for k := range len(n.In) - scanned {
		l.states = append(l.states, forget(get(k)))
	}
	axes := w.Attribute(n, "scan_input_axes").Integers()
	for k := range scanned {
		r := forget(get(len(n.In) - scanned + k))
		axis := int64(0)
		if k < len(axes) {
			axis = axes[k]
		}
		if a, ok := shape.Axis(axis, len(r.Dims)); ok && r.Dims != nil {
			if r.Dims[a] >= 0 {
				l.trips = r.Dims[a]
			}
			r.Dims = slices.Delete(slices.Clone(r.Dims), a, a+1)
		} else {
			r.Dims = nil
		}
		l.slices = append(l.slices, r)
	}
	return true
}

// round walks the body once, with the loop open, and returns its outputs.
func (l *loop) round() []int32 {
	w := l.w
	l.mark, l.start = len(w.undo), w.now
	w.push(true)
	outer := w.region
	w.enter()
	l.first = int32(len(w.values))
	begin := slices.Concat(l.inputs, l.states, l.slices)
	for k, r := range begin {
		name := l.body.Inputs[k].Name
		w.declare(&r, l.body.Inputs[k].Type, name)
		v := w.add(name, r)
		if w.fault != nil {
			return nil
		}
		w.bind(name, v)
		if r.Data != nil {
			w.values[v].Constant = true
			continue
		}
		w.born(v, l.start)
		w.values[v].state = true
		w.size(v)
		l.blame(k, v)
	}
	w.region = outer
	out := w.body(l.here+", body", l.body)
	if w.fault != nil {
		return nil
	}
	for _, v := range out {
		w.values[v].Operand.Known(&w.budget)
	}
	return out
}

// blame notes why a value at the beginning of a round has no size.
func (l *loop) blame(k int, v int32) {
	w := l.w
	if w.values[v].Bytes() >= 0 || w.trial > 0 {
		return
	}
	if in := w.lookup(l.n.In[k]); in >= 0 && w.values[in].cause > 0 {
		w.values[v].cause = w.values[in].cause
		w.causes[w.values[v].cause-1].count++
		return
	}
	w.because(v, cause{
		place: l.here, operator: l.n.Operator(),
		reason: "its shape " + shape.Text(w.values[v].Dims) + " changes from iteration to iteration",
	})
}

// commit makes the last walk of the body, and the node's results.
func (l *loop) commit(place string, at int, declared map[int32]*graph.TypeInfo) {
	w, n := l.w, l.n
	out := l.round()
	if w.fault != nil {
		return
	}
	end := w.now
	results := l.handed(out)
	captives := w.open[len(w.open)-1].captives
	w.pop()
	w.leave(l.mark)
	for _, v := range captives {
		w.use(v, end)
	}
	w.tick()
	for k := range l.begun() {
		if v := &w.values[int(l.first)+k]; !v.Constant {
			v.last = w.now
		}
	}
	if !l.scan { // what the loop compares with
		for _, name := range n.In[:2] {
			if v := w.lookup(name); v >= 0 {
				w.use(v, w.now)
			}
		}
		if d := results[0].Data; d == nil || len(d.Ints) != 1 || d.Ints[0] == 0 {
			l.exact = false
		}
	}
	axes := w.Attribute(n, "scan_output_axes").Integers()
	for k, name := range n.Out {
		if name == 0 {
			continue
		}
		r, born := l.result(k, results, axes)
		w.declare(&r, declared[name], name)
		v := w.add(name, r)
		if w.fault != nil {
			return
		}
		w.bind(name, v)
		w.born(v, born)
		w.values[v].last = w.now
		w.size(v)
		w.blame(v, place, at, n, "the number of iterations, or the shape of their results, is not known")
	}
	w.tick()
}

// begun is the number of values of the loop that exist when a round begins.
func (l *loop) begun() int { return len(l.inputs) + len(l.states) + len(l.slices) }

// handed returns the known facts about the outputs of the last round, which are live at its end. An output that is
// handed on to another value of the loop is live twice.
func (l *loop) handed(out []int32) []shape.Result {
	w, end := l.w, l.w.now
	results := make([]shape.Result, len(out))
	for k, v := range out {
		results[k] = w.values[v].Result
		if c := int(v - l.first); c >= 0 && c < l.begun() && k-l.leading != c-len(l.inputs) &&
			k < l.leading+len(l.states) && !w.values[v].Constant {
			copied := w.add(w.values[v].name, results[k])
			w.born(copied, end)
			w.values[copied].cause = w.values[v].cause
		}
		w.use(v, end)
	}
	return results
}

// result returns output k of the node, from the results of a round, and the tick from which on it is live. A state is
// written at the end. An output that the rounds fill one after the other is live from the start.
func (l *loop) result(k int, results []shape.Result, axes []int64) (r shape.Result, born int64) {
	if k < len(l.states) {
		r = shape.Either(l.states[k], results[l.leading+k], false)
		r.Data = nil
		return r, l.w.now
	}
	axis := int64(0)
	if i := k - len(l.states); l.scan && i < len(axes) {
		axis = axes[i]
	}
	return l.stacked(results[l.leading+k], axis), l.start
}

// stacked returns the results of all rounds, one after the other along an axis.
func (l *loop) stacked(r shape.Result, axis int64) shape.Result {
	out := shape.Result{Elem: r.Elem}
	if n := r.Bytes(); l.trips >= 0 && n >= 0 && (n == 0 || l.trips <= shape.MaxElements/n) {
		// Elements of fewer than eight bits are packed across rounds.
		out.Most = n * l.trips
	}
	a, ok := shape.Axis(axis, len(r.Dims)+1)
	if r.Dims == nil || !ok || len(r.Dims) == shape.MaxRank {
		return out
	}
	trips := int64(-1)
	if l.exact {
		trips = l.trips
	}
	out.Dims = slices.Insert(slices.Clone(r.Dims), a, trips)
	return out
}
