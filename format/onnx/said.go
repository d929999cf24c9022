package onnx

import (
	"slices"
	"strconv"
)

// Idea: beside what follows from a node there is what the file says of a value, in its
// value_info and in the types of inputs and outputs, and what the user says: dimensions
// by their names, values of inputs, sizes. The file fills in what a rule left open, and is
// noted, but not believed, where it says otherwise. The user fills in what is open then.
//
// Invariant: what follows from a node is never overwritten.

// agree refuses a default that is not of the shape of its input.
func (w *walker) agree(in *valueInfo, d *result) {
	said := w.typed(in.typ, "")
	differs := said.dims != nil && len(said.dims) != len(d.dims)
	for i := 0; !differs && i < len(said.dims); i++ {
		differs = said.dims[i] > 0 && said.dims[i] != d.dims[i] // some write 0 for what is open
	}
	if differs {
		w.fail("input "+w.quote(in.name), "has the shape "+shapeText(said.dims)+", and its default "+shapeText(d.dims))
	}
}

// give takes the value that the user gives to an input.
func (w *walker) give(r *result, name string) {
	if elements(r.dims) != 1 || !r.elem.integer() {
		return
	}
	x, ok := w.o.Values[name]
	if !ok {
		if len(name) <= longName && len(w.deciding) < 4*longName {
			w.deciding += " --value " + shell(name+"=1")
		}
		return
	}
	if d := (&data{ints: []int64{x}}); d.fits(r.elem) {
		r.data, w.valued[name] = d, true
	}
}

// typed returns what the file's type of a value says. The name of an input lets
// Options.Dims name its axes.
func (w *walker) typed(t *typeInfo, input string) result {
	var r result
	if t == nil {
		return r
	}
	if r.elem = t.elem; t.kind != kindTensor {
		r.kind = t.kind
	}
	if t.kind == kindOptional && t.of != nil && t.of.kind == kindTensor && w.spend(120) {
		r.items, r.counted = []result{w.typed(t.of, "")}, true
	}
	if t.ranked && w.spend(8*len(t.dims)) {
		r.dims = make([]int64, len(t.dims))
		for i := range t.dims {
			r.dims[i] = w.dimension(&t.dims[i])
			if r.dims[i] < 0 && input != "" {
				key := input + ":" + strconv.Itoa(i)
				if d, ok := w.o.Dims[key]; ok {
					w.dimmed[key] = true
					r.dims[i] = d
				}
			}
		}
	}
	return r
}

func (w *walker) dimension(d *dimension) int64 {
	if d.value < 0 && d.name != "" {
		if v, ok := w.o.Dims[d.name]; ok {
			w.dimmed[d.name] = true
			return v
		}
	}
	return d.value
}

// declare adds what the file says of a value to what follows from its node. Where
// the two differ the node counts, since that is what runs.
func (w *walker) declare(r *result, t *typeInfo, name int32) {
	if t == nil || t.kind == kindNone {
		return
	}
	d := w.typed(t, "")
	if r.kind == kindNone {
		r.kind = d.kind
	}
	if r.elem == 0 {
		r.elem = d.elem
	}
	if d.elem != 0 && r.elem != d.elem && d.kind == kindNone && r.kind == kindNone {
		w.note("value " + w.quote(name) + " is of " + r.elem.String() + " by its node; the file says " + d.elem.String())
	}
	if d.dims == nil {
		return
	}
	if r.dims == nil {
		r.dims = d.dims
		return
	}
	differs := len(r.dims) != len(d.dims)
	cloned := false
	for i := 0; !differs && i < len(d.dims); i++ {
		switch {
		case d.dims[i] < 0 || d.dims[i] == r.dims[i]:
		case r.dims[i] < 0:
			if !cloned {
				r.dims, cloned = slices.Clone(r.dims), true
			}
			r.dims[i] = d.dims[i]
		default:
			differs = true
		}
	}
	if differs {
		w.note("value " + w.quote(name) + " has the shape " + shapeText(r.dims) + " by its node; the file says " + shapeText(d.dims))
	}
}

// size takes the size that the user gives to a value that has none.
func (w *walker) size(v int32) {
	name := w.m.names[w.values[v].name]
	if n, ok := w.o.Sizes[name]; ok && w.values[v].bytes() < 0 {
		w.values[v].most = n
		w.sized[name] = true
	}
}
