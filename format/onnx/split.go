package onnx

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: a chain in strips (strips.go) has two figures that do not depend on other chains: the most bytes in use while
// it runs, and the multiply-accumulates of lines that are computed twice. Chains do not share nodes. So the choice for
// a limit T of the bytes is a path through the nodes, from left to right:
//
//	from k to k + 1          node k as it is, if it needs at most T
//	from first to last + 1   a chain in strips, if it needs at most T; it adds its arithmetic
//
// The path with the least arithmetic is found for each T, and T counts if its path keeps the limit of arithmetic.
// Results of operators that compute places one by one count as lying over operands that die, as in ONNX Runtime.
//
// Of the paths for some limits, the one is taken that needs the fewest bytes where ONNX Runtime puts its tensors
// (reuse.go).
//
// Invariant: the first path has the lowest peak of all choices of the considered chains within the limit of arithmetic.
//
// Complexity: O(nodes²) chains, each with some numbers of strips; O(nodes of the strips) for each.
//
// Source: the paths are those of Huang and Baccelli, "msf-CNN" (NeurIPS 2025).

// SplitOptions say how a model is split.
type SplitOptions struct {
	MaxMACs  float64             // multiply-accumulates that may be added, as a share of those of the model
	Progress func(done, all int) // called with the chains that were looked at, of all; may be nil
}

// A Split is a model whose chains run in strips.
type Split struct {
	Model      *Model       // nil if strips lower nothing
	Why        string       // why there is no model
	Chains     []StripChain // in the order of the nodes
	Before     int64        // the most bytes in use without strips
	Peak       int64        // and with them
	MACs       int64        // multiply-accumulates of the model as it was
	Extra      int64        // that strips add
	Considered int          // chains in strips
	Bound      int64        // no choice of these within the limit of arithmetic has a lower peak; 0 if Stopped
	Stopped    bool         // the context has ended the search early
}

// A StripChain is successive nodes of the model as it was that run in strips.
type StripChain struct {
	First, Last Step   // both included
	Strips      int    // in how many parts they run, one after the other
	Lines       string // what strips have: rows or columns
}

// The limits of the search for a split.
const (
	mostChained = 120   // nodes of a chain
	mostStrips  = 4_000 // nodes that it becomes
)

// stripCounts are the numbers of strips that are tried.
var stripCounts = []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48}

// A segment is a chain in strips, with its figures.
type segment struct {
	chained
	load, macs int64
}

// Split splits a model, within a limit of arithmetic, so that the fewest bytes are in use at once. If the context ends,
// the result is the best split so far. Looking at chains takes at most half of the time to its deadline.
func (m *Model) Split(ctx context.Context, o Options, x SplitOptions) (*Split, error) {
	g := m.file.Graph
	if slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return m.nested(&n) }) {
		return &Split{Why: "the model has control flow or functions"}, nil
	}
	if o.Alignment == 0 {
		o.Alignment = Alignment
	}
	o.InPlace = true
	w, err := walk(m.file, o)
	if err != nil {
		return nil, err
	}
	s := newSplitter(m, w)
	c := &chooser{splitter: s}
	if c.during, err = m.during(o, w); err != nil {
		return nil, err
	}
	out := &Split{Before: slices.Max(append([]int64{0}, c.during...))}
	for k := range g.Nodes {
		out.MACs += s.macsOf(k)
	}
	c.most = int64(x.MaxMACs * float64(out.MACs))
	looking, end := ctx, func() {}
	if until, limited := ctx.Deadline(); limited {
		looking, end = context.WithTimeout(ctx, time.Until(until)/2)
	}
	c.collect(looking, x.Progress)
	out.Considered, out.Stopped = len(c.all), looking.Err() != nil
	end()
	best, err := c.patterned(ctx, o)
	if err != nil {
		return nil, err
	}
	out.Stopped = out.Stopped || ctx.Err() != nil
	switch {
	case best == nil && out.Stopped:
		out.Why = fmt.Sprintf("no strips that need %d%% fewer bytes were found in time", leastGain)
		return out, nil
	case best == nil:
		out.Why = fmt.Sprintf("no choice of strips needs %d%% fewer bytes where ONNX Runtime places them", leastGain)
		return out, nil
	}
	if out.Model, out.Peak, out.Extra = best.m, best.load, best.macs; !out.Stopped {
		out.Bound = c.lowest
	}
	for _, i := range best.path {
		x := &c.all[i]
		out.Chains = append(out.Chains, StripChain{m.step(x.first), m.step(x.last), x.strips, x.axis.String()})
	}
	return out, nil
}

// leastGain is how much less strips must need, in percent. ONNX Runtime runs another graph than that of the file, so a
// small gain may be none.
const leastGain = 20

// A written is a choice of chains whose model is written.
type written struct {
	m          *Model
	path       []int // of the segments
	load, macs int64
}

// patterned writes the best choices and returns the one that needs the fewest bytes where ONNX Runtime's planner puts
// its tensors; nil if the model as it is needs no more.
func (c *chooser) patterned(ctx context.Context, o Options) (*written, error) {
	a, err := c.m.Arena(o)
	if err != nil {
		return nil, err
	}
	least := placed(a.Problem) / 100 * (100 - leastGain)
	var best *written
	for _, path := range c.paths() {
		if ctx.Err() != nil {
			break
		}
		m, err := c.write(path)
		if err != nil {
			return nil, err
		}
		a, err := m.Arena(o)
		if err != nil {
			return nil, err
		}
		if height := placed(a.Problem); height < least {
			least = height
			best = &written{m: m, path: path}
		}
	}
	if best == nil {
		return nil, nil
	}
	covered := make([]bool, len(c.during))
	for _, i := range best.path {
		x := &c.all[i]
		best.load, best.macs = max(best.load, x.load), best.macs+x.macs
		for k := x.first; k <= x.last; k++ {
			covered[k] = true
		}
	}
	for k, during := range c.during {
		if !covered[k] {
			best.load = max(best.load, during)
		}
	}
	return best, nil
}

// write writes the model with chains in strips.
func (c *chooser) write(path []int) (*Model, error) {
	b := &builder{s: c.splitter, taken: c.names()}
	next := 0
	for _, i := range path {
		x := &c.all[i]
		b.nodes = append(b.nodes, wholeNodes(c.m, next, x.first)...)
		b.write(x.chained)
		next = x.last + 1
	}
	b.nodes = append(b.nodes, wholeNodes(c.m, next, len(c.during))...)
	data, err := c.m.rewritten(b.nodes, b.taken, c.w.opset(""))
	if err != nil {
		return nil, err
	}
	return Parse(data, c.m.File)
}

// step names a node.
func (m *Model) step(k int) Step {
	n := &m.file.Graph.Nodes[k]
	return Step{Tick: int64(k), Operator: n.Operator(), Node: n.Name}
}

// during returns the bytes that are live while each node of a model without control flow runs.
func (m *Model) during(o Options, w *walker) ([]int64, error) {
	a, err := m.Arena(o)
	if err != nil {
		return nil, err
	}
	change := make([]int64, w.now+2)
	for i := range a.Problem.Buffers {
		b := &a.Problem.Buffers[i]
		change[b.Lower] += b.Size
		change[b.Upper] -= b.Size
	}
	live := make([]int64, w.now+1)
	sum := int64(0)
	for t := range live {
		sum += change[t]
		live[t] = sum
	}
	out := make([]int64, len(m.file.Graph.Nodes))
	for _, s := range w.ran {
		out[s.at] = live[s.tick]
	}
	return out, nil
}

// macsOf returns the multiply-accumulates of a node.
func (s *splitter) macsOf(k int) int64 {
	c := s.call(k)
	weights, ok := windowed[c.Node.Op]
	if !ok {
		weights = map[string]int{"Gemm": 1, "MatMul": 1, "ConvTranspose": 1}[c.Node.Op]
	}
	if weights <= 0 || weights >= len(c.In) || c.In[weights] == nil || len(c.Out) == 0 || len(c.In[weights].Dims) < 2 {
		return 0
	}
	d, of := c.In[weights].Dims, c.Out[0].Dims
	if !ok && c.Node.Op != "ConvTranspose" { // a product: of each element of the weights, for each row
		of = of[:len(of)-1]
	} else {
		d = d[1:]
	}
	n := int64(1)
	for _, x := range slices.Concat(d, of) {
		n *= max(x, 1)
	}
	return n
}

// A chooser looks for the best choice of chains.
type chooser struct {
	*splitter
	during []int64 // by node: the bytes live while it runs
	most   int64   // multiply-accumulates that may be added
	all    []segment
	lowest int64 // the lowest limit of bytes that a path keeps
}

// collect lists chains in strips that need less than their nodes as they are.
func (c *chooser) collect(ctx context.Context, progress func(done, all int)) {
	nodes := c.m.file.Graph.Nodes
	for first := range nodes {
		if progress != nil {
			progress(first, len(nodes))
		}
		if c.fixed(first) {
			continue
		}
		for axis := range tiling.Axes {
			was := int64(0)
			for last := first; last < min(len(nodes), first+mostChained) && ctx.Err() == nil; last++ {
				if c.along(last, axis).refused != "" {
					break
				}
				was = max(was, c.during[last])
				if c.fixed(last) {
					continue
				}
				if _, why := c.result(first, last, axis); why == "" {
					c.counted(chained{first, last, axis, 0}, was)
				}
			}
		}
	}
}

// counted tries numbers of strips, as long as more strips need less.
func (c *chooser) counted(x chained, was int64) {
	given := int64(0)
	for k := x.first; k <= x.last; k++ {
		given += c.macsOf(k)
	}
	least, worse := was, 0
	for _, x.strips = range stripCounts {
		b := &builder{s: c.splitter, taken: map[string]bool{}}
		if b.write(x) != "" || len(b.nodes) > mostStrips {
			return
		}
		macs := max(0, b.macs()-given)
		if macs > c.most {
			return
		}
		load := b.load()
		if load >= least {
			if worse++; worse > 1 || load >= 2*was {
				return
			}
			continue
		}
		least, worse = load, 0
		c.all = append(c.all, segment{x, load, macs})
	}
}

// mostPaths is how many choices are written.
const mostPaths = 10

// paths returns the choices for the lowest limits of bytes within the limit of arithmetic, the lowest first.
func (c *chooser) paths() (out [][]int) {
	limits := slices.Clone(c.during)
	for i := range c.all {
		limits = append(limits, c.all[i].load)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	ends := make([][]int, len(c.during))
	for i := range c.all {
		ends[c.all[i].last] = append(ends[c.all[i].last], i)
	}
	first, _ := slices.BinarySearchFunc(limits, true, func(limit int64, _ bool) int {
		if _, least := c.path(ends, limit); least < 0 || least > c.most {
			return -1
		}
		return 1
	})
	limits = limits[first:]
	if len(limits) > 0 {
		c.lowest = limits[0]
	}
	for k := range min(mostPaths, len(limits)) {
		path, _ := c.path(ends, limits[k*len(limits)/min(mostPaths, len(limits))])
		if len(path) > 0 && !slices.ContainsFunc(out, func(x []int) bool { return slices.Equal(x, path) }) {
			out = append(out, path)
		}
	}
	return out
}

// path returns the chains of the path with the least arithmetic that keeps a limit of bytes, and that; -1 for none.
func (c *chooser) path(ends [][]int, limit int64) (path []int, macs int64) {
	n := len(c.during)
	least, last := slices.Repeat([]int64{-1}, n+1), slices.Repeat([]int{-1}, n+1)
	least[0] = 0
	for k := range n {
		if c.during[k] <= limit {
			least[k+1] = least[k]
		}
		for _, i := range ends[k] {
			x := &c.all[i]
			if before := least[x.first]; x.load <= limit && before >= 0 &&
				(least[k+1] < 0 || before+x.macs < least[k+1]) {
				least[k+1], last[k+1] = before+x.macs, i
			}
		}
	}
	if least[n] < 0 {
		return nil, -1
	}
	for at := n; at > 0; {
		if i := last[at]; i >= 0 {
			path, at = append(path, i), c.all[i].first
		} else {
			at--
		}
	}
	slices.Reverse(path)
	return path, least[n]
}

// names returns the names that the file has.
func (s *splitter) names() map[string]bool {
	out := map[string]bool{}
	for _, name := range s.m.file.Names {
		out[name] = true
	}
	return out
}
