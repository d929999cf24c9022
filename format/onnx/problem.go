package onnx

import (
	"strconv"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: the walk's facts become a problem. Each value that takes room and is neither stored nor constant becomes a
// buffer, in the order in which the values are made.

// An Arena is the problem of a model's tensors.
type Arena struct {
	// Problem has the buffers. Sizes and offsets are in bytes, multiples of the alignment.
	Problem *model.Problem
	// Tensors has the values of the model. A value in a function or a loop occurs once for each time that it is made.
	Tensors []Tensor
	// Steps has the nodes that run, in the order of their ticks.
	Steps []Step
	// Notes tell people what the reader decided, a sentence each.
	Notes []string
}

// A Tensor is a value of a model.
type Tensor struct {
	Name  string  // as in the file
	Type  Type    // type of its elements
	Shape []int64 // dimensions, -1 for unknown ones; nil if the rank is unknown
	// Bytes is the size in bytes, or an upper bound of it. It is 0 if the size is not known, as may be for constants.
	Bytes int64
	// Stored tensors are initialisers. Constant tensors are computed only from constants. Neither kind has a buffer.
	Stored, Constant bool
	// Buffer is the index of the tensor's buffer in the problem; -1 for none.
	Buffer int
	// Reads is how many nodes read the tensor, each once; the program that takes an output of the model is one more,
	// and a loop is one node.
	Reads int
}

// A Step is a node that runs.
type Step struct {
	Tick     int64  // time at which it runs, in the problem's logical time
	Operator string // operator, such as Conv
	Node     string // name, or number in its graph if it has none
}

// Arena returns the problem of the model's tensors. The error is a *model.InputError that names the nodes whose sizes
// cannot be derived; it is an *OpenError if inputs have open dimensions.
func (m *Model) Arena(o Options) (*Arena, error) {
	if o.Alignment == 0 {
		o.Alignment = Alignment
	}
	var issues model.Issues
	if o.Alignment < 0 || o.Alignment > shape.MaxElements {
		issues.Add(model.Issue{
			File: m.File, Field: "alignment", Value: strconv.FormatInt(o.Alignment, 10),
			Message: "must be from 1 to " + strconv.FormatInt(shape.MaxElements, 10),
		})
		return nil, issues.Err()
	}
	w, err := walk(m.file, o)
	if err != nil {
		return nil, err
	}
	a := &Arena{Problem: &model.Problem{}, Notes: w.notes, Tensors: make([]Tensor, len(w.values))}
	first := w.groups()
	ids := w.ids(first)
	total := int64(0)
	for i := range w.values {
		v := &w.values[i]
		t := &a.Tensors[i]
		*t = Tensor{
			Name: m.file.Names[v.name], Type: Type(v.Elem), Shape: v.Dims, Bytes: max(0, v.Bytes()),
			Stored: v.Stored != nil, Constant: v.Constant, Buffer: -1, Reads: v.reads,
		}
		if !v.buffer() {
			continue
		}
		if g := first[i]; g != int32(i) {
			t.Buffer = a.Tensors[g].Buffer
			b := &a.Problem.Buffers[t.Buffer]
			b.Upper = max(b.Upper, v.last+1)
			continue
		}
		t.Buffer = len(a.Problem.Buffers)
		b := model.Buffer{
			ID: ids[i], Lower: v.first, Upper: v.last + 1, Size: bound.Up(t.Bytes, o.Alignment), Alignment: o.Alignment,
		}
		if total += b.Size; total > model.MaxSum/8 {
			issues.Add(model.Issue{
				File: m.File, Buffer: b.ID, Value: strconv.FormatInt(t.Bytes, 10),
				Message: "the sum of the sizes is larger than can be planned",
			})
			return nil, issues.Err()
		}
		for _, g := range v.gaps {
			b.Gaps = append(b.Gaps, model.Gap{Lower: g.from, Upper: g.to})
		}
		model.SortGaps(b.Gaps)
		a.Problem.Buffers = append(a.Problem.Buffers, b)
	}
	for _, s := range w.ran {
		step := Step{Tick: s.tick, Operator: s.node.Operator(), Node: s.node.Name}
		if step.Node == "" || len(step.Node) > graph.LongName {
			step.Node = strconv.Itoa(s.at)
		}
		a.Steps = append(a.Steps, step)
	}
	if err := model.Validate(a.Problem); err != nil {
		return nil, err
	}
	return a, nil
}

// buffer reports whether a value takes room in the arena.
func (v *value) buffer() bool { return !v.Constant && v.Stored == nil && v.Bytes() > 0 }

// ids returns an ID for each value that begins a buffer: its name, with a number if that is taken or too long.
func (w *walker) ids(first []int32) []string {
	taken := make(map[string]bool, len(w.values))
	for i := range w.values {
		if first[i] == int32(i) && w.values[i].buffer() {
			taken[w.m.Names[w.values[i].name]] = true
		}
	}
	out := make([]string, len(w.values))
	had := make([]bool, len(w.m.Names))
	for i := range w.values {
		v := &w.values[i]
		if first[i] != int32(i) || !v.buffer() {
			continue
		}
		name := w.m.Names[v.name]
		if !had[v.name] && name != "" {
			had[v.name], out[i] = true, name
			continue
		}
		if len(name) > graph.LongName {
			name = name[:graph.LongName]
		}
		for out[i] = name + "#" + strconv.Itoa(i); taken[out[i]]; {
			out[i] += "'"
		}
		taken[out[i]] = true
	}
	return out
}
