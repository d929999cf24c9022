// Package chain runs whole models through a kernel library, planned with overlaps against unplanned.
//
// The operators, shapes and their order are a model's own; weights and scales are random, so that no part of the
// interpreter is needed. In one arena all tensors are apart; the other has the plan.
package chain

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// A Chain is a model of one input and one result.
type Chain struct {
	model   *tflite.Model
	steps   []step
	in, out int32 // tensors
}

// A step is an operator. Its call is nil if it only copies.
type step struct {
	call              *kernelcase.Case
	x, second, result int32 // tensors; second is -1 if there is none in the arena
}

// Read returns a model as a chain, or says which operator the drivers do not have.
func Read(m *tflite.Model) (*Chain, error) {
	if len(m.Subgraphs) != 1 || len(m.Subgraphs[0].Inputs) != 1 || len(m.Subgraphs[0].Outputs) != 1 {
		return nil, fmt.Errorf("the model has other than one input and one result")
	}
	c := &Chain{model: m, in: m.Subgraphs[0].Inputs[0], out: m.Subgraphs[0].Outputs[0]}
	for k := range m.Operators {
		s, err := stepOf(m, &m.Operators[k])
		if err != nil {
			return nil, fmt.Errorf("operator %d, %s: %w", k, m.Operators[k].Name(), err)
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

func stepOf(m *tflite.Model, o *tflite.Operator) (step, error) {
	s := step{x: o.Inputs[0], second: -1, result: o.Outputs[0]}
	x, y := &m.Tensors[s.x], &m.Tensors[s.result]
	four := func(t *tflite.Tensor) (out [4]int) {
		for i := range out {
			out[i] = 1
		}
		for i, d := range t.Shape {
			out[4-len(t.Shape)+i] = int(d)
		}
		return out
	}
	if len(x.Shape) > 4 || len(y.Shape) > 4 {
		return s, fmt.Errorf("a tensor has more than four dimensions")
	}
	c := &kernelcase.Case{
		Kind: o.Name(), Type: x.Type.String(), Other: x.Type.String(), Image: four(x), Out: four(y)[3],
		Filter: [2]int{1, 1}, Stride: [2]int{1, 1}, Dilate: [2]int{1, 1}, Mult: 1,
	}
	if x := o.Options; x != nil {
		c.Same = x.Same
		if x.StrideH > 0 {
			c.Stride = [2]int{int(x.StrideH), int(x.StrideW)}
		}
		if x.DilationH > 0 {
			c.Dilate = [2]int{int(x.DilationH), int(x.DilationW)}
		}
		if x.FilterH > 0 {
			c.Filter = [2]int{int(x.FilterH), int(x.FilterW)}
		}
	}
	switch c.Kind {
	case "RESHAPE", "SQUEEZE":
		return s, nil
	case "CONV_2D", "DEPTHWISE_CONV_2D":
		f := four(&m.Tensors[o.Inputs[1]])
		c.Filter, c.Other = [2]int{f[1], f[2]}, m.Tensors[o.Inputs[1]].Type.String()
		if c.Mult = c.Image[3] / f[3]; c.Kind == "DEPTHWISE_CONV_2D" {
			c.Mult = c.Out / c.Image[3]
		}
	case "FULLY_CONNECTED":
		c.Image = [4]int{1, 1, 1, int(x.Bytes)}
		c.Other, c.Extra = m.Tensors[o.Inputs[1]].Type.String(), []int{2, 0}
		if y.Bytes != int64(c.Out) || len(y.Shape) != 2 {
			return s, fmt.Errorf("its result has shape %v", y.Shape)
		}
	case "ADD", "MUL":
		s.second, c.Extra = o.Inputs[1], []int{0}
		if !slices.Equal(m.Tensors[s.second].Shape, x.Shape) || m.Tensors[s.second].Constant {
			return s, fmt.Errorf("its operands are not of one shape")
		}
		c.Image = [4]int{1, 1, 1, int(x.Bytes)}
		c.Out = c.Image[3]
	case "SOFTMAX", "MAX_POOL_2D", "AVERAGE_POOL_2D":
	default:
		return s, fmt.Errorf("the drivers do not have it")
	}
	s.call = c
	if a, b := c.Bytes(); int64(a) != x.Bytes || int64(b) != y.Bytes || x.Type.String() != "INT8" {
		return s, fmt.Errorf("it has %d to %d bytes of %s, the driver %d to %d", x.Bytes, y.Bytes, x.Type, a, b)
	}
	return s, nil
}

// A Placed is an arena of a chain: the offset of each tensor, and the bytes of all.
type Placed struct {
	at    map[int32]int64
	Bytes int64
	// Overlaps is the number of results that lie over an operand.
	Overlaps int
}

// tensors returns the tensors of the arena, in the order in which they are made.
func (c *Chain) tensors() []int32 {
	all := []int32{c.in}
	for _, s := range c.steps {
		all = append(all, s.result)
	}
	return all
}

// Apart gives every tensor a place of its own.
func (c *Chain) Apart() Placed {
	p := Placed{at: map[int32]int64{}}
	for _, t := range c.tensors() {
		p.at[t] = p.Bytes
		p.Bytes += (c.model.Tensors[t].Bytes + 31) / 16 * 16
	}
	return p
}

// Plan plans the arena with the overlaps that a library permits. nearer makes each distance too short by so many
// bytes. With an empty library nothing overlaps.
func (c *Chain) Plan(ctx context.Context, l distance.Library, nearer int64) (Placed, error) {
	all := c.tensors()
	g := &graph.Graph{Inputs: []int{0}, Outputs: []int{slices.Index(all, c.out)}}
	for _, t := range all {
		g.Values = append(g.Values, graph.Value{Name: fmt.Sprint(t), Size: c.model.Tensors[t].Bytes, Alignment: 16})
	}
	for k, s := range c.steps {
		o := graph.Operator{
			Name: fmt.Sprint(k), Operands: []int{slices.Index(all, s.x)}, Results: []int{slices.Index(all, s.result)},
		}
		if s.second >= 0 {
			o.Operands = append(o.Operands, slices.Index(all, s.second))
		}
		switch {
		case l == "":
		case s.call == nil:
			o.Permits = append(o.Permits, graph.Permit{Result: o.Results[0], Operand: o.Operands[0], Exactly: true})
		default:
			found, _ := distance.Of(l, s.call.Operator())
			for _, p := range found {
				o.Permits = append(o.Permits,
					graph.Permit{Result: o.Results[0], Operand: o.Operands[p.Operand], Distance: p.Distance - nearer})
			}
		}
		g.Operators = append(g.Operators, o)
	}
	made, err := graph.Make(ctx, g, graph.Options{Solve: stowage.Solve})
	if err != nil {
		return Placed{}, err
	}
	if made.Offsets == nil {
		return Placed{}, fmt.Errorf("no plan: %s", made.Status)
	}
	p := Placed{at: map[int32]int64{}, Bytes: made.Height, Overlaps: len(made.Overlaps)}
	for i, t := range all {
		p.at[t] = made.Offsets[i]
	}
	return p, nil
}

// Run runs the chain with the tensors apart and as placed, on some sets of inputs. For each set it returns the first
// operator whose result differs, or -1.
func (c *Chain) Run(ctx context.Context, program *harness.Program, p Placed, sets int) ([]int, error) {
	apart := c.Apart()
	r := harness.Model{
		Input: int(c.model.Tensors[c.in].Bytes), From: [2]int64{apart.at[c.in], p.at[c.in]},
	}
	for _, s := range c.steps {
		call := harness.Call{Case: s.call, Bytes: int(c.model.Tensors[s.result].Bytes)}
		for i, placed := range []Placed{apart, p} {
			call.Offsets[i] = [3]int64{placed.at[s.x], -1, placed.at[s.result]}
			if s.second >= 0 {
				call.Offsets[i][1] = placed.at[s.second]
			}
		}
		r.Calls = append(r.Calls, call)
	}
	return program.RunModel(ctx, r, sets)
}
