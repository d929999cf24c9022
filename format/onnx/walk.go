package onnx

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/model"
)

// Idea: one walk over the nodes, in the order of the file. It keeps all that is known of each value: type, shape, and
// elements if they are few and known. A rule for each operator computes these for the results. If a rule cannot, the
// walk takes what the file says of the value. If that says nothing either, the value is a fault with a cause: the node
// at which knowledge ended. Values that depend on it add to the count of the cause, and are no faults of their own.
//
// The walk follows control flow (branch.go, control.go) and functions into their nodes, so it may meet a node several
// times, each time with new values.
//
// Invariant: if the model can run, a dimension that is not -1 is right, and so are known elements.
//
// Complexity: O(nodes met × their inputs and outputs). Functions and loops can nest so that nodes are met exponentially
// often, and values can be far larger than their names. So values count against the budget of the file, and nodes
// against a number of steps.
//
// Source: the definitions of the operators in onnx 1.23.2.

// Options give values that a model leaves open. The zero value gives none.
type Options struct {
	// Dims has the sizes of dimensions that inputs leave open. The key is the
	// dimension's name in the model, or INPUT:AXIS if it has none.
	Dims map[string]int64
	// Ranges has dimensions that vary, by the same keys. Family takes them; all else ignores them.
	Ranges map[string]Range
	// Values has the values of inputs that are one whole number or truth value, and the same in each run: for example
	// the condition of a branch. The key is the input's name. These inputs then take no memory.
	Values map[string]int64
	// Shapes has the types and shapes of values that the model leaves open, and whose shape cannot be derived. The
	// key is the value's name.
	Shapes map[string]Shape
	// Sizes has the sizes in bytes of values whose size cannot be derived. The key is the value's name.
	Sizes map[string]int64
	// Alignment: sizes and offsets are multiples of it, in bytes. 0 means the constant Alignment.
	Alignment int64
	// InPlace lets a result share the memory of an operand: views always, element-wise
	// results if the operand is not used later.
	InPlace bool
	// States limits the search of Order: how many sets of nodes it keeps. 0 means 262,144.
	States int
}

// A value is a result with its place in the walk.
type value struct {
	ops.Operand
	name  int32
	cause int32 // 1 + index of the cause for which its size is not known; 0 for none
	life
}

// A binding says which value a name stands for, within a frame.
type binding struct{ value, frame int32 }

// A frame is a body of nodes with its own names: the graph, or a function that is
// called. Graphs in graphs share the frame.
type frame struct {
	id       int32
	caller   *frame
	call     *graph.Node // the node that calls; nil for the graph
	function *graph.Function
	opsets   graph.Opsets
}

// A walker is one walk over a model.
type walker struct {
	m      *graph.Model
	o      Options
	values []value
	env    []binding // by name
	undo   []struct {
		name int32
		old  binding
	}
	frame    *frame
	frames   int32
	depth    int           // of functions
	budget   source.Budget // for values, and for elements that are known
	steps    int           // nodes that may still be met
	trial    int           // walks of loops that are repeated
	causes   []cause
	deciding string   // the flags for inputs of one whole number without a value, with a space before each
	openDims []string // the flags for the open dimensions of inputs, each once
	fault    *model.Issue
	notes    []string
	sized    map[string]bool   // of Options.Sizes, those that were of use
	dimmed   map[string]bool   // of Options.Dims
	valued   map[string]bool   // of Options.Values
	shapes   map[string]string // of Options.Shapes, those that were met, and why they do not fit; "" if they do
	symbols  map[string]int64  // dimensions by their names in the model
	views    []view
	ran      []step
	blocked  *blocks // nil until it is asked for
	clock

	ins  []*ops.Operand // scratch of node
	outs []shape.Result
}

// A step is a node that runs at a tick.
type step struct {
	tick int64
	node *graph.Node
	at   int
}

func (w *walker) step(at int, n *graph.Node) {
	if w.trial == 0 && w.Spend(24) {
		w.ran = append(w.ran, step{w.now, n, at})
	}
}

// walk walks a model. A walker is returned with an error, too: it has what was found so far.
func walk(m *graph.Model, o Options) (*walker, error) {
	w := &walker{
		m: m, o: o, env: make([]binding, len(m.Names)), budget: m.Budget,
		steps: 1<<17 + m.Size/8, sized: map[string]bool{}, dimmed: map[string]bool{}, valued: map[string]bool{},
	}
	w.notes = slices.Clone(m.Notes)
	w.frame = &frame{id: 1, opsets: m.Opsets}
	w.frames = 1
	w.values = make([]value, 0, min(m.Values, w.budget.Most(m.Values, valueBytes)))
	w.start()
	w.version()
	w.sizeNamed()
	w.main(m.Graph)
	return w, w.faults()
}

// newest is the newest version of ONNX's own operators that the rules know.
const newest = 28

// version notes if the model does not say which version of the operators it means, or means a version that the rules do
// not know.
func (w *walker) version() {
	v, ok := w.m.Opsets[""]
	switch {
	case !ok && w.m.Version >= 3: // before, there was one version
		w.note("the model names no operator version (opset_import); version 1 is assumed")
	case ok && v < 1:
		w.fail("opset_import", "has the version "+strconv.FormatInt(v, 10)+" of ONNX's operators")
	case v > newest:
		w.note("the model uses version " + strconv.FormatInt(v, 10) +
			" of ONNX's operators; sizes are derived as for version " + strconv.Itoa(newest))
	}
}

func (w *walker) fail(place, message string) {
	if w.fault == nil {
		w.fault = &model.Issue{File: w.m.File, Field: place, Message: message}
	}
}

// Spend takes n from the budget.
func (w *walker) Spend(n int) bool {
	if !w.budget.Spend(n) {
		w.fail("", w.budget.Excess())
	}
	return w.fault == nil
}

// valueBytes is the memory of a value and of the buffer that is made of it.
const valueBytes = 400

// add makes a value and returns its number.
func (w *walker) add(name int32, r shape.Result) int32 {
	w.Spend(valueBytes + 8*len(r.Dims) + 120*len(r.Items))
	w.values = append(w.values, value{Operand: ops.Operand{Result: r}, name: name})
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

// leave drops all bindings after the first mark.
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
func (w *walker) main(g *graph.Graph) {
	w.store(g)
	for k := range g.Inputs {
		in := &g.Inputs[k]
		if v := w.lookup(in.Name); v >= 0 {
			// A caller may replace an initialiser by a value. Before the fourth version of the format every
			// initialiser had to be listed as an input.
			if w.m.Version >= 4 {
				w.values[v].Constant = false
				w.note("input " + w.Quote(in.Name) +
					" has a default value: it counts as stored, but its value does not count as known")
			}
			w.agree(in, &w.values[v].Result)
			continue
		}
		r := w.typed(in.Type, w.m.Names[in.Name])
		w.shaped(&r, w.m.Names[in.Name])
		w.give(&r, w.m.Names[in.Name])
		v := w.add(in.Name, r)
		w.born(v, 0)
		w.bind(in.Name, v)
		w.values[v].Constant = r.Data != nil
		w.size(v)
		w.blameInput(v, in)
	}
	w.tick()
	w.nodes("", g.Nodes, g.Declared)
	for k := range g.Outputs {
		if v := w.lookup(g.Outputs[k].Name); v >= 0 {
			w.use(v, w.now)
		} else if g.Outputs[k].Name != 0 && w.fault == nil {
			w.fail("output "+w.Quote(g.Outputs[k].Name), "no node makes it")
		}
	}
	w.tick()
}

// store adds the initialisers of a graph as values.
func (w *walker) store(g *graph.Graph) {
	for k := range g.Stored {
		s := &g.Stored[k]
		v := w.add(s.Name, shape.Result{Elem: s.Tensor.Elem, Dims: s.Tensor.Dims})
		if w.fault != nil {
			return
		}
		w.values[v].Stored, w.values[v].Constant = &s.Tensor, true
		w.bind(s.Name, v)
	}
}

// Quote returns a name for messages.
func (w *walker) Quote(name int32) string { return graph.Quoted(w.m.Names[name]) }

// nodes walks a body.
func (w *walker) nodes(place string, nodes []graph.Node, declared map[int32]*graph.TypeInfo) {
	for k := range nodes {
		// A node may have any number of inputs and attributes, so it may take long.
		n := &nodes[k]
		if w.steps -= 1 + (len(n.In)+len(n.Out)+4*len(n.Attributes))/32; w.steps < 0 {
			w.fail("", "nests functions, loops or branches so deeply that its nodes run too often")
		}
		if w.fault != nil {
			return
		}
		w.node(place, k, n, declared)
	}
}

// label names a node by its place.
func label(place string, at int, n *graph.Node) string {
	if place != "" {
		return place + ", " + n.Label(at)
	}
	return n.Label(at)
}

// control walks a node that runs a function or graphs; it is false for any other.
func (w *walker) control(place string, at int, n *graph.Node, declared map[int32]*graph.TypeInfo) bool {
	f, ok := w.functionOf(n)
	switch {
	case ok:
		w.inline(place, at, n, f)
	case !graph.Standard(n.Domain):
		return false
	case n.Op == "If":
		w.branch(place, at, n, declared)
	case n.Op == "Loop":
		w.loop(place, at, n, declared, false)
	case n.Op == "Scan" && w.opset(n.Domain) >= 9:
		w.loop(place, at, n, declared, true)
	default:
		return false
	}
	return true
}

// node walks one node.
func (w *walker) node(place string, at int, n *graph.Node, declared map[int32]*graph.TypeInfo) {
	if w.control(place, at, n, declared) {
		return
	}
	// The values that such a graph reads from outside, and its results, are not planned.
	for k := range n.Attributes {
		if n.Attributes[k].Graph != nil {
			w.fail(label(place, at, n), runsGraph)
			return
		}
	}
	c, constant, ok := w.called(place, at, n)
	if !ok {
		return
	}
	reason := c.Infer()
	c.Fold()
	now := w.now
	made := false
	for k, name := range n.Out {
		if name == 0 {
			continue
		}
		r := &c.Out[k]
		w.declare(r, declared[name], name)
		v := w.add(name, *r)
		if w.fault != nil {
			return
		}
		w.values[v].Constant = constant || r.Data != nil
		w.bind(name, v)
		if !w.values[v].Constant {
			made = true
			w.born(v, now)
			w.size(v)
			w.blame(v, place, at, n, reason)
		}
	}
	if !made && len(n.Out) > 0 {
		return // a constant takes no time
	}
	for _, name := range n.In {
		if v := w.lookup(name); v >= 0 {
			w.use(v, now)
		}
	}
	w.overlay(n)
	w.step(at, n)
	w.tick()
}

// called returns the call of a node: the known facts about its operands, and room for its results. constant says
// whether the results are constant, as far as the operands decide. ok is false if an operand is missing.
func (w *walker) called(place string, at int, n *graph.Node) (c ops.Call, constant, ok bool) {
	c = ops.Call{Node: n, Opset: w.opset(n.Domain), In: w.ins[:0], Out: w.outs[:0], Scope: w, Budget: &w.budget}
	constant = ops.Deterministic(n)
	given := 0
	for _, name := range n.In {
		v, ok := w.operand(place, at, n, name)
		if !ok {
			return c, false, false
		}
		if v < 0 {
			c.In = append(c.In, nil)
			continue
		}
		given++
		c.In = append(c.In, &w.values[v].Operand)
		constant = constant && w.values[v].Constant
	}
	if given == 0 && !ops.Generates(n) {
		constant = false // it lacks what it needs
	}
	for range n.Out {
		c.Out = append(c.Out, shape.Result{})
	}
	w.ins, w.outs = c.In[:0], c.Out[:0]
	return c, constant, true
}

// runsGraph is the message for operators with a graph other than If, Loop and Scan.
const runsGraph = "runs a graph in a way that Stowage does not support; save that graph as a model of its " +
	"own, and plan it"

// operand returns the value of an input's name, or -1 if the input is left out.
func (w *walker) operand(place string, at int, n *graph.Node, name int32) (int32, bool) {
	v := w.lookup(name)
	if v < 0 && name != 0 {
		w.fail(label(place, at, n), "reads "+w.Quote(name)+", which no node before it makes")
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

// opset returns the version of a domain for the nodes of the frame.
func (w *walker) opset(domain string) int64 {
	if graph.Standard(domain) {
		domain = ""
	}
	if version, ok := w.frame.opsets[domain]; ok {
		return version
	}
	return 1
}
