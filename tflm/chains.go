package tflm

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: a chain in strips changes the arena in three figures, which do not depend on other chains:
//
//	load   the most bytes in use while it runs: of its bodies (bandplan.go), and of all that lives on around it
//	tail   the bytes that the runtime keeps for its operators and tensors, more than for those of the chain as it is
//	macs   the multiply-accumulates of lines that are computed twice
//
// So each chain is split alone, as a sketch, and only its own operators are looked at (chainlook.go says which).
//
// Invariant: of two chains with the same operators, none is at least as bad in all three.
//
// Complexity: O(operators of the result) for each.
//
// Source: Stowage.

// A segment is a chain in strips, with its figures.
type segment struct {
	chain strips.Chain
	load  int64 // of windows, which is what a plan reaches if the windows fit
	least int64 // of bytes, which no plan is below
	tail  int64 // more than without strips
	macs  int64 // more than without strips
	// shared is the part of tail that a choice with another chain may not need: constants that both have, and what is
	// lost to alignment.
	shared int64
}

// ways are how lines that several strips read may come about, and with a loop of equal strips.
var ways = []strips.Chain{
	{}, {Crop: true}, {Ring: true}, {Loop: true}, {Crop: true, Loop: true}, {Ring: true, Loop: true},
}

// mostSplit is the most operators that a chain in strips may have.
const mostSplit = 600

// A splitting is a model whose chains are looked at.
type splitting struct {
	m       *tflite.Model
	set     Set
	kernels Kernels
	inPlace bool
	loops   bool // strips may run in loops
	scratch bool // the kernels of the set ask for scratch; if not, there is none
	target  *Target
	most    int64 // multiply-accumulates that may be added

	macs, tail    int64   // of the model as it is
	load, least   []int64 // by operator
	before, after []int64 // by operator: bytes that live until it begins, and from its end on
	permits       permitCache
}

// newSplitting returns a splitting with the figures of the model as it is.
func newSplitting(m *tflite.Model, o *Options, target *Target, scratch bool) (*splitting, error) {
	s := &splitting{
		m: m, set: o.Set, kernels: o.Kernels, inPlace: o.InPlace, scratch: scratch, target: target, macs: MACs(m), loops: true,
	}
	for i := range m.Tensors {
		s.permits.buffers = max(s.permits.buffers, m.Tensors[i].Buffer+1)
	}
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := m.Arena(l, s.scratchOf(m))
	if err != nil {
		return nil, err
	}
	s.tail = s.set.Predict(m, a, nil, 0, target).Tail
	r := rows(m, l, a, s.permitsOf(m, l, 0, len(m.Operators)))
	load, least := r.peaks()
	n := len(m.Operators)
	s.load, s.least, s.before, s.after = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for k := range n {
		t := int64(l.Operators[k].First) + 1
		s.load[k], s.least[k] = load[t], least[t]
		for i := range a.Problem.Buffers[:a.Scratch] {
			switch b := &a.Problem.Buffers[i]; {
			case b.Lower < t && t < b.Upper:
				s.before[k] += b.Size
				if t+1 < b.Upper {
					s.after[k] += b.Size
				}
			case b.Lower == t && t+1 < b.Upper:
				s.after[k] += b.Size
			}
		}
	}
	return s, nil
}

// scratchOf returns what the kernels ask for.
func (s *splitting) scratchOf(m *tflite.Model) []tflite.Scratch {
	if !s.scratch {
		return nil
	}
	return s.set.Scratch(m)
}

// permitsOf returns the permits of the operators [from, to) of a model.
func (s *splitting) permitsOf(m *tflite.Model, l *tflite.Lifetimes, from, to int) (out []permit) {
	switch {
	case s.kernels != "":
		for k := from; k < to; k++ {
			out = append(out, pairs(m, k, s.permits.of(m, &m.Operators[k], s.kernels))...)
		}
	case s.inPlace:
		out = inPlacePermits(m)
	}
	return out
}

// A permitCache keeps the permits of operators. Most strips of a chain have the same shapes.
type permitCache struct {
	known   sync.Map // by content
	buffers int      // of the model that is not in strips
}

// of returns the permits of an operator.
func (c *permitCache) of(m *tflite.Model, o *tflite.Operator, lib Kernels) []distance.Permit {
	if o.Custom != "" {
		return nil
	}
	key := contentOf(m, o, c.buffers)
	if found, ok := c.known.Load(key); ok {
		return found.([]distance.Permit)
	}
	var found []distance.Permit
	if d, ok := described.Operator(m, o); ok {
		found, _ = distance.Of(distance.Library(lib), d)
	}
	c.known.Store(key, found)
	return found
}

// A content is all that the permits of an operator depend on.
type content struct {
	code    tflite.Code
	options tflite.Options // if there are any
	tensors string
}

// contentOf returns the content of an operator. Constants in the first buffers are the same in all models that are
// asked about, so the number of the buffer stands for them.
func contentOf(m *tflite.Model, o *tflite.Operator, buffers int) content {
	out, key := content{code: o.Code}, make([]byte, 0, 64)
	if o.Options != nil {
		out.options, key = *o.Options, append(key, 'o')
	}
	for _, list := range [][]int32{o.Inputs, o.Outputs} {
		key = binary.AppendVarint(key, int64(len(list)))
		for _, t := range list {
			if t < 0 {
				key = append(key, 'n')
				continue
			}
			x := &m.Tensors[t]
			key = append(key, byte(x.Type))
			if x.Channels > 1 {
				key = append(key, 'c')
			}
			for _, d := range x.Shape {
				key = binary.AppendVarint(key, int64(d))
			}
			switch {
			case x.Constant && x.Buffer < buffers:
				key = binary.AppendVarint(append(key, 'b'), int64(x.Buffer))
			case x.Constant:
				key = append(key, 'k')
				for _, v := range m.Integers(int(t)) {
					key = binary.AppendVarint(key, v)
				}
			}
		}
	}
	out.tensors = string(key)
	return out
}

// sketch returns the model with chains in strips, without a plan, and the loops in it.
func sketch(s *strips.Splitter, chains []strips.Chain) (*tflite.Model, []strips.Loop, error) {
	split, err := s.Split(chains)
	if err != nil {
		return nil, nil, err
	}
	m := *split.Model
	m.Offline = nil
	return &m, split.Loops, nil
}

// An outcome says whether a chain can run in so many strips.
type outcome int

const (
	possible outcome = iota
	refused          // it cannot be split so, or gets too many operators
	costly           // it adds more multiply-accumulates than may be added
)

// segment returns the figures of a chain.
func (s *splitting) segment(splitter *strips.Splitter, c strips.Chain) (x segment, of outcome) {
	m, _, err := sketch(splitter, []strips.Chain{c})
	if err != nil {
		return x, refused
	}
	if len(m.Operators)-len(s.m.Operators)+c.Last+1-c.First > mostSplit {
		return x, refused
	}
	macs := MACs(m) - s.macs
	if macs > s.most {
		return x, costly
	}
	r, a, err := s.rowsOf(m, c, true)
	if err != nil {
		return x, refused
	}
	x = segment{chain: c, load: slices.Max(r.load), least: slices.Max(r.least), macs: macs}
	x.tail, x.shared = s.set.Predict(m, a, nil, 0, s.target).Tail-s.tail, 2*tflite.Alignment
	for t := range m.Tensors {
		if m.Tensors[t].Constant && m.Tensors[t].Buffer >= s.permits.buffers {
			x.shared += s.target.evalTensor
		}
	}
	return x, possible
}

// rowsOf returns the rows of a chain in strips at its own ticks, or only their loads, and the arena of the model with
// it.
func (s *splitting) rowsOf(m *tflite.Model, c strips.Chain, loads bool) (*rowBuilder, *tflite.Arena, error) {
	l, err := m.Lifetimes()
	if err != nil {
		return nil, nil, err
	}
	a, err := m.Arena(l, s.scratchOf(m))
	if err != nil {
		return nil, nil, err
	}
	end, main := s.behind(m, c), m.Subgraphs[0].OperatorCount
	from, to := int64(l.Operators[c.First].First)+1, int64(l.Operators[end-1].Last)+2
	permits := s.permitsOf(m, l, c.First, end)
	if main < len(m.Operators) && !s.inPlace { // of loops
		permits = append(permits, s.permitsOf(m, l, main, len(m.Operators))...)
	}
	return rowsWithin(m, l, a, permits, from, to, loads), a, nil
}

// behind returns the operator behind a chain, in a model that has it alone in strips.
func (s *splitting) behind(m *tflite.Model, c strips.Chain) int {
	return m.Subgraphs[0].OperatorCount - len(s.m.Operators) + c.Last + 1
}

// axesOf returns the axes along which the result of an operator may be cut: columns only of an image that is much wider
// than high, for strips of columns lie nowhere in one piece.
func (s *splitting) axesOf(operator int) (out []strips.Axis) {
	o := &s.m.Operators[operator]
	if len(o.Outputs) != 1 || len(s.m.Tensors[o.Outputs[0]].Shape) != 4 {
		return nil
	}
	shape := s.m.Tensors[o.Outputs[0]].Shape
	if shape[1] > 1 {
		out = append(out, tiling.Rows)
	}
	if shape[2] > 2*shape[1] {
		out = append(out, tiling.Columns)
	}
	return out
}

// number returns 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// thinned leaves out segments for which another one of the same operators is as good in all figures.
func thinned(all []segment) []segment {
	better := func(x, y *segment) bool {
		return x.load <= y.load && x.least <= y.least && x.tail <= y.tail && x.macs <= y.macs
	}
	by := map[[2]int][]*segment{} // by first and last operator
	for k := range all {
		key := [2]int{all[k].chain.First, all[k].chain.Last}
		by[key] = append(by[key], &all[k])
	}
	var out []segment
	for k := range all {
		x, seen := &all[k], false
		if !slices.ContainsFunc(by[[2]int{x.chain.First, x.chain.Last}], func(y *segment) bool {
			seen = seen || y == x
			return y != x && better(y, x) && (!seen || !better(x, y)) // of equal ones the first stays
		}) {
			out = append(out, *x)
		}
	}
	return out
}
