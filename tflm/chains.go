package tflm

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
// So each chain is split alone, as a sketch, and only its own operators are looked at. Chains are left out if one of
// their ends, where the operand or the result is there as a whole, exceeds a load that is reached already.
//
// Invariant: of two chains with the same operators, none is at least as bad in all three.
//
// Complexity: O(operators²) chains, each with some numbers of strips; O(operators of the result) for each.
//
// Source: Stowage.

// A segment is a chain in strips, with its figures.
type segment struct {
	chain strips.Chain
	load  int64 // of windows, which is what a plan reaches if the windows fit
	least int64 // of bytes, which no plan is below
	tail  int64 // more than without strips
	macs  int64 // more than without strips
}

// stripCounts are the numbers of strips that are tried, fewCounts those of the first round.
var (
	stripCounts = []int{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56}
	fewCounts   = []int{2, 4, 8}
)

// ways are how lines that several strips read may come about; rings are tried in the last round alone.
var ways = []strips.Chain{{}, {Crop: true}, {Ring: true}}

// mostSplit is the most operators that a chain in strips may have.
const mostSplit = 600

// A splitting is a model whose chains are looked at.
type splitting struct {
	m       *tflite.Model
	set     Set
	kernels Kernels
	inPlace bool
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
		m: m, set: o.Set, kernels: o.Kernels, inPlace: o.InPlace, scratch: scratch, target: target, macs: MACs(m),
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
type permitCache struct{ known sync.Map } // by content of the operator

// of returns the permits of an operator.
func (c *permitCache) of(m *tflite.Model, o *tflite.Operator, lib Kernels) []distance.Permit {
	if o.Custom != "" {
		return nil
	}
	key := contentOf(m, o)
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

// contentOf returns all that the permits of an operator depend on.
func contentOf(m *tflite.Model, o *tflite.Operator) string {
	key := binary.AppendVarint(nil, int64(o.Code))
	if o.Options != nil {
		key, _ = binary.Append(key, binary.LittleEndian, *o.Options)
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
			if x.Constant {
				key = append(key, 'k')
				for _, v := range m.Integers(int(t)) {
					key = binary.AppendVarint(key, v)
				}
			}
		}
	}
	return string(key)
}

// sketch returns the model with chains in strips, and without a plan.
func sketch(s *strips.Splitter, chains []strips.Chain) (*tflite.Model, []strips.Origin, error) {
	split, err := s.Split(chains)
	if err != nil {
		return nil, nil, err
	}
	m := *split.Model
	m.Offline = nil
	return &m, split.Origins, nil
}

// segment returns the figures of a chain. ok is false if it cannot be split so, or is too large.
func (s *splitting) segment(splitter *strips.Splitter, c strips.Chain) (x segment, ok bool) {
	m, _, err := sketch(splitter, []strips.Chain{c})
	if err != nil {
		return x, false
	}
	n := len(m.Operators) - len(s.m.Operators) + c.Last + 1 - c.First
	if n > mostSplit {
		return x, false
	}
	l, err := m.Lifetimes()
	if err != nil {
		return x, false
	}
	a, err := m.Arena(l, s.scratchOf(m))
	if err != nil {
		return x, false
	}
	from, to := int64(l.Operators[c.First].First)+1, int64(l.Operators[c.First+n-1].First)+2
	r := rowsWithin(m, l, a, s.permitsOf(m, l, c.First, c.First+n), from, to)
	x = segment{chain: c, load: slices.Max(r.load), least: slices.Max(r.least)}
	x.tail = s.set.Predict(m, a, nil, 0, s.target).Tail - s.tail
	for k := c.First; k < c.First+n; k++ {
		x.macs += macsOf(m, &m.Operators[k])
	}
	for k := c.First; k <= c.Last; k++ {
		x.macs -= macsOf(s.m, &s.m.Operators[k])
	}
	return x, x.macs <= s.most
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

// segments returns the chains with a load below that of the same operators as they are, whose load and tail together
// are below most: no others are part of an arena that is smaller. Two runs have the same segments in the same order,
// however many processors they have.
func (s *splitting) segments(ctx context.Context, counts []int, rings bool, most int64,
	progress func(done, all int),
) []segment {
	found := make([][]segment, len(s.m.Operators))
	var next, done atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			splitter := strips.Of(s.m)
			for ctx.Err() == nil {
				first := int(next.Add(1)) - 1
				if first >= len(found) {
					return
				}
				found[first] = s.from(ctx, splitter, first, counts, rings, most)
				if n := int(done.Add(1)); progress != nil {
					progress(n, len(found))
				}
			}
		})
	}
	all.Wait()
	return slices.Concat(found...)
}

// from returns the segments that begin with an operator.
func (s *splitting) from(ctx context.Context, splitter *strips.Splitter, first int, counts []int, rings bool,
	most int64,
) (out []segment) {
	if s.before[first] >= most {
		return nil
	}
	for _, axis := range s.axesOf(first) {
		was := int64(0)
		for last := first; last < len(s.m.Operators) && ctx.Err() == nil; last++ {
			if splitter.Refused(last, last, axis) != nil {
				break
			}
			was = max(was, s.load[last])
			if s.after[last] >= most || !slices.Contains(s.axesOf(last), axis) || splitter.Refused(first, last, axis) != nil {
				continue
			}
			for _, way := range ways[:2+number(rings)] {
				c := way
				c.First, c.Last, c.Axis = first, last, axis
				out = append(out, s.counted(splitter, c, counts, was, most)...)
			}
		}
	}
	return thinned(out)
}

// number returns 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counted returns the segments of a chain in several numbers of strips, as long as more strips need less: those with a
// load below that of the operators as they are, and a load and a tail that are less than most.
func (s *splitting) counted(splitter *strips.Splitter, c strips.Chain, counts []int, was, most int64) (out []segment) {
	worse, ends := 0, max(s.before[c.First], s.after[c.Last])
	for _, c.Strips = range counts {
		x, ok := s.segment(splitter, c)
		if !ok || ends+x.tail >= most {
			break
		}
		if n := len(out); n > 0 && x.load >= out[n-1].load {
			if worse++; worse > 1 {
				break
			}
			continue
		}
		if worse = 0; x.load < was && x.load+x.tail < most {
			out = append(out, x)
		}
	}
	return out
}

// thinned leaves out segments for which another one of the same operators is as good in all figures.
func thinned(all []segment) []segment {
	better := func(x, y *segment) bool {
		return x.chain.First == y.chain.First && x.chain.Last == y.chain.Last && x.load <= y.load && x.least <= y.least &&
			x.tail <= y.tail && x.macs <= y.macs
	}
	var out []segment
	for k := range all {
		if !slices.ContainsFunc(all, func(x segment) bool { return better(&x, &all[k]) && !better(&all[k], &x) }) &&
			!slices.ContainsFunc(all[:k], func(x segment) bool { return better(&x, &all[k]) }) {
			out = append(out, all[k])
		}
	}
	return out
}
