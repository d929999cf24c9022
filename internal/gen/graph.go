package gen

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a network is a list of steps in execution order, each of which reads tensors and writes one. A tensor is live
// from the step that writes it to the last that reads it, both included, so the lifespan is [writer, last reader + 1).
// Inputs are written before the first step and results are read after the last. Weights are constants and take no part.
//
// Each step of a network that can be trained is also recorded on the tape, from which train.go makes the steps that
// compute gradients.

// granule is the multiple of bytes to which tensor sizes are rounded up: a cache line, as in accelerator runtimes and
// TFLite's arena.
const granule = 64

// tensorID indexes graph.tensors.
type tensorID int

// tensor is a value of the graph: a channel-last image, or any other shape folded into it.
type tensor struct {
	name    string
	h, w, c int64
	lower   int64
	upper   int64
	uses    []int64 // the steps that write or read it, ascending
}

// graph is a network in execution order.
type graph struct {
	name    string
	element int64 // bytes per element
	tensors []tensor
	step    int64 // how many steps there are
	names   map[string]int
	tape    []record
	steps   []step
}

// step is an operator that writes a tensor.
type step struct {
	name   string
	out    tensorID
	inputs []tensorID
}

func newGraph(name string, element int64) *graph {
	return &graph{name: name, element: element, names: map[string]int{}}
}

// input adds a tensor that is there from the start.
func (g *graph) input(name string, h, w, c int64) tensorID {
	g.tensors = append(g.tensors, tensor{g.unique(name), h, w, c, g.step, g.step + 1, []int64{g.step}})
	return tensorID(len(g.tensors) - 1)
}

// op adds a step that reads inputs and writes a tensor of the given shape.
func (g *graph) op(name string, h, w, c int64, inputs ...tensorID) tensorID {
	g.use(inputs)
	out := g.input(name, h, w, c)
	g.steps = append(g.steps, step{name, out, slices.Clone(inputs)})
	g.step++
	return out
}

// read adds a step that only reads, such as an update of weights in place.
func (g *graph) read(inputs ...tensorID) {
	g.use(inputs)
	g.step++
}

// use notes that the next step reads tensors.
func (g *graph) use(inputs []tensorID) {
	for _, in := range inputs {
		t := &g.tensors[in]
		t.upper, t.uses = g.step+1, append(t.uses, g.step)
	}
}

// unique returns the name itself the first time, and then the name with a number.
func (g *graph) unique(name string) string {
	g.names[name]++
	if n := g.names[name]; n > 1 {
		return name + "_" + strconv.Itoa(n)
	}
	return name
}

// shape returns the shape of a tensor.
func (g *graph) shape(t tensorID) (h, w, c int64) {
	x := g.tensors[t]
	return x.h, x.w, x.c
}

// conv adds a convolution with the padding that keeps ceil(size / stride).
func (g *graph) conv(name string, in tensorID, channels, stride int64) tensorID {
	h, w, _ := g.shape(in)
	return g.op(name, ceilDiv(h, stride), ceilDiv(w, stride), channels, in)
}

// same adds a step whose result has the shape of its first input.
func (g *graph) same(name string, inputs ...tensorID) tensorID {
	h, w, c := g.shape(inputs[0])
	return g.op(name, h, w, c, inputs...)
}

// concat adds a step that joins the channels of its inputs.
func (g *graph) concat(name string, inputs ...tensorID) tensorID {
	h, w, _ := g.shape(inputs[0])
	var channels int64
	for _, in := range inputs {
		_, _, c := g.shape(in)
		channels += c
	}
	return g.op(name, h, w, channels, inputs...)
}

// problem returns the tensors as buffers; results live to the end.
func (g *graph) problem(results ...tensorID) *model.Problem {
	for _, t := range results {
		g.tensors[t].upper = g.step
	}
	p := &model.Problem{Name: g.name, Buffers: make([]model.Buffer, len(g.tensors))}
	for i, t := range g.tensors {
		p.Buffers[i] = model.Buffer{
			ID: t.name, Lower: t.lower, Upper: t.upper,
			Size: ceilDiv(t.h*t.w*t.c*g.element, granule) * granule,
		}
	}
	return p
}

func ceilDiv(x, y int64) int64 { return (x + y - 1) / y }
