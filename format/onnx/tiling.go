package onnx

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: the nodes of a model are a program for package tiling: a node for each tick, and a value for each tensor of the
// arena. Which lines a node reads follows from its attributes and shapes (internal/ops/lines.go). A node outside of a
// chain needs what it needs in the arena's problem, with results over operands if the options say so.
//
// Models with control flow or functions are left out, as in Order.

// A Tiling is an estimate of what a runtime could reach that runs chains of nodes in strips of lines.
type Tiling struct {
	Peak   int64        // the most bytes in use at once
	Chains []TiledChain // in order, disjoint
	Proven bool         // no other choice of chains has a lower peak
}

// A TiledChain is successive nodes that run line by line, interleaved.
type TiledChain struct {
	First, Last Step   // nodes, both included
	Lines       string // what a line is: rows or columns
	Kept        int64  // bytes of the lines that are kept of the values between the nodes
	Whole       int64  // bytes of these values
}

// Tiling estimates how few bytes the arena could have in use if chains of nodes ran in strips. It is nil if they would
// lower nothing, or if the model has control flow or functions. The error is that of Arena.
func (m *Model) Tiling(o Options) (*Tiling, error) {
	if slices.ContainsFunc(m.file.Graph.Nodes, func(n graph.Node) bool { return m.nested(&n) }) {
		return nil, nil
	}
	if o.Alignment == 0 {
		o.Alignment = Alignment
	}
	a, err := m.Arena(o)
	if err != nil {
		return nil, err
	}
	w, err := walk(m.file, o)
	if err != nil {
		return nil, err
	}
	p := w.tiled()
	live := int64(0)
	change := make([]int64, len(p.Operators)+1)
	for i := range a.Problem.Buffers {
		b := &a.Problem.Buffers[i]
		change[b.Lower] += b.Size
		change[b.Upper] -= b.Size
	}
	step := make([]Step, len(p.Operators))
	for _, s := range a.Steps {
		step[s.Tick] = s
	}
	for at := range p.Operators {
		live += change[at]
		p.Operators[at].During = live
	}
	best := tiling.Best(p, 0)
	if len(best.Chains) == 0 {
		return nil, nil
	}
	t := &Tiling{Peak: best.Peak, Proven: best.Proven}
	for _, c := range best.Chains {
		t.Chains = append(t.Chains, TiledChain{step[c.First], step[c.Last], c.Axis.String(), c.Kept, c.Whole})
	}
	return t, nil
}

// tiled returns the nodes of a model without control flow for package tiling, one for each tick.
func (w *walker) tiled() *tiling.Program {
	p := &tiling.Program{Operators: make([]tiling.Operator, w.now), Alignment: w.o.Alignment}
	of := slices.Repeat([]int32{-1}, len(w.m.Names)) // the value of a name
	number := make([]int, len(w.values))             // in the program; -1 for none
	for i := range w.values {
		v := &w.values[i]
		of[v.name], number[i] = int32(i), -1
		if v.buffer() {
			number[i] = len(p.Values)
			p.Values = append(p.Values, imageOf(v, w.o.Alignment))
		}
	}
	for _, list := range [][]graph.ValueInfo{w.m.Graph.Inputs, w.m.Graph.Outputs} {
		for k := range list {
			if v := of[list[k].Name]; v >= 0 && number[v] >= 0 {
				p.Values[number[v]].Whole = true
			}
		}
	}
	for _, s := range w.ran {
		o := &p.Operators[s.tick]
		c := ops.Call{Node: s.node, Opset: w.opset(s.node.Domain), Scope: w, Budget: &w.budget}
		for _, name := range s.node.Out {
			if name == 0 {
				continue
			}
			c.Out = append(c.Out, shape.Result{Elem: w.values[of[name]].Elem, Dims: w.values[of[name]].Dims})
			if y := number[of[name]]; y >= 0 {
				o.Results = append(o.Results, y)
			}
		}
		for _, name := range s.node.In {
			if name == 0 {
				c.In = append(c.In, nil)
			} else {
				c.In = append(c.In, &w.values[of[name]].Operand)
			}
		}
		for k, name := range s.node.In {
			if name == 0 || number[of[name]] < 0 {
				continue
			}
			r := tiling.Read{Value: number[of[name]]}
			for axis := range tiling.Axes {
				lines, ok := c.Lines(k, int(axis))
				if !ok || !graph.Standard(s.node.Domain) {
					continue
				}
				for _, x := range lines {
					r.Spans[axis] = append(r.Spans[axis], tiling.Span(x))
				}
			}
			o.Reads = append(o.Reads, r)
		}
	}
	return p
}

// imageOf returns a value for package tiling, with lines if it is one image.
func imageOf(v *value, alignment int64) tiling.Value {
	out := tiling.Value{Size: bound.Up(v.Bytes(), alignment), First: int(v.first), Last: int(v.last)}
	if len(v.Dims) == 3 || len(v.Dims) == 4 {
		for axis := range tiling.Axes {
			if d := 2 + int(axis); v.Dims[0] == 1 && d < len(v.Dims) && v.Dims[d] > 0 {
				out.Extent[axis], out.Line[axis] = int(v.Dims[d]), (v.Bytes()+v.Dims[d]-1)/v.Dims[d]
			}
		}
	}
	return out
}
