package graph

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/tiling"
	"github.com/stowage-go/stowage/model"
)

// Idea: a chain is successive operators that run interleaved. For each strip of its result, each operator is called for
// the lines that the strip needs. Lines that two strips need are computed twice: a halo. Values between the operators
// are never there as a whole. What is read from outside and what is made for outside lie as a whole:
//
//	image   ████████████████   its lines die strip by strip
//	between     ▐███▌          a block for each strip, of the lines that it needs
//	result  ███                its lines are born strip by strip
//
// A graph with chains becomes a graph of calls: a call is an operator of it, and a block between two calls is a value.
// That is lowered as any other graph. Lines that have died, or are not yet born, are gaps with windows. In these others
// may lie.
//
// A permit of two values between the operators of a chain is also one of their blocks: in a block that begins with line
// a, all bytes are a lines nearer to its start. So the distance changes by what the two blocks leave out. Permits for
// values that lie as a whole do not count in strips.
//
// Invariant: in each tick the windows hold all bytes that are in use. So no plan of these calls is below the largest sum
// of windows of a tick.
//
// Complexity: O(operators · strips + values) for a graph with a chain.
//
// Source: Stowage. The same chains are written into TFLite models by internal/strips.

// A chainIn is a chain of operators that may run in strips: successive places of the order, both included.
type chainIn struct{ first, last, strips int }

// A stripper knows a graph in an order.
type stripper struct {
	g       *Graph
	order   []int
	permits Permits
	maker   []int   // by value: the place that makes it, -1 for none
	readers [][]int // by value: the places that read it, each once, in order
	output  []bool  // by value
}

func newStripper(g *Graph, order []int, permits Permits) *stripper {
	n := len(g.Values)
	s := &stripper{
		g: g, order: order, permits: permits, maker: slices.Repeat([]int{-1}, n), readers: make([][]int, n),
		output: make([]bool, n),
	}
	for place, k := range order {
		o := &g.Operators[k]
		for _, y := range o.Results {
			s.maker[y] = place
		}
		for _, x := range o.Operands {
			if r := s.readers[x]; len(r) == 0 || r[len(r)-1] != place {
				s.readers[x] = append(r, place)
			}
		}
	}
	for _, v := range g.Outputs {
		s.output[v] = true
	}
	return s
}

// at returns the operator at a place.
func (s *stripper) at(place int) *Operator { return &s.g.Operators[s.order[place]] }

// inside reports whether a value is made and read between two places only.
func (s *stripper) inside(v, first, last int) bool {
	r := s.readers[v]
	return s.maker[v] >= first && s.maker[v] <= last && !s.output[v] && len(r) > 0 && r[len(r)-1] <= last
}

// result returns the one value that a chain makes for others; -1 if the operators are no chain.
func (s *stripper) result(first, last int) int {
	result := -1
	for place := first; place <= last; place++ {
		o := s.at(place)
		if len(o.Reads) == 0 {
			return -1
		}
		for _, b := range o.After {
			if slices.Contains(s.order[first:last+1], b) {
				return -1
			}
		}
		for _, x := range o.Operands {
			if s.inside(x, first, last) && o.read(x) == nil {
				return -1 // it is read as a whole
			}
		}
		for _, y := range o.Results {
			r := s.readers[y]
			switch v := &s.g.Values[y]; {
			case s.inside(y, first, last):
				if v.Fixed != nil || v.Size == 0 {
					return -1
				}
			case result >= 0 || len(r) == 0 && !s.output[y] || len(r) > 0 && r[0] <= last || v.Size == 0:
				return -1
			default:
				result = y
			}
		}
	}
	return result
}

// A Piece is lines of a value.
type Piece struct {
	Value      int   // as an index into Graph.Values
	First, End int   // lines
	Offset     int64 // where the first of them lies, in bytes
}

// A Call is an operator that is run for some lines of its results.
type Call struct {
	// Operator is the index of the operator in the graph. Strip is which strip of its chain the call belongs to, from 0.
	Operator, Strip int
	// Reads has the lines of each operand that has a Read. Operands without a Read are read whole. If a window lies in the
	// padding alone, no line is read, and the operand is left out.
	Reads []Piece
	// Makes are the lines of the results. A value between two operators of the chain lies elsewhere in each strip.
	Makes []Piece
	// Scratch is the offset of the operator's scratch in bytes; -1 if it has none.
	Scratch int64
}

// A Chain is successive operators of the order that run in strips.
type Chain struct {
	// First and Last are places in Plan.Order, both included.
	First, Last int
	// Strips is how many strips the result has.
	Strips int
	// Work is how much arithmetic is added, in the unit of Operator.Work: that of the lines that are computed once more.
	// Lines that are left out, since nobody reads them, do not count.
	Work int64
	// Calls are in the order in which they run.
	Calls []Call
}

// calls is a graph with chains in strips, as a graph whose operators are calls.
type calls struct {
	given   *Graph
	graph   *Graph
	taken   map[string]bool // names of values
	chains  []Chain         // without offsets
	first   []int           // by chain: its first call, as an operator of graph
	whole   []int           // by operator of the given graph: the one of graph; -1 in a chain
	blocks  []stripBlock
	windows []window
	low     *Lowering
}

// A stripBlock is a value of the graph of calls that holds what a call of a chain makes.
type stripBlock struct{ chain, call, makes, value int }

// A window is a part of a value that alone is in use, from the start of a call to the start of another one, or from end
// to end.
type window struct {
	value, from, to int
	ends            bool
	bytes           model.Window
}

// expand returns the graph with chains in strips, which are in order and share no operator.
func (s *stripper) expand(chains []chainIn) *calls {
	g := *s.g
	g.Values, g.Operators = slices.Clone(g.Values), nil
	x := &calls{given: s.g, graph: &g, taken: map[string]bool{}, whole: slices.Repeat([]int{-1}, len(s.order))}
	for i := range g.Values {
		x.taken[g.Values[i].Name] = true
	}
	next := 0
	for _, c := range append(slices.Clone(chains), chainIn{first: len(s.order)}) {
		for ; next < c.first; next++ {
			x.whole[s.order[next]] = len(g.Operators)
			o := *s.at(next)
			o.Permits = slices.DeleteFunc(slices.Clone(o.Permits), func(p Permit) bool { return !s.permits.count(p) })
			g.Operators = append(g.Operators, o)
		}
		if c.strips > 0 {
			b := chainBuilder{
				stripper: s, x: x, c: c, result: s.result(c.first, c.last), reading: make([]reading, len(s.g.Values)),
			}
			b.build()
			next = c.last + 1
		}
	}
	order := make([]int, len(g.Operators))
	for k := range order {
		order[k] = k
	}
	x.low = lower(&g, order, AllPermits)
	for _, w := range x.windows {
		from, to := x.low.Start[w.from], x.low.Start[w.to]
		if w.ends {
			from, to = x.low.End[w.from], x.low.End[w.to]
		}
		b := &x.low.Problem.Buffers[x.low.Value[w.value]]
		b.Gaps = append(b.Gaps, model.Gap{Lower: from, Upper: to, Window: &w.bytes})
	}
	for i := range x.low.Problem.Buffers {
		slices.SortFunc(x.low.Problem.Buffers[i].Gaps, func(a, b model.Gap) int { return cmp.Compare(a.Lower, b.Lower) })
	}
	return x
}

// A reading is what a chain reads of a value from outside.
type reading struct {
	whole bool
	call  []int // the calls that read lines
	first []int // by call: the first line
}

// A chainBuilder adds the calls of a chain.
type chainBuilder struct {
	*stripper
	x       *calls
	c       chainIn
	result  int
	chain   Chain
	called  []int // by operator of the chain: lines that are made
	reading []reading
	born    []int // by strip: the call that makes lines of the result
	have    []int // by value: its block in this strip
	at      []int // by value: the first line of the block
}

// cut returns the first line of a strip, of n lines.
func (c *chainIn) cut(n, strip int) int { return (n*strip + c.strips/2) / c.strips }

func (b *chainBuilder) build() {
	c, n := b.c, b.g.Values[b.result].Lines
	b.chain = Chain{First: c.first, Last: c.last, Strips: c.strips}
	b.x.first = append(b.x.first, len(b.x.graph.Operators))
	b.called = make([]int, c.last-c.first+1)
	b.have, b.at = make([]int, len(b.g.Values)), make([]int, len(b.g.Values))
	for v := range b.g.Values {
		if b.inside(v, c.first, c.last) {
			b.x.graph.Values[v].Size = 0 // it has blocks in its place
		}
	}
	for strip := range c.strips {
		made := b.needed(tiling.Lines{First: c.cut(n, strip), End: c.cut(n, strip+1)})
		for v := range b.have {
			b.have[v] = -1
		}
		for place := c.first; place <= c.last; place++ {
			if lines := made[place-c.first]; lines.First < lines.End {
				b.called[place-c.first] += lines.End - lines.First
				b.call(place, strip, lines)
			}
		}
	}
	for place, called := range b.called {
		k := b.order[c.first+place]
		lines := int64(b.g.Values[b.g.Operators[k].Results[0]].Lines)
		b.chain.Work += scaled(b.g.work(k), max(int64(called)-lines, 0), lines)
	}
	b.x.chains = append(b.x.chains, b.chain)
	for v := range b.reading {
		b.dying(v)
	}
	for strip, call := range b.born[:c.strips-1] {
		b.x.windows = append(b.x.windows, window{
			b.result, call, b.born[strip+1], false,
			model.Window{Upper: int64(c.cut(n, strip+1)) * b.g.Values[b.result].line()},
		})
	}
}

// scaled returns x·n/of, rounded down, which does not overflow if n/of is small.
func scaled(x, n, of int64) int64 { return x/of*n + x%of*n/of }

// needed returns the lines of the results of each operator that lines of the chain's result need.
func (b *chainBuilder) needed(own tiling.Lines) []tiling.Lines {
	made := make([]tiling.Lines, len(b.called))
	results := func(place int) []int { return b.stripper.at(place).Results }
	read := func(place int, lines tiling.Lines) (all []tiling.Need[int], _ error) {
		made[place-b.c.first] = lines
		o := b.stripper.at(place)
		for k := range o.Reads {
			r := &o.Reads[k]
			if first, end := r.lines(lines.First, lines.End, b.g.Values[r.Operand].Lines); first < end {
				all = append(all, tiling.Need[int]{Value: r.Operand, Lines: tiling.Lines{First: first, End: end}})
			}
		}
		return all, nil
	}
	_ = tiling.Halo(b.c.first, b.c.last, map[int]tiling.Lines{b.result: own}, results, read) // read has no errors
	return made
}

// call adds a call for lines of an operator's results.
func (b *chainBuilder) call(place, strip int, lines tiling.Lines) {
	o, now := b.stripper.at(place), len(b.x.graph.Operators)
	call := Call{Operator: b.order[place], Strip: strip, Scratch: -1}
	op := Operator{Name: o.Name, Scratch: o.Scratch, ScratchAlignment: o.ScratchAlignment}
	for i, v := range o.Operands {
		r := o.read(v)
		if r == nil || slices.Contains(o.Operands[:i], v) {
			if r == nil {
				op.Operands, b.reading[v].whole = append(op.Operands, v), true
			}
			continue
		}
		first, end := r.lines(lines.First, lines.End, b.g.Values[v].Lines)
		if first == end {
			continue
		}
		call.Reads = append(call.Reads, Piece{Value: v, First: first, End: end})
		if b.inside(v, b.c.first, b.c.last) {
			op.Operands = append(op.Operands, b.have[v])
			continue
		}
		op.Operands = append(op.Operands, v)
		b.reading[v].call, b.reading[v].first = append(b.reading[v].call, now), append(b.reading[v].first, first)
	}
	for i, y := range o.Results {
		call.Makes = append(call.Makes, Piece{Value: y, First: lines.First, End: lines.End})
		switch {
		case y != b.result:
			b.have[y], b.at[y] = b.block(y, i, lines), lines.First
			op.Results = append(op.Results, b.have[y])
			continue
		case strip == 0:
			op.Results = append(op.Results, y)
		default: // it is there already, and stays
			op.Operands = append(op.Operands, y)
		}
		b.born = append(b.born, now)
	}
	for _, p := range o.Permits {
		x, y := &b.g.Values[p.Operand], &b.g.Values[p.Result]
		if b.have[p.Operand] >= 0 && b.have[p.Result] >= 0 && b.permits.count(p) {
			p.Distance += int64(b.at[p.Operand])*x.line() - int64(b.at[p.Result])*y.line()
			p.Operand, p.Result = b.have[p.Operand], b.have[p.Result]
			op.Permits = append(op.Permits, p)
		}
	}
	b.x.graph.Operators, b.chain.Calls = append(b.x.graph.Operators, op), append(b.chain.Calls, call)
}

// block adds a value for lines of a value between two operators.
func (b *chainBuilder) block(v, makes int, lines tiling.Lines) int {
	g, x := b.x.graph, &b.g.Values[v]
	n := len(g.Values)
	b.x.blocks = append(b.x.blocks, stripBlock{len(b.x.chains), len(b.chain.Calls), makes, n})
	name := x.Name + "[" + strconv.Itoa(lines.First) + ":" + strconv.Itoa(lines.End) + "]"
	for id, twice := name, 2; b.x.taken[name]; twice++ {
		name = id + "." + strconv.Itoa(twice)
	}
	b.x.taken[name] = true
	g.Values = append(g.Values, Value{Name: name, Size: int64(lines.End-lines.First) * x.line(), Alignment: x.Alignment})
	return n
}

// dying adds the windows of a value from outside that dies in the chain: of lines that a later call reads.
func (b *chainBuilder) dying(v int) {
	r := &b.reading[v]
	if len(r.call) == 0 || r.whole || b.output[v] || !b.g.Values[v].planned() ||
		b.readers[v][len(b.readers[v])-1] > b.c.last {
		return
	}
	least := r.first[len(r.first)-1]
	for i := len(r.call) - 1; i > 0; i-- {
		if least = min(least, r.first[i]); least > 0 {
			b.x.windows = append(b.x.windows, window{
				v, r.call[i-1], r.call[i], true,
				model.Window{Lower: int64(least) * b.g.Values[v].line(), Upper: b.g.Values[v].Size},
			})
		}
	}
}

// alone returns the figures of one chain: the most bytes in use while it runs, and the work that it adds. Only the
// operators of the chain are followed; other values that are there all the time are added.
func (s *stripper) alone(c chainIn) (load, work int64) {
	g := &Graph{}
	at := make([]int, len(s.g.Values)) // 1 + its index in g
	add := func(list []int) (out []int) {
		for _, v := range list {
			if at[v] == 0 {
				g.Values = append(g.Values, s.g.Values[v])
				if at[v] = len(g.Values); s.maker[v] < c.first && !s.g.Values[v].Constant {
					g.Inputs = append(g.Inputs, at[v]-1)
				}
				if s.output[v] || len(s.readers[v]) > 0 && s.readers[v][len(s.readers[v])-1] > c.last {
					g.Outputs = append(g.Outputs, at[v]-1)
				}
			}
			out = append(out, at[v]-1)
		}
		return out
	}
	order := make([]int, c.last-c.first+1)
	for k := range order {
		order[k] = k
		o := *s.at(c.first + k)
		o.Operands, o.Results, o.After = add(o.Operands), add(o.Results), nil
		o.Reads, o.Permits = slices.Clone(o.Reads), slices.Clone(o.Permits)
		for i := range o.Reads {
			o.Reads[i].Operand = at[o.Reads[i].Operand] - 1
		}
		for i := range o.Permits {
			o.Permits[i].Operand, o.Permits[i].Result = at[o.Permits[i].Operand]-1, at[o.Permits[i].Result]-1
		}
		g.Operators = append(g.Operators, o)
	}
	for v := range at {
		r := s.readers[v]
		if x := &s.g.Values[v]; at[v] == 0 && x.planned() && s.maker[v] < c.first &&
			(s.output[v] || len(r) > 0 && r[len(r)-1] > c.last) {
			load += x.Size
		}
	}
	x := newStripper(g, order, s.permits).expand([]chainIn{{0, c.last - c.first, c.strips}})
	return load + slices.Max(x.low.loads()[x.low.Start[0]:]), x.chains[0].Work
}

// loads returns the bytes of the windows of each tick.
func (l *Lowering) loads() []int64 {
	end := int64(0)
	for i := range l.Problem.Buffers {
		end = max(end, l.Problem.Buffers[i].Upper)
	}
	change := make([]int64, end+1)
	add := func(from, to, bytes int64) {
		change[from] += bytes
		change[to] -= bytes
	}
	for i := range l.Problem.Buffers {
		b := &l.Problem.Buffers[i]
		add(b.Lower, b.Upper, b.Size)
		for _, g := range b.Gaps {
			if add(g.Lower, g.Upper, -b.Size); g.Window != nil {
				add(g.Lower, g.Upper, g.Window.Upper-g.Window.Lower)
			}
		}
	}
	for t := 1; t < len(change); t++ {
		change[t] += change[t-1]
	}
	return change[:end]
}

// place fills in the offsets of a plan of the calls.
func (x *calls) place(p *Plan, offsets []int64) {
	at := func(buffer int) int64 {
		if buffer < 0 {
			return -1
		}
		return offsets[buffer]
	}
	g := x.given
	p.Offsets, p.Scratch = make([]int64, len(g.Values)), make([]int64, len(g.Operators))
	for v := range p.Offsets {
		if p.Offsets[v] = at(x.low.Value[v]); g.Values[v].Size == 0 && !g.Values[v].Constant {
			p.Offsets[v] = 0
		}
	}
	for k, c := range x.whole {
		if p.Scratch[k] = -1; c >= 0 {
			p.Scratch[k] = at(x.low.Scratch[c])
		}
	}
	p.Chains = x.chains
	for _, b := range x.blocks {
		m := &p.Chains[b.chain].Calls[b.call].Makes[b.makes]
		m.Offset = at(x.low.Value[b.value])
	}
	for i := range p.Chains {
		made := map[int]Piece{} // by value: its block in this strip
		for n := range p.Chains[i].Calls {
			c := &p.Chains[i].Calls[n]
			c.Scratch = at(x.low.Scratch[x.first[i]+n])
			for k := range c.Reads {
				r := &c.Reads[k]
				from, block := made[r.Value]
				if !block {
					from = Piece{Offset: p.Offsets[r.Value]}
				}
				if r.Offset = -1; !g.Values[r.Value].Constant {
					r.Offset = from.Offset + int64(r.First-from.First)*g.Values[r.Value].line()
				}
			}
			for k := range c.Makes {
				if m := &c.Makes[k]; p.Offsets[m.Value] < 0 {
					made[m.Value] = *m
				} else {
					m.Offset = p.Offsets[m.Value] + int64(m.First)*g.Values[m.Value].line()
				}
			}
		}
	}
}

// LowerPlan is Lower for a plan: of its order, with its chains in strips. It also returns the offset of each buffer;
// nil if the plan has none. A block between two operators of a chain is a buffer whose name has its lines.
func LowerPlan(g *Graph, p *Plan, permits Permits) (*Lowering, []int64, error) {
	l, err := Lower(g, p.Order, permits)
	if err != nil || p.Offsets == nil {
		return l, nil, err
	}
	if p.Chains != nil {
		r, err := Verify(g, p)
		if err == nil && !r.OK() {
			err = errors.New("graph: the plan is faulty: " + r.Violations[0].Message)
		}
		if err != nil {
			return nil, nil, err
		}
		return newStripper(g, p.Order, permits).lowered(p)
	}
	offsets := make([]int64, len(l.Problem.Buffers))
	fill(l, p, offsets)
	return l, offsets, nil
}

// fill sets the offsets of what lies as a whole.
func fill(l *Lowering, p *Plan, offsets []int64) {
	for v, i := range l.Value {
		if i >= 0 {
			offsets[i] = p.Offsets[v]
		}
	}
	for k, i := range l.Scratch {
		if i >= 0 {
			offsets[i] = p.Scratch[k]
		}
	}
}

// lowered lowers a plan with chains.
func (s *stripper) lowered(p *Plan) (*Lowering, []int64, error) {
	var chains []chainIn
	for i := range p.Chains {
		c := &p.Chains[i]
		if result := s.result(c.First, c.Last); result < 0 || c.Strips < 1 || c.Strips > s.g.Values[result].Lines {
			return nil, nil, errors.New("graph: the plan has a chain that cannot run in strips")
		}
		chains = append(chains, chainIn{c.First, c.Last, c.Strips})
	}
	x := s.expand(chains)
	n := len(s.g.Operators)
	l := &Lowering{
		Problem: x.low.Problem, Value: x.low.Value[:len(s.g.Values)], Scratch: slices.Repeat([]int{-1}, n),
		Start: make([]int64, n), End: make([]int64, n),
	}
	for k, call := range x.whole {
		if call >= 0 {
			l.Scratch[k], l.Start[k], l.End[k] = x.low.Scratch[call], x.low.Start[call], x.low.End[call]
		}
	}
	offsets := make([]int64, len(l.Problem.Buffers))
	fill(l, p, offsets)
	for i := range x.chains {
		if len(x.chains[i].Calls) != len(p.Chains[i].Calls) {
			return nil, nil, errors.New("graph: the plan has other calls than its chains need")
		}
		for n := range x.chains[i].Calls {
			at := x.first[i] + n
			k := x.chains[i].Calls[n].Operator
			if !slices.EqualFunc(x.chains[i].Calls[n].Makes, p.Chains[i].Calls[n].Makes, func(a, b Piece) bool {
				return a.Value == b.Value && a.First == b.First && a.End == b.End
			}) {
				return nil, nil, errors.New("graph: the plan has other calls than its chains need")
			}
			if l.End[k] == 0 {
				l.Start[k] = x.low.Start[at]
			}
			if l.End[k] = x.low.End[at]; x.low.Scratch[at] >= 0 {
				offsets[x.low.Scratch[at]] = p.Chains[i].Calls[n].Scratch
			}
		}
	}
	for _, b := range x.blocks {
		if i := x.low.Value[b.value]; i >= 0 {
			offsets[i] = p.Chains[b.chain].Calls[b.call].Makes[b.makes].Offset
		}
	}
	return l, offsets, nil
}
