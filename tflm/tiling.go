package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: a model is a program for package tiling: its operators at the ticks at which they run, its tensors as the
// arena has them. Which lines an operator reads follows from its shapes and options (distance.Lines). An operator
// outside of a chain needs what it needs in the plan.
//
// Only models of one subgraph are looked at: an operator that runs subgraphs has more than one moment.

// A Tiling is an estimate of what a runtime could reach that runs chains of operators in strips of lines.
type Tiling struct {
	Peak   int64        // the most bytes in use at once
	Chains []TiledChain // in order, disjoint
	Proven bool         // no other choice of chains has a lower peak
}

// A TiledChain is successive operators that run line by line, interleaved.
type TiledChain struct {
	First, Last int    // operators, as indices into the model's
	Lines       string // what a line is: rows or columns
	Kept        int64  // bytes of the lines that are kept of the values between the operators
	Whole       int64  // bytes of these values
}

// Tiling estimates how low the peak of a plan could be if chains of its operators ran in strips. It is nil if
// they would lower nothing, if the model has several subgraphs, or if the plan is kept. TensorFlow Lite Micro itself
// runs each operator whole.
func (p *Plan) Tiling() *Tiling {
	if p.Kept || p.Offsets == nil || len(p.Model.Subgraphs) != 1 {
		return nil
	}
	program, operator := p.program()
	best := tiling.Best(program, 0)
	if len(best.Chains) == 0 {
		return nil
	}
	t := &Tiling{Peak: best.Peak, Proven: best.Proven}
	for _, c := range best.Chains {
		t.Chains = append(t.Chains, TiledChain{operator[c.First], operator[c.Last], c.Axis.String(), c.Kept, c.Whole})
	}
	return t
}

// program returns the model for package tiling, with an operator for each time of the arena's problem, and which of the
// model's each is; -1 for none.
func (p *Plan) program() (*tiling.Program, []int) {
	m, a := p.Model, p.Arena
	taken := p.United
	if p.Occupied != nil {
		taken = p.Occupied
	}
	during := loads(taken)
	n := len(loads(a.Problem)) - 1 // the last is behind all
	out := &tiling.Program{Operators: make([]tiling.Operator, n), Alignment: tflite.Alignment}
	operator := slices.Repeat([]int{-1}, n)
	for at := range out.Operators {
		out.Operators[at].During = during[at]
	}
	value := slices.Repeat([]int{-1}, len(m.Tensors))
	for k, t := range a.Tensor {
		b := &a.Problem.Buffers[k]
		if t < 0 {
			out.Operators[b.Lower].Scratch += b.Size
			continue
		}
		value[t] = len(out.Values)
		out.Values = append(out.Values, imageOf(&m.Tensors[t], b.Size, int(b.Lower), int(b.Upper)-1))
	}
	s := &m.Subgraphs[0]
	writers := make([]int, len(m.Tensors))
	for k := range m.Operators {
		at := p.Life.Operators[k].First + 1
		operator[at] = k
		for _, t := range m.Operators[k].Outputs {
			writers[t]++
		}
		p.describeLines(&out.Operators[at], k, value)
	}
	for t, v := range value {
		if v >= 0 && (writers[t] != 1 || slices.Contains(s.Inputs, int32(t)) || slices.Contains(s.Outputs, int32(t))) {
			out.Values[v].Whole = true
		}
	}
	return out, operator
}

// imageOf returns a tensor as a value, with lines if it is one image.
func imageOf(t *tflite.Tensor, size int64, first, last int) tiling.Value {
	v := tiling.Value{Size: size, First: first, Last: last}
	if len(t.Shape) == 4 && t.Shape[0] == 1 {
		for a := range tiling.Axes {
			if n := t.Shape[1+a]; n > 0 {
				v.Extent[a], v.Line[a] = int(n), t.Bytes/int64(n)
			}
		}
	}
	return v
}

// stripOperands is the most operands of an operator in a strip. Each is checked beside all others, and a file may name one
// tensor thousands of times.
const stripOperands = 64

// describeLines says which lines an operator reads and makes; nothing if it has other tensors than those of the arena
// and constants, or very many.
func (p *Plan) describeLines(out *tiling.Operator, operator int, value []int) {
	m := p.Model
	o := &m.Operators[operator]
	if len(o.Inputs) > stripOperands {
		return
	}
	d, ok := described.Operator(m, o)
	if !ok || o.Custom != "" || len(o.Callees) > 0 {
		return
	}
	var reads []tiling.Read
	for place, t := range o.Inputs {
		switch {
		case t < 0 || m.Tensors[t].Constant:
			continue
		case value[t] < 0:
			return
		}
		r := tiling.Read{Value: value[t]}
		for a := range tiling.Axes {
			lines, ok := distance.Lines(d, place, 1+int(a))
			for _, x := range lines {
				r.Spans[a] = append(r.Spans[a], tiling.Span(x))
			}
			if !ok {
				r.Spans[a] = nil
			}
		}
		reads = append(reads, r)
	}
	var results []int
	for _, t := range o.Outputs {
		if value[t] < 0 {
			return
		}
		results = append(results, value[t])
	}
	out.Reads, out.Results = reads, results
}
