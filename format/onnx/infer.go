package onnx

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: one walk over the nodes, in the order of the file, with everything that is
// known of a value beside its name: type, shape, elements where they are few and
// known. A rule for each operator says what follows for the results. What a rule
// cannot tell is taken from what the file says of the value, and what is open then
// is a fault with a cause: the node at which knowledge ended. Values that depend on
// it add to the cause's count rather than to the faults.
//
// The walk follows control flow (branch.go, control.go) and functions into their nodes, so the
// same node may be met several times, each time with values of its own.
//
// Invariant: a dimension that is not -1 is right wherever the model can be run, and
// so are elements that are known.
//
// Complexity: O(nodes met × their inputs and outputs). Functions and loops can nest
// so that nodes are met exponentially often, and values can be far larger than
// their names, so both come out of an allowance in proportion to the file.
//
// Source: the definitions of the operators in onnx 1.23.2.

// Options give values that a model leaves open. The zero value gives none.
type Options struct {
	// Dims has the sizes of dimensions that inputs leave open. The key is the
	// dimension's name in the model, or INPUT:AXIS if it has none.
	Dims map[string]int64
	// Values has the values of inputs that are one whole number or truth value, and
	// the same in each run: for example the condition of a branch. The key is the
	// input's name. These inputs then take no memory.
	Values map[string]int64
	// Sizes has the sizes in bytes of values whose size cannot be derived. The key is
	// the value's name.
	Sizes map[string]int64
	// Alignment: sizes and offsets are multiples of it, in bytes. 0 means the constant
	// Alignment.
	Alignment int64
	// InPlace lets a result share the memory of an operand: views always, element-wise
	// results if the operand is not used later.
	InPlace bool
}

// A result is what is known of a value.
type result struct {
	kind kind // kindNone is a tensor
	elem Type
	dims []int64 // -1 for open ones; nil where the rank is not known
	data *data   // its elements; nil where they are not known
	// most is how many bytes it takes at most, where the shape does not say; 0 for
	// not known.
	most int64
	// items are the tensors of a sequence, or that of an optional, there or not; only
	// valid where counted.
	items   []result
	counted bool
}

// bytes returns how many bytes the value takes, -1 where that is not known.
func (r *result) bytes() int64 {
	if (r.kind == kindSequence || r.kind == kindOptional) && r.counted {
		total := int64(0)
		for i := range r.items {
			n := r.items[i].bytes()
			if n < 0 || total > maxElements {
				return -1
			}
			total += n
		}
		return total
	}
	if r.kind != kindNone {
		return cmp.Or(r.most, -1)
	}
	if n := bytesOf(r.elem, r.dims); n >= 0 {
		return n
	}
	return cmp.Or(r.most, -1)
}

// A value is a result with its place in the walk.
type value struct {
	result
	name     int32
	cause    int32   // 1 + index of why its size is not known; 0 for none
	stored   *tensor // an initialiser
	tried    bool    // to decode it
	constant bool    // the same in each run: stored, or computed from constants
	life
}

// A binding says which value a name stands for, within a frame.
type binding struct{ value, frame int32 }

// A frame is a body of nodes with its own names: the graph, or a function that is
// called. Graphs in graphs share the frame.
type frame struct {
	id       int32
	caller   *frame
	call     *node // the node that calls; nil for the graph
	function *function
	opsets   opsets
}

// A walker is one walk over a model.
type walker struct {
	m      *Model
	o      Options
	values []value
	env    []binding // by name
	undo   []struct {
		name int32
		old  binding
	}
	frame    *frame
	frames   int32
	depth    int // of functions
	left     int // bytes that may still be spent on values
	foldLeft int // and on their elements
	steps    int // nodes that may still be met
	trial    int // walks of loops that are repeated
	causes   []cause
	deciding string   // the flags for inputs of one whole number without a value, with a space before each
	openDims []string // the flags that settle the open dimensions of inputs, each once
	fault    *model.Issue
	notes    []string
	sized    map[string]bool // of Options.Sizes, those that were of use
	dimmed   map[string]bool // of Options.Dims
	valued   map[string]bool // of Options.Values
	views    []view
	ran      []step
	clock

	ins  []*value // scratch of node
	outs []result
}

// A step is a node that runs at a tick.
type step struct {
	tick int64
	node *node
	at   int
}

func (w *walker) step(at int, n *node) {
	if w.trial == 0 && w.spend(24) {
		w.ran = append(w.ran, step{w.now, n, at})
	}
}

func (m *Model) walk(o Options) (*walker, error) {
	w := &walker{
		m: m, o: o, env: make([]binding, len(m.names)), left: 4*m.size + walkBytes, foldLeft: foldBytes + m.size/4,
		steps: 1<<17 + m.size/8, sized: map[string]bool{}, dimmed: map[string]bool{}, valued: map[string]bool{},
	}
	w.notes = slices.Clone(m.notes)
	w.frame = &frame{id: 1, opsets: m.opsets}
	w.frames = 1
	w.values = make([]value, 0, min(m.values, w.left/valueBytes))
	w.start()
	w.version()
	w.main(m.graph)
	return w, w.faults()
}

// newest is the newest version of ONNX's own operators that the rules know.
const newest = 28

// version says where the model does not say what its operators mean, or means others
// than the rules know.
func (w *walker) version() {
	v, ok := w.m.opsets[""]
	switch {
	case !ok && w.m.IRVersion >= 3: // before, there was one version
		w.note("the model names no operator version (opset_import); version 1 is assumed")
	case ok && v < 1:
		w.fail("opset_import", "has the version "+strconv.FormatInt(v, 10)+" of ONNX's operators")
	case v > newest:
		w.note("the model uses version " + strconv.FormatInt(v, 10) + " of ONNX's operators; sizes are derived as for version " + strconv.Itoa(newest))
	}
}

func (w *walker) fail(place, message string) {
	if w.fault == nil {
		w.fault = &model.Issue{File: w.m.File, Field: place, Message: message}
	}
}

// spend takes n from the allowance.
func (w *walker) spend(n int) bool {
	if w.left -= n; w.left < 0 {
		w.fail("", "is damaged: it has far more values than a model of its size")
	}
	return w.fault == nil
}

// valueBytes is what a value takes in memory, and the buffer that is made of it.
const valueBytes = 400

// add makes a value and returns its number.
func (w *walker) add(name int32, r result) int32 {
	w.spend(valueBytes + 8*len(r.dims) + 120*len(r.items))
	w.values = append(w.values, value{result: r, name: name})
	return int32(len(w.values) - 1)
}

// bind lets a name stand for a value, until leave.
func (w *walker) bind(name, v int32) {
	if name == 0 {
		return
	}
	w.undo = append(w.undo, struct {
		name int32
		old  binding
	}{name, w.env[name]})
	w.env[name] = binding{v, w.frame.id}
}

// leave forgets the bindings since there were that many.
func (w *walker) leave(mark int) {
	for k := len(w.undo) - 1; k >= mark; k-- {
		w.env[w.undo[k].name] = w.undo[k].old
	}
	w.undo = w.undo[:mark]
}

// lookup returns the value that a name stands for, -1 for none.
func (w *walker) lookup(name int32) int32 {
	if b := w.env[name]; name != 0 && b.frame == w.frame.id {
		return b.value
	}
	return -1
}

// main walks the graph of the model.
func (w *walker) main(g *graph) {
	w.store(g)
	for k := range g.inputs {
		in := &g.inputs[k]
		if v := w.lookup(in.name); v >= 0 {
			// A caller may give another value than the initialiser; before the fourth
			// version of the format every initialiser had to be listed.
			if w.m.IRVersion >= 4 {
				w.values[v].constant = false
				w.note("input " + w.quote(in.name) + " has a default value: it counts as stored, but its value does not count as known")
			}
			w.agree(in, &w.values[v].result)
			continue
		}
		r := w.typed(in.typ, w.m.names[in.name])
		w.give(&r, w.m.names[in.name])
		v := w.add(in.name, r)
		w.born(v, 0)
		w.bind(in.name, v)
		w.values[v].constant = r.data != nil
		w.size(v)
		w.blameInput(v, in)
	}
	w.tick()
	w.nodes("", g.nodes, g.declared)
	for k := range g.outputs {
		if v := w.lookup(g.outputs[k].name); v >= 0 {
			w.use(v, w.now)
		} else if g.outputs[k].name != 0 && w.fault == nil {
			w.fail("output "+w.quote(g.outputs[k].name), "no node makes it")
		}
	}
	w.tick()
}

// store makes the initialisers of a graph values.
func (w *walker) store(g *graph) {
	for k := range g.stored {
		s := &g.stored[k]
		v := w.add(s.name, result{elem: s.tensor.elem, dims: s.tensor.dims})
		if w.fault != nil {
			return
		}
		w.values[v].stored, w.values[v].constant = &s.tensor, true
		w.bind(s.name, v)
	}
}

// quote returns a name for messages.
func (w *walker) quote(name int32) string { return quoted(w.m.names[name]) }

// nodes walks a body.
func (w *walker) nodes(place string, nodes []node, declared map[int32]*typeInfo) {
	for k := range nodes {
		// A node may have any number of inputs and attributes, which take their time.
		n := &nodes[k]
		if w.steps -= 1 + (len(n.in)+len(n.out)+4*len(n.attributes))/32; w.steps < 0 {
			w.fail("", "nests functions, loops or branches so deeply that its nodes run too often")
		}
		if w.fault != nil {
			return
		}
		w.node(place, k, n, declared)
	}
}

// label names a node by its place.
func label(place string, at int, n *node) string {
	if place != "" {
		return place + ", " + n.label(at)
	}
	return n.label(at)
}

// control walks a node that runs a function or graphs; it is false for any other.
func (w *walker) control(place string, at int, n *node, declared map[int32]*typeInfo) bool {
	f, ok := w.functionOf(n)
	switch {
	case ok:
		w.inline(place, at, n, f)
	case !standard(n.domain):
		return false
	case n.op == "If":
		w.branch(place, at, n, declared)
	case n.op == "Loop":
		w.loop(place, at, n, declared, false)
	case n.op == "Scan" && w.opset(n.domain) >= 9:
		w.loop(place, at, n, declared, true)
	default:
		return false
	}
	return true
}

// node walks one node.
func (w *walker) node(place string, at int, n *node, declared map[int32]*typeInfo) {
	if w.control(place, at, n, declared) {
		return
	}
	// What such a graph reads from outside, and what it makes, is not planned.
	for k := range n.attributes {
		if n.attributes[k].graph != nil {
			w.fail(label(place, at, n), runsGraph)
			return
		}
	}
	c, constant, ok := w.called(place, at, n)
	if !ok {
		return
	}
	reason := c.infer()
	c.fold()
	now := w.now
	made := false
	for k, name := range n.out {
		if name == 0 {
			continue
		}
		r := &c.out[k]
		w.declare(r, declared[name], name)
		v := w.add(name, *r)
		if w.fault != nil {
			return
		}
		w.values[v].constant = constant || r.data != nil
		w.bind(name, v)
		if !w.values[v].constant {
			made = true
			w.born(v, now)
			w.size(v)
			w.blame(v, place, at, n, reason)
		}
	}
	if !made && len(n.out) > 0 {
		return // a constant takes no time
	}
	for _, name := range n.in {
		if v := w.lookup(name); v >= 0 {
			w.use(v, now)
		}
	}
	w.overlay(n)
	w.step(at, n)
	w.tick()
}

// called returns the call of a node, with what is known of its operands and with room for
// its results, and whether these are constant where the operands alone decide. It is not
// ok where an operand is missing.
func (w *walker) called(place string, at int, n *node) (c call, constant, ok bool) {
	c = call{w: w, n: n, opset: w.opset(n.domain), in: w.ins[:0], out: w.outs[:0]}
	constant = deterministic(n)
	given := 0
	for _, name := range n.in {
		v, ok := w.operand(place, at, n, name)
		if !ok {
			return c, false, false
		}
		if v < 0 {
			c.in = append(c.in, nil)
			continue
		}
		given++
		c.in = append(c.in, &w.values[v])
		constant = constant && w.values[v].constant
	}
	if given == 0 && !generates(n) {
		constant = false // it lacks what it needs
	}
	for range n.out {
		c.out = append(c.out, result{})
	}
	w.ins, w.outs = c.in[:0], c.out[:0]
	return c, constant, true
}

// runsGraph is said of operators other than If, Loop and Scan that have a graph.
const runsGraph = "runs a graph in a way that Stowage does not support"

// operand returns the value of an input's name, -1 for one left out.
func (w *walker) operand(place string, at int, n *node, name int32) (int32, bool) {
	v := w.lookup(name)
	if v < 0 && name != 0 {
		w.fail(label(place, at, n), "reads "+w.quote(name)+", which no node before it makes")
		return -1, false
	}
	return v, true
}

// note keeps what had to be decided, as far as people read it.
func (w *walker) note(text string) {
	if w.trial == 0 && len(w.notes) < model.MaxIssues {
		w.notes = append(w.notes, text)
	}
}

// opset returns the version of a domain that the nodes of the frame mean.
func (w *walker) opset(domain string) int64 {
	if standard(domain) {
		domain = ""
	}
	if version, ok := w.frame.opsets[domain]; ok {
		return version
	}
	return 1
}
