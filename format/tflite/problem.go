package tflite

import (
	"strconv"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: the buffers of the problem are the tensors of the arena in the runtime's order, then the scratch buffers in the
// order in which its kernels request them. The order matters because planners break ties by it, as the runtime's does.
//
// Times are half-open and shifted by one: the runtime gives untouched tensors room at the time -1, which is 0 here.

// A Scratch is memory that a kernel requests in addition to its tensors, for as long
// as its operator runs. The requests depend on the target and are not in the file.
type Scratch struct {
	Operator int   // index into Model.Operators
	Bytes    int64 // size as requested, not rounded
}

// An Arena is the problem of a model's arena.
type Arena struct {
	Problem *model.Problem // buffers: first the tensors of the arena, then scratch
	// Tensor has, for each buffer, its index in Model.Tensors; -1 for scratch.
	Tensor []int
	// Scratch is the index in Problem.Buffers of the first scratch buffer.
	Scratch int
	// Operators has, for each scratch buffer, the operator that requests it, as an index into Model.Operators.
	Operators []int
	// Empty has the operators of requests of 0 bytes, which are no buffers. The runtime keeps records of them.
	Empty []int
}

// Arena returns the problem that the runtime plans. Sizes and offsets are in bytes,
// multiples of Alignment. The error is a *model.InputError.
func (m *Model) Arena(l *Lifetimes, scratch []Scratch) (*Arena, error) {
	n := len(scratch)
	for i := range m.Tensors {
		if m.Tensors[i].Arena() {
			n++
		}
	}
	a := &Arena{Problem: &model.Problem{Buffers: make([]model.Buffer, 0, n)}, Tensor: make([]int, 0, n)}
	names := m.names()
	add := func(id string, bytes int64, span Lifespan, tensor int) {
		a.Problem.Buffers = append(a.Problem.Buffers, model.Buffer{
			ID: id, Lower: int64(span.First) + 1, Upper: int64(span.Last) + 2, Size: RoundUp(bytes), Alignment: Alignment,
		})
		a.Tensor = append(a.Tensor, tensor)
	}
	for i := range m.Tensors {
		if t := &m.Tensors[i]; t.Arena() {
			add(names[i], t.Bytes, l.Tensors[i], i)
		}
	}
	a.Scratch = len(a.Tensor)
	var issues model.Issues
	for k, s := range scratch {
		switch {
		case s.Operator < 0 || s.Operator >= len(m.Operators):
			issues.Add(model.Issue{
				File: m.File, Field: "scratch", Value: strconv.Itoa(s.Operator),
				Message: "there is no such operator: the model has " + strconv.Itoa(len(m.Operators)),
			})
		case s.Bytes < 0 || s.Bytes > source.MaxBinary:
			issues.Add(model.Issue{
				File: m.File, Field: "scratch", Value: strconv.FormatInt(s.Bytes, 10),
				Message: "must be from 0 to " + strconv.Itoa(source.MaxBinary),
			})
		case s.Bytes == 0:
			a.Empty = append(a.Empty, s.Operator)
		default:
			o := &m.Operators[s.Operator]
			a.Operators = append(a.Operators, s.Operator)
			add("scratch "+strconv.Itoa(k)+" of "+o.Name()+" "+strconv.Itoa(s.Operator), s.Bytes, l.Operators[s.Operator], -1)
		}
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	if err := model.Validate(a.Problem); err != nil {
		return nil, err
	}
	return a, nil
}

// RoundUp rounds a size in bytes up to a multiple of Alignment.
func RoundUp(bytes int64) int64 { return (bytes + Alignment - 1) / Alignment * Alignment }

// Label returns a tensor's name for messages: its name in the model, or its number if the name is empty or long.
func (m *Model) Label(tensor int) string {
	const most = 60
	name := m.Tensors[tensor].Name
	if name == "" || len(name) > most {
		return "tensor " + strconv.Itoa(tensor)
	}
	return "tensor " + strconv.Itoa(tensor) + " " + strconv.Quote(name)
}

// names returns an ID for each tensor: its name if that is its own, else its name and number.
func (m *Model) names() []string {
	count := make(map[string]int, len(m.Tensors))
	for i := range m.Tensors {
		count[m.Tensors[i].Name]++
	}
	out := make([]string, len(m.Tensors))
	for i := range m.Tensors {
		name := m.Tensors[i].Name
		switch {
		case name == "":
			name = "tensor " + strconv.Itoa(i)
		case count[name] > 1:
			name += " #" + strconv.Itoa(i)
		}
		// A name may look like another's name and number.
		for out[i] = name; count[out[i]] > 0 && out[i] != m.Tensors[i].Name; {
			out[i] += "'"
		}
		if out[i] != m.Tensors[i].Name {
			count[out[i]]++
		}
	}
	return out
}
