package onnx

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: a chain of nodes is written into the graph as strips. Each strip of the result is computed for itself, from
// the lines that it needs (tiling.Halo). A convolution has padding on each side, so a strip at the edge keeps its own,
// and the others have none. Slices cut the operands of the chain, and a Concat joins the results:
//
//	whole:   x ─▶ Conv 3×3 pads 1,1 ─▶ v ─▶ MaxPool 2×2 ─▶ y
//
//	strips:  Slice rows 0–8 of x   Conv pads 1,0  MaxPool ─▶ rows 0–3 of y  ┐
//	         Slice rows 7–15 of x  Conv pads 0,1  MaxPool ─▶ rows 4–7 of y  ┘ Concat ─▶ y
//
// Nodes of the chain that compute constants run once, before the strips.
//
// Invariant: each element of a result is computed from the same elements as before. How a kernel adds them up is its
// own affair, and may depend on the size of the strip.
//
// Complexity: O(nodes of the chain × strips + lines).
//
// Source: as of package strips; onnx 1.23.2 for the operators.

// A chained is successive nodes of the graph that run in strips.
type chained struct {
	first, last int // both included
	axis        tiling.Axis
	strips      int
}

// lined is what is known of a node along an axis.
type lined struct {
	refused string          // why it cannot run in strips; "" if it can
	lines   int             // of its results
	reads   []([]ops.Range) // by input, by line; nil for one that is taken as it is
	windows [2]ops.Window   // in rows and columns, if it has windows
	window  bool            //
	macs    int64           // multiply-accumulates of a line
}

// A splitter knows what chains of a model can run in strips.
type splitter struct {
	m       *Model
	w       *walker
	of      []int32           // by name: the value; -1 for none
	maker   []int             // by name: the node that makes it; -1 for none
	readers [][]int           // by name: nodes that read it, each once, in order
	ends    []bool            // by name: an input or output of the graph
	over    map[[2]int32]bool // an operand and a result, by value: the one may lie over the other
	nodes   [tiling.Axes][]*lined
}

func newSplitter(m *Model, w *walker) *splitter {
	n := len(m.file.Names)
	s := &splitter{
		m: m, w: w, of: slices.Repeat([]int32{-1}, n), maker: slices.Repeat([]int{-1}, n), readers: make([][]int, n),
		ends: make([]bool, n), over: map[[2]int32]bool{},
	}
	for _, x := range w.views {
		s.over[[2]int32{x.operand, x.result}] = true
	}
	for i := range w.values {
		s.of[w.values[i].name] = int32(i)
	}
	g := m.file.Graph
	for k := range g.Nodes {
		for _, name := range g.Nodes[k].In {
			if r := s.readers[name]; name != 0 && (len(r) == 0 || r[len(r)-1] != k) {
				s.readers[name] = append(r, k)
			}
		}
		for _, name := range g.Nodes[k].Out {
			s.maker[name] = k
		}
	}
	for _, list := range [][]graph.ValueInfo{g.Inputs, g.Outputs} {
		for i := range list {
			s.ends[list[i].Name] = true
		}
	}
	for axis := range s.nodes {
		s.nodes[axis] = make([]*lined, len(g.Nodes))
	}
	return s
}

// value returns the value of a name that takes memory; nil for constants and names that are left out.
func (s *splitter) value(name int32) *value {
	if name == 0 || s.of[name] < 0 || !s.w.values[s.of[name]].buffer() {
		return nil
	}
	return &s.w.values[s.of[name]]
}

// fixed reports whether a node computes constants alone, of constants.
func (s *splitter) fixed(k int) bool {
	n := &s.m.file.Graph.Nodes[k]
	moving := func(name int32) bool { return s.value(name) != nil }
	return !slices.ContainsFunc(n.Out, moving) && !slices.ContainsFunc(n.In, moving)
}

// call returns the call of a node for package ops.
func (s *splitter) call(k int) ops.Call {
	n := &s.m.file.Graph.Nodes[k]
	c := ops.Call{Node: n, Opset: s.w.opset(n.Domain), Scope: s.w, Budget: &s.w.budget}
	for _, name := range n.Out {
		if v := s.value(name); v != nil {
			c.Out = append(c.Out, shape.Result{Elem: v.Elem, Dims: v.Dims})
		}
	}
	for _, name := range n.In {
		if name == 0 || s.of[name] < 0 {
			c.In = append(c.In, nil)
		} else {
			c.In = append(c.In, &s.w.values[s.of[name]].Operand)
		}
	}
	return c
}

// windowed are the operators that slide a window, with the input that has the weights; -1 for none.
var windowed = map[string]int{
	"Conv": 1, "ConvInteger": 1, "QLinearConv": 3, "MaxPool": -1, "AveragePool": -1, "LpPool": -1,
}

// along returns what is known of a node along an axis.
func (s *splitter) along(k int, axis tiling.Axis) *lined {
	if s.nodes[axis][k] == nil {
		l := &lined{}
		l.refused = s.look(k, axis, l)
		s.nodes[axis][k] = l
	}
	return s.nodes[axis][k]
}

// look finds out which lines a node reads, or why it cannot run in strips.
func (s *splitter) look(k int, axis tiling.Axis, l *lined) string {
	n := &s.m.file.Graph.Nodes[k]
	c := s.call(k)
	_, window := windowed[n.Op]
	switch {
	case s.fixed(k):
		return ""
	case !graph.Standard(n.Domain) || s.m.nested(n):
		return "it is no operator of ONNX"
	case !window && n.Op != "Concat" && n.Op != "Split" && n.Op != "Softmax" && !ops.Pointwise(n.Op):
		return "it may need all " + axis.String() + " at once"
	case len(c.Out) != len(n.Out) || len(c.Out) > 1 && n.Op != "Split":
		return "it has several results"
	case len(c.Out[0].Dims) != 4 || c.Out[0].Dims[2+axis] < 2:
		return "its result has no " + axis.String() + " to cut"
	}
	l.lines = int(c.Out[0].Dims[2+axis])
	if n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear" {
		if scale := c.In[1]; scale == nil || len(scale.Dims) > 1 || len(scale.Dims) == 1 && scale.Dims[0] != 1 && c.Axis() != 1 {
			return "its scale differs from line to line, or is not known"
		}
	}
	l.reads = make([][]ops.Range, len(n.In))
	images := 0
	for i, name := range n.In {
		v := s.value(name)
		if v == nil {
			if ops.Pointwise(n.Op) && !ops.Parameter(n.Op) && s.varies(name, axis) {
				return "a constant differs from line to line"
			}
			continue
		}
		reads, ok := c.Lines(i, int(axis))
		if !ok || len(reads) != l.lines {
			return fmt.Sprintf("which %s it reads of input %d is not known", axis, i)
		}
		if len(v.Dims) != 4 || v.Dims[2+axis] == 1 {
			continue // the same for all lines
		}
		l.reads[i] = reads
		images++
	}
	if images == 0 {
		return "it reads no image"
	}
	if window {
		return s.slides(&c, l)
	}
	return ""
}

// varies reports whether a constant differs from line to line of an image that it is broadcast to.
func (s *splitter) varies(name int32, axis tiling.Axis) bool {
	if name == 0 || s.of[name] < 0 {
		return false
	}
	d := s.w.values[s.of[name]].Dims
	at := len(d) - 2 + int(axis)
	return at >= 0 && d[at] != 1
}

// slides looks at a window.
func (s *splitter) slides(c *ops.Call, l *lined) string {
	op := c.Node.Op
	l.window = true
	for axis := range l.windows {
		var ok bool
		if l.windows[axis], ok = c.Window(axis); !ok {
			return "its window is not known"
		}
	}
	if op == "LpPool" || op == "AveragePool" && c.Includes() {
		for axis, w := range l.windows {
			n := int64(c.In[0].Dims[2+axis])
			if m := c.Out[0].Dims[2+axis]; w.Before > 0 || (m-1)*w.Stride-w.Before+w.Reach > n {
				return "its padding counts as elements"
			}
		}
	}
	if weights := windowed[op]; weights >= 0 && weights < len(c.In) && c.In[weights] != nil {
		d := c.Out[0].Dims
		l.macs = d[1] * d[2] * d[3] / int64(l.lines)
		for _, x := range c.In[weights].Dims[1:] {
			l.macs *= x
		}
	}
	return ""
}

// result returns the name that a chain makes for the nodes outside of it, or why it cannot run in strips.
func (s *splitter) result(first, last int, axis tiling.Axis) (name int32, why string) {
	for k := first; k <= last; k++ {
		if why := s.along(k, axis).refused; why != "" {
			return 0, s.m.file.Graph.Nodes[k].Label(k) + ": " + why
		}
		if s.fixed(k) {
			continue
		}
		for _, out := range s.m.file.Graph.Nodes[k].Out {
			readers := s.readers[out]
			switch {
			case len(readers) == 0 && !s.ends[out]:
				return 0, s.m.file.Graph.Nodes[k].Label(k) + ": nobody reads one of its results"
			case !s.ends[out] && readers[len(readers)-1] <= last:
				continue
			case name != 0:
				return 0, "others need two results of the chain"
			}
			name = out
		}
	}
	if name == 0 {
		return 0, "nobody reads its result"
	}
	return name, ""
}

// A stripNode is a node of the new graph.
type stripNode struct {
	at      int // node of the model that it is; -1 for ours
	op      string
	in, out []string
	pads    []int64 // of a window; nil for those that it has
	axis    int     // of Slice and Concat
	lines   tiling.Lines
	bytes   []int64 // of the results
	over    []bool  // by input: the result may lie over it
}

// A builder writes the strips of chains.
type builder struct {
	s     *splitter
	nodes []stripNode
	taken map[string]bool // names
	chain chained
	cuts  map[string]held // of the strip
	strip int
}

// held is lines of a value that are there under a name.
type held struct {
	name string
	tiling.Lines
}

// size returns the bytes of some lines of a value.
func (b *builder) size(v *value, lines int) int64 {
	return bound.Up(v.Bytes()/v.Dims[2+b.chain.axis]*int64(lines), b.s.w.o.Alignment)
}

// named returns a name for lines of a value.
func (b *builder) named(name int32, lines tiling.Lines) string {
	out := b.s.m.file.Names[name] + "[" + b.chain.axis.String() + " " + strconv.Itoa(lines.First) + ":" +
		strconv.Itoa(lines.End) + "]"
	for b.taken[out] {
		out += "'"
	}
	b.taken[out] = true
	return out
}

// cut returns lines of what is held of a value.
func (b *builder) cut(name int32, h held, lines tiling.Lines) held {
	if h.Lines == lines {
		return h
	}
	key := fmt.Sprint(h.name, lines)
	if out, ok := b.cuts[key]; ok {
		return out
	}
	out := held{b.named(name, lines), lines}
	b.nodes = append(b.nodes, stripNode{
		at: -1, op: "Slice", in: []string{h.name}, out: []string{out.name}, axis: 2 + int(b.chain.axis),
		lines: tiling.Lines{First: lines.First - h.First, End: lines.End - h.First},
		bytes: []int64{b.size(b.s.value(name), lines.End-lines.First)},
	})
	b.cuts[key] = out
	return out
}

// cutAt returns the first line of each strip of so many lines, and the end.
func cutAt(lines, strips int) (out []int) {
	for k := range strips + 1 {
		out = append(out, lines*k/strips)
	}
	return out
}

// write writes a chain in strips, or says why it cannot be.
func (b *builder) write(c chained) (why string) {
	s, nodes := b.s, b.s.m.file.Graph.Nodes
	b.chain = c
	result, why := s.result(c.first, c.last, c.axis)
	if why != "" {
		return why
	}
	lines := s.along(s.maker[result], c.axis).lines
	if c.strips < 2 || c.strips > lines {
		return "it has too few lines"
	}
	for k := c.first; k <= c.last; k++ {
		if s.fixed(k) {
			b.nodes = append(b.nodes, stripNode{at: k, in: names(s.m.file, nodes[k].In), out: names(s.m.file, nodes[k].Out)})
		}
	}
	calls := make([][]tiling.Need[int32], c.last-c.first+1)
	made := make([]tiling.Lines, len(calls))
	call := func(k int, lines tiling.Lines) ([]tiling.Need[int32], error) {
		l := s.along(k, c.axis)
		var needs []tiling.Need[int32]
		for i, reads := range l.reads {
			if reads == nil {
				continue
			}
			need := tiling.Need[int32]{Value: nodes[k].In[i]}
			for _, r := range reads[lines.First:lines.End] {
				if r.First <= r.Last {
					need.Lines = need.Cover(tiling.Lines{First: r.First, End: r.Last + 1})
				}
			}
			if need.First >= need.End {
				return nil, fmt.Errorf("lines of padding alone")
			}
			needs = append(needs, need)
		}
		calls[k-c.first], made[k-c.first] = needs, lines
		return needs, nil
	}
	cuts := cutAt(lines, c.strips)
	parts := stripNode{at: -1, op: "Concat", out: []string{s.m.file.Names[result]}, axis: 2 + int(c.axis)}
	for b.strip = range c.strips {
		own := tiling.Lines{First: cuts[b.strip], End: cuts[b.strip+1]}
		clear(calls)
		want := map[int32]tiling.Lines{result: own}
		if err := tiling.Halo(c.first, c.last, want, func(k int) []int32 {
			if s.fixed(k) {
				return nil
			}
			return nodes[k].Out
		}, call); err != nil {
			return err.Error()
		}
		parts.in = append(parts.in, b.run(calls, made, result, own))
	}
	parts.bytes = []int64{bound.Up(s.value(result).Bytes(), s.w.o.Alignment)}
	b.nodes = append(b.nodes, parts)
	return ""
}

// run writes the nodes of a strip and returns the name of its part of the result.
func (b *builder) run(calls [][]tiling.Need[int32], made []tiling.Lines, result int32, own tiling.Lines) string {
	s, c := b.s, &b.chain
	have := map[int32]held{}
	b.cuts = map[string]held{}
	find := func(name int32, lines tiling.Lines) string {
		h, ok := have[name]
		if !ok {
			h = held{s.m.file.Names[name], tiling.Lines{End: int(s.value(name).Dims[2+c.axis])}}
		}
		return b.cut(name, h, lines).name
	}
	for k := c.first; k <= c.last; k++ {
		needs := calls[k-c.first]
		if needs == nil {
			continue
		}
		n, l, lines := &s.m.file.Graph.Nodes[k], s.along(k, c.axis), made[k-c.first]
		x := stripNode{at: k, op: n.Op, in: names(s.m.file, n.In), over: make([]bool, len(n.In))}
		if l.window {
			x.pads = l.pads(int(c.axis), lines, s.value(n.In[0]).Dims, s.value(n.Out[0]).Dims)
		}
		at := 0
		for i, reads := range l.reads {
			if reads != nil {
				x.over[i] = s.over[[2]int32{s.of[n.In[i]], s.of[n.Out[0]]}]
				x.in[i] = find(n.In[i], needs[at].Lines)
				at++
			}
		}
		for _, name := range n.Out {
			h := held{b.named(name, lines), lines}
			have[name] = h
			x.out = append(x.out, h.name)
			x.bytes = append(x.bytes, b.size(s.value(name), lines.End-lines.First))
		}
		b.nodes = append(b.nodes, x)
	}
	return find(result, own)
}

// pads returns the padding of a window for some lines: rows and columns before, rows and columns behind.
func (l *lined) pads(axis int, lines tiling.Lines, in, out []int64) []int64 {
	p := make([]int64, 4)
	for d, w := range l.windows {
		first, end := int64(0), out[2+d]
		if d == axis {
			first, end = int64(lines.First), int64(lines.End)
		}
		p[d] = max(0, w.Before-first*w.Stride)
		p[2+d] = max(0, (end-1)*w.Stride-w.Before+w.Reach-in[2+d])
	}
	return p
}

// load returns the most bytes in use while strips run, with results over operands that die, if they may.
func (b *builder) load() int64 {
	s, c := b.s, &b.chain
	base := int64(0)
	var all []lived
	of := map[string]int{} // what holds a name, if it dies in the chain
	for i := range s.w.values {
		v := &s.w.values[i]
		if !v.buffer() || s.maker[v.name] >= c.first {
			continue
		}
		dies := -1
		if r := s.readers[v.name]; len(r) > 0 {
			dies = r[len(r)-1]
		}
		switch bytes := bound.Up(v.Bytes(), s.w.o.Alignment); {
		case s.output(v.name) || dies > c.last:
			base += bytes
		case dies >= c.first:
			of[s.m.file.Names[v.name]] = len(all)
			all = append(all, lived{bytes, 0, 0})
		}
	}
	last := map[string]int{}
	for i := range b.nodes {
		for _, name := range b.nodes[i].in {
			last[name] = i
		}
	}
	for i := range b.nodes {
		x := &b.nodes[i]
		over := -1
		for k, name := range x.in {
			h, ok := of[name]
			if !ok {
				continue
			}
			all[h].to = max(all[h].to, int64(i)+1)
			if last[name] == i && x.over != nil && x.over[k] && len(x.bytes) == 1 && all[h].size == x.bytes[0] {
				over = h
			}
		}
		for k, bytes := range x.bytes {
			if over < 0 {
				all = append(all, lived{bytes, int64(i), int64(i) + 1})
				over = len(all) - 1
			}
			of[x.out[k]], over = over, -1
		}
	}
	all[len(all)-1].to = int64(len(b.nodes)) // the result of the chain
	return base + loadOf(turns(all))
}

// output reports whether a name is an output of the graph.
func (s *splitter) output(name int32) bool {
	return slices.ContainsFunc(s.m.file.Graph.Outputs, func(v graph.ValueInfo) bool { return v.Name == name })
}

// macs returns the multiply-accumulates of the nodes of strips.
func (b *builder) macs() (sum int64) {
	for i := range b.nodes {
		x := &b.nodes[i]
		if x.at < 0 || len(x.bytes) == 0 {
			continue
		}
		l := b.s.along(x.at, b.chain.axis)
		v := b.s.value(b.s.m.file.Graph.Nodes[x.at].Out[0])
		line := max(1, v.Bytes()/int64(l.lines))
		hi, lo := bits.Mul64(uint64(x.bytes[0]+line/2), uint64(l.macs))
		if hi == 0 && l.macs > 0 {
			sum += int64(lo / uint64(line))
		}
	}
	return sum
}
