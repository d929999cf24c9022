// Package tiling says how few bytes a program's values need if chains of its operators run in strips.
//
// # What is counted
//
// A chain is some operators, one right after another, that run interleaved: each computes a line of its result as soon
// as the lines of its operands are there. Lines are rows or columns of an image, the same for a whole chain. An
// interior value is made in the chain and read nowhere else. A ring keeps only those of its lines that its readers
// still need. All other values stay whole. With [a, b] the operators of a chain,
//
//	cost(a, b) = bytes of all values in use in [a, b] that are not interior
//	           + sum over interior values of min(size, lines kept × bytes of a line)
//	           + the largest scratch of an operator in [a, b]
//	cost(k)    = bytes live while operator k runs by itself
//	peak       = max over chains and operators outside of chains of their cost
//
// No line is computed twice; the kept lines count. The price: each operator is called once for each line, and its
// weights are read as often.
//
//	conv 3×3 → conv 3×3 → pool 2×2, in strips of rows     whole   kept
//	operand of the first                                   ████   ████
//	between the convolutions, 3 rows at a time             ████   ▌
//	before the pool, 2 rows at a time                      ████   ▍
//	result of the pool                                     █      █
//
// # What it is worth
//
// The peak is what a runtime could reach that runs chains so. Runtimes that run operator by operator cannot.
//
// Sources: rings of rows between layers are from Alwani et al., "Fused-Layer CNN Accelerators" (MICRO 2016). Lin et
// al., "MCUNetV2: Memory-Efficient Patch-based Inference for Tiny Deep Learning" (NeurIPS 2021), run the first layers
// in patches, whose edges they compute several times. Huang and Baccelli, "msf-CNN" (NeurIPS 2025), choose chains as
// paths through a graph of all of them, as is done here.
package tiling

import (
	"math"
	"slices"
)

// An Axis says which lines a chain runs in.
type Axis int

// The axes.
const (
	Rows Axis = iota
	Columns
	Axes // how many there are
)

// String returns the word for the lines.
func (a Axis) String() string {
	if a == Columns {
		return "columns"
	}
	return "rows"
}

// A Program is operators in the order in which they run, with the values that they make and read.
type Program struct {
	Values    []Value
	Operators []Operator
	// Alignment: the bytes of lines that are kept are rounded up to a multiple of it. 0 means 1.
	Alignment int64
}

// A Value takes memory from one operator to another.
type Value struct {
	Size        int64       // in bytes
	First, Last int         // the operators between which it is in use, both included
	Whole       bool        // it is an input or an output, or more than one operator makes it
	Extent      [Axes]int   // rows and columns; 0 if it is no image
	Line        [Axes]int64 // bytes of a row, and of a column
}

// An Operator makes results of operands.
type Operator struct {
	During  int64  // bytes live while it runs by itself; 0: its values and its scratch
	Scratch int64  // bytes that it needs only while it runs
	Results []int  // values
	Reads   []Read // of values; other operands take no memory
}

// A Read is an operand, with the lines of it that each line of the results needs.
type Read struct {
	Value int
	// Spans has a span for each row, and for each column, of the results. It is nil if they cannot be computed line by
	// line so.
	Spans [Axes][]Span
}

// A Span is successive lines of an operand, both ends included. Last < First means none.
type Span struct{ First, Last int }

// A Chain is operators that run interleaved.
type Chain struct {
	First, Last int   // operators, both included
	Axis        Axis  // the lines that they run in
	Kept        int64 // bytes of the rings
	Whole       int64 // bytes of the values that the rings stand for
}

// A Result is what Best finds.
type Result struct {
	Given  int64   // the peak without chains
	Peak   int64   // the peak with them; never above Given
	Chains []Chain // in order, disjoint; none if they lower nothing
	Steps  int     // the effort: lines that were followed
	// Proven: no choice of chains has a lower peak. It is false if the limit came.
	Proven bool
}

// DefaultSteps limits the effort: well below 0.1 s.
const DefaultSteps = 1 << 18

// Best chooses the chains with the lowest peak. Of several choices it takes one with the fewest operators in chains.
// After steps it takes the best that it knows; 0 means DefaultSteps. The same program and limit give the same result.
//
// Idea: if a chain ends with operator b, only the peak of the operators before it matters. So the lowest peak of the
// operators up to b has the best last chain, or no chain at the end. A second pass of the same kind finds the fewest
// operators in chains that keep that peak:
//
//	best[b] = min over a of max(best[a - 1], cost(a, b)), or max(best[b - 1], cost(b))
//
// To follow a chain line by line (rings.go) takes much longer than to bound its cost: each ring has at least the
// largest span that is read of it. So both passes use bounds at first. Then the chains of the answer are followed, and
// the passes are repeated with their true costs, until the answer has only such chains. No answer is lower then,
// because bounds are not above costs. In a chain without forks the two are equal.
//
// Complexity: O(operators²) bounds. Each pass is as much, and follows one chain at least. Few programs need more than
// ten.
func Best(p *Program, steps int) Result {
	if steps == 0 {
		steps = DefaultSteps
	}
	s := newSearch(p, steps)
	r := Result{Given: max(0, slices.Max(append(s.during, 0)))}
	s.collect(r.Given)
	for {
		r.Peak = s.peak()
		last := s.fewest(r.Peak)
		sure := true
		for _, c := range last {
			sure = sure && c.sure
		}
		if sure {
			for _, c := range last {
				r.Chains = append(r.Chains, Chain{c.from, c.to, c.axis, c.cost - c.rest, c.inside})
			}
			break
		}
		for _, c := range last {
			s.follow(c)
		}
		if s.over {
			s.forget()
		}
	}
	r.Steps, r.Proven = s.steps, !s.over
	return r
}

// peak returns the lowest peak, with bounds for the chains that were not followed.
func (s *search) peak() int64 {
	best := make([]int64, len(s.during)+1)
	for b, during := range s.during {
		best[b+1] = max(best[b], during)
		for k := range s.ending[b] {
			c := &s.ending[b][k]
			best[b+1] = min(best[b+1], max(best[c.from], c.cost))
		}
		s.looked += len(s.ending[b])
	}
	return best[len(s.during)]
}

// fewest returns chains that keep a peak, with the fewest operators in them, in order.
func (s *search) fewest(peak int64) (out []*candidate) {
	n := len(s.during)
	const never = math.MaxInt
	count := slices.Repeat([]int{never}, n+1) // operators in chains
	last := make([]*candidate, n+1)           // the chain that ends there
	count[0] = 0
	for b, during := range s.during {
		if during <= peak {
			count[b+1] = count[b]
		}
		for k := range s.ending[b] {
			c := &s.ending[b][k]
			if before := count[c.from]; c.cost <= peak && before != never && before+b+1-c.from < count[b+1] {
				count[b+1], last[b+1] = before+b+1-c.from, c
			}
		}
	}
	for b := n; b > 0; b-- {
		if c := last[b]; c != nil {
			out = append(out, c)
			b = c.from + 1
		}
	}
	slices.Reverse(out)
	return out
}

// forget drops all chains that have not been followed.
func (s *search) forget() {
	for b := range s.ending {
		s.ending[b] = slices.DeleteFunc(s.ending[b], func(c candidate) bool { return !c.sure })
	}
}

// search has what Best knows of the program.
type search struct {
	p       *Program
	during  []int64       // by operator
	dying   [][]int       // by operator: the values in use for the last time
	maker   []int         // by value: the operator that makes it, or nobody, or several
	readers [][]reader    // by value
	lines   [Axes][]int   // by operator: lines of its results; 0 if it does not run line by line
	least   [Axes][]int64 // by value: the least bytes of its ring
	ending  [][]candidate // by operator: the chains that end there, in rows and then in columns, the shortest first
	steps   int
	most    int
	looked  int  // candidates that were looked at
	over    bool // the limit came

	// Scratch of follow, by operator and by value.
	done   []int
	ring   []int
	inside []bool // interior
}

// A reader is an operand of an operator.
type reader struct {
	operator int
	lowest   [Axes][]int // by line of the result: the lowest line that this or a later one reads; one more entry: all
}

func newSearch(p *Program, steps int) *search {
	n, values := len(p.Operators), len(p.Values)
	s := &search{
		p: p, during: make([]int64, n), dying: make([][]int, n), maker: slices.Repeat([]int{nobody}, values),
		readers: make([][]reader, values),
		ending:  make([][]candidate, n), most: steps, done: make([]int, n), ring: make([]int, values),
		inside: make([]bool, values),
	}
	for v := range p.Values {
		x := &p.Values[v]
		s.dying[x.Last] = append(s.dying[x.Last], v)
		for k := x.First; k <= x.Last; k++ {
			s.during[k] += x.Size
		}
	}
	for k := range p.Operators {
		o := &p.Operators[k]
		if s.during[k] += o.Scratch; o.During > 0 {
			s.during[k] = o.During
		}
		for _, y := range o.Results {
			if s.maker[y] == nobody {
				s.maker[y] = k
			} else {
				s.maker[y] = several
			}
		}
	}
	for a := range Axes {
		s.lines[a], s.least[a] = make([]int, n), make([]int64, values)
		for k := range p.Operators {
			s.lines[a][k] = s.linesOf(k, a)
		}
	}
	for k := range p.Operators {
		for _, r := range p.Operators[k].Reads {
			x := reader{operator: k}
			for a := range Axes {
				if s.lines[a][k] > 0 {
					var widest int
					x.lowest[a], widest = suffixes(r.Spans[a])
					s.least[a][r.Value] = max(s.least[a][r.Value], s.bytes(r.Value, a, widest))
				}
			}
			s.readers[r.Value] = append(s.readers[r.Value], x)
		}
	}
	return s
}

// perStep is how many candidates count as a step.
const perStep = 16

// Values of maker if a value has no single maker.
const (
	nobody  = -1
	several = -2
)

// linesOf returns in how many lines an operator can run; 0 if it cannot.
func (s *search) linesOf(k int, a Axis) int {
	p, o := s.p, &s.p.Operators[k]
	if len(o.Results) == 0 {
		return 0
	}
	n := p.Values[o.Results[0]].Extent[a]
	for _, y := range o.Results {
		if p.Values[y].Extent[a] != n || s.maker[y] == several {
			return 0
		}
	}
	for _, r := range o.Reads {
		if len(r.Spans[a]) != n {
			return 0
		}
	}
	return n
}

// none is a line after all others.
const none = math.MaxInt

// suffixes returns the lowest line that is read from each line on, and the most lines that one reads.
func suffixes(spans []Span) (lowest []int, widest int) {
	lowest = make([]int, len(spans)+1)
	lowest[len(spans)] = none
	for j := len(spans) - 1; j >= 0; j-- {
		lowest[j] = lowest[j+1]
		if x := spans[j]; x.First <= x.Last {
			lowest[j] = min(lowest[j], x.First)
			widest = max(widest, x.Last-x.First+1)
		}
	}
	return lowest, widest
}

// bytes returns the bytes of some lines of a value.
func (s *search) bytes(v int, a Axis, lines int) int64 {
	x := &s.p.Values[v]
	unit := max(s.p.Alignment, 1)
	return min(x.Size, (int64(lines)*x.Line[a]+unit-1)/unit*unit)
}

// A candidate is a chain, with its cost or a bound on it.
type candidate struct {
	from, to int
	axis     Axis
	cost     int64
	sure     bool  // cost is exact, not a bound
	rest     int64 // the cost without the rings
	inside   int64 // bytes of the interior values
}

// A growing is a chain that is made longer at its beginning.
type growing struct {
	from, to int
	axis     Axis
	outside  int64 // bytes of the values that are not interior
	inside   int64 // bytes of those that are
	rings    int64 // the least bytes of their rings
	scratch  int64
}

// collect lists the chains whose cost may be below a peak.
func (s *search) collect(peak int64) {
	for b := range s.during {
		for axis := range Axes {
			if s.lines[axis][b] == 0 {
				continue
			}
			c := growing{from: b, to: b, axis: axis}
			for v := range s.p.Values {
				if x := &s.p.Values[v]; x.First <= b && b <= x.Last {
					c.outside += x.Size
				}
			}
			s.extend(&c, b)
			for a := b - 1; a >= 0 && s.lines[axis][a] > 0 && c.rings < peak; a-- {
				c.from = a
				for _, v := range s.dying[a] {
					c.outside += s.p.Values[v].Size
				}
				s.extend(&c, a)
				if rest := c.outside + c.scratch; rest+c.rings < peak {
					s.ending[b] = append(s.ending[b],
						candidate{from: a, to: b, axis: axis, cost: rest + c.rings, rest: rest, inside: c.inside})
				}
				if s.looked++; s.looked/perStep > s.most {
					s.over = true
					return
				}
			}
		}
	}
}

// extend takes the results of the first operator of a chain into its interior.
func (s *search) extend(c *growing, a int) {
	o := &s.p.Operators[a]
	c.scratch = max(c.scratch, o.Scratch)
	for _, y := range o.Results {
		if x := &s.p.Values[y]; s.interior(y, c.from, c.to) {
			c.outside -= x.Size
			c.inside += x.Size
			c.rings += max(s.least[c.axis][y], s.bytes(y, c.axis, 1))
		}
	}
}

// interior reports whether a value is made in a chain and read nowhere else.
func (s *search) interior(v, from, to int) bool {
	x := &s.p.Values[v]
	return !x.Whole && s.maker[v] >= from && x.First == s.maker[v] && x.Last <= to
}
