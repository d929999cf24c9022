package onnx

import (
	"maps"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: a size can come from three sources. The first is the rule of a node. The second is the file, in its value_info
// and in the types of inputs and outputs. It fills in what a rule left open. If it contradicts a rule, that is noted,
// and the rule counts. The third is the user: dimensions by name, values of inputs, sizes. These fill in the rest.
//
// Invariant: a result of a rule is never overwritten.

// agree refuses a default value whose shape differs from the shape of its input.
func (w *walker) agree(in *graph.ValueInfo, d *shape.Result) {
	said := w.typed(in.Type, "")
	differs := said.Dims != nil && len(said.Dims) != len(d.Dims)
	for i := 0; !differs && i < len(said.Dims); i++ {
		differs = said.Dims[i] > 0 && said.Dims[i] != d.Dims[i] // some programs write 0 for an open dimension
	}
	if differs {
		w.fail("input "+w.Quote(in.Name), "has the shape "+shape.Text(said.Dims)+", and its default "+
			shape.Text(d.Dims))
	}
}

// give takes the value that the user gives to an input.
func (w *walker) give(r *shape.Result, name string) {
	if shape.Elements(r.Dims) != 1 || !r.Elem.Integer() {
		return
	}
	x, ok := w.o.Values[name]
	if !ok {
		if len(name) <= graph.LongName && len(w.deciding) < 4*graph.LongName {
			w.deciding += " --value " + shell(name+"=1")
		}
		return
	}
	if d := (&shape.Data{Ints: []int64{x}}); d.Fits(r.Elem) {
		r.Data, w.valued[name] = d, true
	}
}

// typed returns what the file's type of a value says. The name of an input lets Options.Dims name its axes.
func (w *walker) typed(t *graph.TypeInfo, input string) shape.Result {
	var r shape.Result
	if t == nil {
		return r
	}
	if r.Elem = t.Elem; t.Kind != shape.KindTensor {
		r.Kind = t.Kind
	}
	if t.Kind == shape.KindOptional && t.Of != nil && t.Of.Kind == shape.KindTensor && w.Spend(120) {
		r.Items, r.Counted = []shape.Result{w.typed(t.Of, "")}, true
	}
	if t.Ranked && w.Spend(8*len(t.Dims)) {
		r.Dims = make([]int64, len(t.Dims))
		for i := range t.Dims {
			r.Dims[i] = w.dimension(&t.Dims[i])
			if input != "" && t.Dims[i].Value < 0 {
				key := axisOf(input, i)
				if d, ok := w.o.Dims[key]; ok && (r.Dims[i] < 0 || r.Dims[i] == d) {
					w.dimmed[key] = true
					r.Dims[i] = d
				}
			}
		}
	}
	return r
}

// sizeNamed gives each dimension with a name its size: by that name, or by INPUT:AXIS of any input that has it. If the
// user gives it several sizes by INPUT:AXIS, each is for that axis alone.
func (w *walker) sizeNamed() {
	w.symbols = map[string]int64{}
	differ := map[string]bool{}
	for k := range w.m.Graph.Inputs {
		in := &w.m.Graph.Inputs[k]
		if in.Type == nil || w.lookup(in.Name) >= 0 {
			continue
		}
		for i := range in.Type.Dims {
			d := &in.Type.Dims[i]
			if v, ok := w.o.Dims[axisOf(w.m.Names[in.Name], i)]; ok && d.Value < 0 && d.Name != "" {
				old, had := w.symbols[d.Name]
				differ[d.Name] = differ[d.Name] || had && old != v
				w.symbols[d.Name] = v
			}
		}
	}
	for name := range differ {
		if differ[name] {
			delete(w.symbols, name)
		}
	}
	maps.Copy(w.symbols, w.o.Dims)
}

// axisOf names an axis of an input.
func axisOf(input string, axis int) string { return input + ":" + strconv.Itoa(axis) }

func (w *walker) dimension(d *graph.Dimension) int64 {
	if d.Value < 0 && d.Name != "" {
		if v, ok := w.symbols[d.Name]; ok {
			w.dimmed[d.Name] = true
			return v
		}
	}
	return d.Value
}

// declare adds the facts of the file and of the user to those of the node.
func (w *walker) declare(r *shape.Result, t *graph.TypeInfo, name int32) {
	w.declared(r, t, name)
	w.shaped(r, w.m.Names[name])
}

// declared adds the facts of the file to those of the node. If the two differ, the node counts, since the node is what
// runs.
func (w *walker) declared(r *shape.Result, t *graph.TypeInfo, name int32) {
	if t == nil || t.Kind == shape.KindNone {
		return
	}
	d := w.typed(t, "")
	if r.Kind == shape.KindNone {
		r.Kind = d.Kind
	}
	if r.Elem == 0 {
		r.Elem = d.Elem
	}
	if d.Elem != 0 && r.Elem != d.Elem && d.Kind == shape.KindNone && r.Kind == shape.KindNone {
		w.note("value " + w.Quote(name) + " is of " + r.Elem.String() + " by its node; the file says " +
			d.Elem.String())
	}
	if d.Dims == nil {
		return
	}
	if r.Dims == nil {
		r.Dims = d.Dims
		return
	}
	differs := len(r.Dims) != len(d.Dims)
	cloned := false
	for i := 0; !differs && i < len(d.Dims); i++ {
		switch {
		case d.Dims[i] < 0 || d.Dims[i] == r.Dims[i]:
		case r.Dims[i] < 0:
			if !cloned {
				r.Dims, cloned = slices.Clone(r.Dims), true
			}
			r.Dims[i] = d.Dims[i]
		default:
			differs = true
		}
	}
	if differs {
		w.note("value " + w.Quote(name) + " has the shape " + shape.Text(r.Dims) + " by its node; the file says " +
			shape.Text(d.Dims))
	}
}

// size sets the size that the user gives to a value without one.
func (w *walker) size(v int32) {
	name := w.m.Names[w.values[v].name]
	if n, ok := w.o.Sizes[name]; ok && w.values[v].Bytes() < 0 {
		w.values[v].Most = n
		w.sized[name] = true
	}
}
