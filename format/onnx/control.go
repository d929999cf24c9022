package onnx

import "slices"

// Idea: an If runs one of two graphs, a Loop or a Scan runs one again and again. The
// graphs are walked where the node is, with its values in sight. Their results are
// copied into those of the node at the end of the graph, so both are live there; a
// runtime that writes them in place needs no more.
//
// The values that a loop hands from one round to the next may change their shapes.
// So the body is walked until the shapes with which it begins are those with which
// it ends: dimensions that differ become open, and at the latest when all are open
// nothing differs any more. Only the last walk counts.
//
// Invariant: a value that a loop hands on is live from the loop's beginning to its
// end. Where a round hands on what another value of the loop was at its beginning,
// as when two are exchanged, room for a copy is live at the end of the round.
//
// Source: the definitions of If, Loop and Scan in onnx 1.23.2.

// graphOf returns a graph of a node's attributes.
func (w *walker) graphOf(n *node, name string) *graph {
	if a := w.attribute(n, name); a != nil {
		return a.graph
	}
	return nil
}

// body walks a graph in its own region and returns its outputs as values.
func (w *walker) body(here string, g *graph) []int32 {
	outer := w.enter()
	w.store(g)
	w.nodes(here, g.nodes, g.declared)
	out := make([]int32, len(g.outputs))
	for k := range g.outputs {
		if out[k] = w.lookup(g.outputs[k].name); out[k] < 0 && w.fault == nil {
			w.fail(here, "no node of the graph makes its output "+w.quote(g.outputs[k].name))
		}
	}
	w.spend(4 * len(out))
	w.region = outer
	return out
}

// read marks the inputs of a node as read now.
func (w *walker) read(place string, at int, n *node) bool {
	for _, name := range n.in {
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

// branch walks an If.
func (w *walker) branch(place string, at int, n *node, declared map[int32]*typeInfo) {
	here := label(place, at, n)
	branches := [2]*graph{w.graphOf(n, "then_branch"), w.graphOf(n, "else_branch")}
	if len(n.in) != 1 || branches[0] == nil || branches[1] == nil {
		w.fail(here, "needs a condition, a then_branch and an else_branch")
		return
	}
	if !w.read(place, at, n) || !w.spend(2*len(here)+64) {
		return
	}
	taken := -1 // where the condition is known
	if v := w.lookup(n.in[0]); v >= 0 {
		if d := w.known(&w.values[v]); d != nil && len(d.ints) == 1 {
			taken = 1
			if d.ints[0] != 0 {
				taken = 0
			}
		}
	}
	w.step(at, n)
	w.push(false)
	results := make([]result, len(n.out))
	constant := make([]bool, len(n.out))
	var ends [2]int64
	ran := 0
	for k, g := range branches {
		if taken >= 0 && taken != k {
			continue
		}
		name := here + ", then_branch"
		if k == 1 {
			name = here + ", else_branch"
			if taken < 0 {
				w.open[len(w.open)-1].other = w.now
			}
		}
		mark := len(w.undo)
		out := w.body(name, g)
		if w.fault != nil {
			return
		}
		if len(out) < len(n.out) {
			w.fail(name, "has fewer outputs than the If")
			return
		}
		for i, v := range out {
			if i < len(n.out) && n.out[i] != 0 {
				w.use(v, w.now)
				w.known(&w.values[v])
				results[i] = either(results[i], w.values[v].result, ran == 0)
				constant[i] = taken >= 0 && w.values[v].constant || results[i].data != nil
			}
		}
		w.leave(mark)
		ends[ran] = w.now
		ran++
		w.tick()
	}
	w.pop()
	for i, name := range n.out {
		if name == 0 {
			continue
		}
		w.declare(&results[i], declared[name], name)
		v := w.add(name, results[i])
		if w.fault != nil {
			return
		}
		w.bind(name, v)
		if w.values[v].constant = constant[i]; constant[i] {
			continue
		}
		w.born(v, ends[0])
		if ran == 2 {
			w.values[v].last = ends[1]
			if ends[0]+1 < ends[1] {
				w.values[v].gaps = []gap{{from: ends[0] + 1, to: ends[1], own: true}}
			}
		}
		w.size(v)
		w.blame(v, place, at, n, "its branches differ, or do not say")
	}
}

// either returns what is known of a value that is one of two.
func either(a, b result, first bool) result {
	if first {
		return b
	}
	most := max(a.bytes(), b.bytes())
	if a.bytes() < 0 || b.bytes() < 0 {
		most = 0
	}
	if a.elem != b.elem || a.kind != b.kind {
		// Not a model that could run; what is known is how much room it takes.
		return result{kind: a.kind, most: most}
	}
	out := result{kind: a.kind, elem: a.elem, dims: meet(a.dims, b.dims), most: most}
	if a.data != nil && b.data != nil && slices.Equal(a.dims, b.dims) && slices.Equal(a.data.ints, b.data.ints) && slices.Equal(a.data.floats, b.data.floats) {
		out.data = a.data
	}
	return out
}

// meet returns the dimensions that two shapes have in common.
func meet(a, b []int64) []int64 {
	if a == nil || b == nil || len(a) != len(b) {
		return nil
	}
	if slices.Equal(a, b) {
		return a
	}
	out := slices.Clone(a)
	for i := range out {
		if out[i] != b[i] {
			out[i] = -1
		}
	}
	return out
}

// rounds is how often a loop's body is walked before all that differs is open.
const rounds = 4

// loop walks a Loop, or a Scan.
func (w *walker) loop(place string, at int, n *node, declared map[int32]*typeInfo, scan bool) {
	l := loop{w: w, n: n, here: label(place, at, n), scan: scan, body: w.graphOf(n, "body")}
	if l.body == nil {
		w.fail(l.here, "needs a body")
		return
	}
	if !w.read(place, at, n) || !l.shape() || !w.spend(len(l.here)+200*len(l.body.inputs)+100*len(n.out)) {
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
			r := w.values[out[l.leading+k]].result
			dims := meet(l.states[k].dims, r.dims)
			if round == rounds-2 && !slices.Equal(dims, l.states[k].dims) {
				dims = nil
			}
			if !slices.Equal(dims, l.states[k].dims) || (dims == nil) != (l.states[k].dims == nil) {
				l.states[k].dims, changed = dims, true
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
	n       *node
	here    string
	scan    bool
	body    *graph
	leading int      // outputs of the body before the states: the condition of a Loop
	inputs  []result // of the body before the states: round and condition of a Loop
	states  []result // what goes from one round to the next
	slices  []result // of a Scan: what a round gets of each scanned input
	trips   int64    // how many rounds there are at most; -1 for not known
	exact   bool     // and there are no fewer
	mark    int
	first   int32 // value of the body's first input
	start   int64
}

// shape says with what the body begins.
func (l *loop) shape() bool {
	w, n := l.w, l.n
	get := func(k int) result {
		if v := w.lookup(n.in[k]); v >= 0 {
			w.known(&w.values[v])
			return w.values[v].result
		}
		return result{}
	}
	forget := func(r result) result {
		return result{kind: r.kind, elem: r.elem, dims: r.dims} // elements differ from round to round
	}
	if !l.scan {
		l.leading, l.trips = 1, -1
		if len(n.in) < 2 || len(l.body.inputs) != len(n.in) || len(l.body.outputs) < len(n.in)-1 || len(n.out) > len(l.body.outputs)-1 {
			w.fail(l.here, "has a body that does not fit its inputs and outputs")
			return false
		}
		l.inputs = []result{{elem: typeInt64, dims: []int64{}}, {elem: typeBool, dims: []int64{}, data: &data{ints: []int64{1}}}}
		if d := get(0).data; d != nil && len(d.ints) == 1 {
			l.trips = max(0, d.ints[0])
		}
		c := get(1)
		l.exact = n.in[1] == 0 || c.data != nil && len(c.data.ints) == 1 && c.data.ints[0] != 0
		for k := 2; k < len(n.in); k++ {
			l.states = append(l.states, forget(get(k)))
		}
		return true
	}
	scanned := int(max(0, min(w.integer(n, "num_scan_inputs", 0), int64(len(n.in))+1)))
	if scanned < 1 || scanned > len(n.in) || len(l.body.inputs) != len(n.in) || len(l.body.outputs) < len(n.in)-scanned || len(n.out) > len(l.body.outputs) {
		w.fail(l.here, "has a body that does not fit its inputs and outputs")
		return false
	}
	l.trips, l.exact = -1, true
	for k := range len(n.in) - scanned {
		l.states = append(l.states, forget(get(k)))
	}
	axes := w.integers(n, "scan_input_axes")
	for k := range scanned {
		r := forget(get(len(n.in) - scanned + k))
		axis := int64(0)
		if k < len(axes) {
			axis = axes[k]
		}
		if a, ok := axisOf(axis, len(r.dims)); ok && r.dims != nil {
			if r.dims[a] >= 0 {
				l.trips = r.dims[a]
			}
			r.dims = slices.Delete(slices.Clone(r.dims), a, a+1)
		} else {
			r.dims = nil
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
		name := l.body.inputs[k].name
		w.declare(&r, l.body.inputs[k].typ, name)
		v := w.add(name, r)
		if w.fault != nil {
			return nil
		}
		w.bind(name, v)
		if r.data != nil {
			w.values[v].constant = true
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
		w.known(&w.values[v])
	}
	return out
}

// blame notes why what a round begins with has no size.
func (l *loop) blame(k int, v int32) {
	w := l.w
	if w.values[v].bytes() >= 0 || w.trial > 0 {
		return
	}
	if in := w.lookup(l.n.in[k]); in >= 0 && w.values[in].cause > 0 {
		w.values[v].cause = w.values[in].cause
		w.causes[w.values[v].cause-1].count++
		return
	}
	w.because(v, cause{place: l.here, operator: l.n.operator(), reason: "its shape " + shapeText(w.values[v].dims) + " changes from round to round"})
}

// commit walks the body for good and makes the node's results.
func (l *loop) commit(place string, at int, declared map[int32]*typeInfo) {
	w, n := l.w, l.n
	out := l.round()
	if w.fault != nil {
		return
	}
	end := w.now
	begun := len(l.inputs) + len(l.states) + len(l.slices)
	results := make([]result, len(out))
	for k, v := range out {
		results[k] = w.values[v].result
		if c := int(v - l.first); c >= 0 && c < begun && k-l.leading != c-len(l.inputs) && k < l.leading+len(l.states) && !w.values[v].constant {
			copied := w.add(w.values[v].name, results[k])
			w.born(copied, end)
			w.values[copied].cause = w.values[v].cause
		}
		w.use(v, end)
	}
	captives := w.open[len(w.open)-1].captives
	w.pop()
	w.leave(l.mark)
	for _, v := range captives {
		w.use(v, end)
	}
	w.tick()
	for k := range begun {
		if v := &w.values[int(l.first)+k]; !v.constant {
			v.last = w.now
		}
	}
	if !l.scan { // what the loop compares with
		for _, name := range n.in[:2] {
			if v := w.lookup(name); v >= 0 {
				w.use(v, w.now)
			}
		}
		if d := results[0].data; d == nil || len(d.ints) != 1 || d.ints[0] == 0 {
			l.exact = false
		}
	}
	axes := w.integers(n, "scan_output_axes")
	for k, name := range n.out {
		if name == 0 {
			continue
		}
		var r result
		born := w.now
		if k < len(l.states) {
			r = either(l.states[k], results[l.leading+k], false)
			r.data = nil
		} else {
			axis := int64(0)
			if i := k - len(l.states); l.scan && i < len(axes) {
				axis = axes[i]
			}
			r, born = l.stacked(results[l.leading+k], axis), l.start
		}
		w.declare(&r, declared[name], name)
		v := w.add(name, r)
		if w.fault != nil {
			return
		}
		w.bind(name, v)
		w.born(v, born)
		w.values[v].last = w.now
		w.size(v)
		w.blame(v, place, at, n, "how many rounds there are is not known, or what they make")
	}
	w.tick()
}

// stacked returns what the rounds' results make, one after the other along an axis.
func (l *loop) stacked(r result, axis int64) result {
	out := result{elem: r.elem}
	if n := r.bytes(); l.trips >= 0 && n >= 0 && (n == 0 || l.trips <= maxElements/n) {
		// Elements of fewer than eight bits are packed across rounds.
		out.most = n * l.trips
	}
	a, ok := axisOf(axis, len(r.dims)+1)
	if r.dims == nil || !ok || len(r.dims) == maxRank {
		return out
	}
	trips := int64(-1)
	if l.exact {
		trips = l.trips
	}
	out.dims = slices.Insert(slices.Clone(r.dims), a, trips)
	return out
}
