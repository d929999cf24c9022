package onnx

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/model"
)

// Idea: the user may know the shape of a value that no rule derives. Then the walk goes on from there: what follows
// from the value is derived again, which its size in bytes alone would not allow.
//
// Invariant: a shape that is given never contradicts what is known of the value otherwise. If it does, that is an
// error that says what is known.

// A Shape is the entry of Options.Shapes for a value.
type Shape struct {
	Type Type    // of its elements; 0 if the model says it
	Dims []int64 // none for a single number
}

// ParseShape reads DIMS:TYPE, such as 20x1x1x32:float32 or 20,1,1,32:int8. DIMS is empty for a single number. Without
// :TYPE the type is the one that the model says.
func ParseShape(text string) (Shape, error) {
	var s Shape
	dims, name, typed := strings.Cut(text, ":")
	if typed {
		t, ok := shape.Named(name)
		if !ok {
			return s, errors.New("there is no type " + strconv.Quote(name) +
				"; there are float32, float16, bfloat16, float64, int8 to int64, uint8 to uint64, bool, int4 and ONNX's others")
		}
		s.Type = Type(t)
	}
	s.Dims = []int64{}
	if dims == "" {
		if !typed {
			return s, errShape
		}
		return s, nil
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(dims, "x", ","), ",") {
		d, err := strconv.ParseInt(part, 10, 64)
		if err != nil || d < 0 || d > shape.MaxElements || len(s.Dims) == shape.MaxRank {
			return s, errShape
		}
		s.Dims = append(s.Dims, d)
	}
	return s, nil
}

var errShape = errors.New("must be DIMS:TYPE, such as 20x1x1x32:float32")

// String returns the shape as ParseShape reads it.
func (s Shape) String() string {
	var b strings.Builder
	for i, d := range s.Dims {
		if i > 0 {
			b.WriteByte('x')
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	switch t := shape.Type(s.Type); t {
	case 0:
	case shape.TypeFloat:
		b.WriteString(":float32")
	case shape.TypeDouble:
		b.WriteString(":float64")
	default:
		b.WriteString(":" + strings.ToLower(t.String()))
	}
	return b.String()
}

// shaped takes the shape that the user gives to a value.
func (w *walker) shaped(r *shape.Result, name string) {
	s, ok := w.o.Shapes[name]
	if !ok {
		return
	}
	if w.shapes == nil {
		w.shapes = map[string]string{}
	}
	misfit := w.misfit(r, s)
	if w.trial == 0 || misfit == "" {
		if w.shapes[name] == "" {
			w.shapes[name] = misfit
		}
	}
	if misfit != "" {
		return
	}
	if s.Type != 0 {
		r.Elem = shape.Type(s.Type)
	}
	r.Dims = s.Dims
}

// misfit says why a value cannot have a shape, "" if it can.
func (w *walker) misfit(r *shape.Result, s Shape) string {
	known := "it is " + r.Elem.String() + " " + shape.Text(r.Dims)
	if r.Elem == 0 {
		known = "its shape is " + shape.Text(r.Dims)
	}
	switch {
	case r.Kind != shape.KindNone:
		return "the value is not a tensor"
	case s.Type == 0 && r.Elem == 0:
		return "needs a type too, as in " + s.String() + ":float32"
	case s.Type != 0 && r.Elem != 0 && r.Elem != shape.Type(s.Type), r.Dims != nil && len(r.Dims) != len(s.Dims):
		return "does not fit what the model says: " + known
	}
	for i := range r.Dims {
		if r.Dims[i] >= 0 && r.Dims[i] != s.Dims[i] {
			return "does not fit what the model says: " + known
		}
	}
	if shape.Elements(s.Dims) < 0 {
		return "is too large"
	}
	return ""
}

// shapeFault returns what is wrong with a shape that the user gives, if anything is.
func (w *walker) shapeFault(name string) (issue model.Issue, wrong bool) {
	s := w.o.Shapes[name]
	issue = model.Issue{File: w.m.File, Field: "shape of " + name, Value: s.String()}
	for _, d := range s.Dims {
		if d < 0 || d > shape.MaxElements {
			issue.Message = "must have dimensions from 0 to " + strconv.FormatInt(shape.MaxElements, 10)
			return issue, true
		}
	}
	misfit, met := w.shapes[name]
	if issue.Message = misfit; !met {
		issue.Message = "the model has no input and no result of a node of this name"
	}
	return issue, issue.Message != ""
}
