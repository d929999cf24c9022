package onnx

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/model"
)

// Idea: an open size is reported once, at the node or the input at which knowledge ended, with a remedy. A value that
// depends on an open value adds to the count of that cause, and is no fault of its own. Faults in the user's options
// come first, because open sizes may follow from them. After these, if inputs are open, only the inputs are reported.
//
// Complexity: O(inputs) for a value that is open, O(causes) at the end.

// A cause is a reason for which sizes are not known.
type cause struct {
	place, operator string
	value           string // whose shape is not known
	reason          string
	hint            string // what the user can do
	open            string // the first dimension as --dim names it; empty if --dim does not help
	count           int    // values that depend on it, itself included
}

// blame notes the cause if the size of a value is not known.
func (w *walker) blame(v int32, place string, at int, n *graph.Node, reason string) {
	val := &w.values[v]
	if val.Bytes() >= 0 || w.trial > 0 {
		return
	}
	for _, name := range n.In {
		if in := w.lookup(name); in >= 0 && w.values[in].cause > 0 {
			val.cause = w.values[in].cause
			w.causes[val.cause-1].count++
			return
		}
	}
	if reason == "" {
		if reason = val.Unsized(); reason == "" {
			reason = "its shape " + shape.Text(val.Dims) + " is not known"
			if !slices.Contains(val.Dims, -1) && val.Dims != nil {
				reason = "its shape " + shape.Text(val.Dims) + " is too large"
			}
		}
	}
	w.because(v, cause{place: label(place, at, n), operator: n.Operator(), reason: reason})
}

// shell quotes an argument if a shell would not take it as one word.
func shell(s string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '.' || r == ':' || r == '=' || r == '/' || r == '-' || '0' <= r && r <= '9' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// blameInput notes that an input is open.
func (w *walker) blameInput(v int32, in *graph.ValueInfo) {
	val := &w.values[v]
	if val.Bytes() >= 0 {
		return
	}
	c := cause{place: "input " + w.Quote(in.Name), reason: "its shape " + shape.Text(val.Dims) + " is not known"}
	if reason := val.Unsized(); reason != "" {
		c.reason = reason
	} else if in.Type != nil && in.Type.Ranked && len(in.Type.Dims) == len(val.Dims) {
		var open []string
		for i, d := range val.Dims {
			if d < 0 {
				name := in.Type.Dims[i].Name
				if name == "" || len(name) > graph.LongName {
					name = axisOf(w.m.Names[in.Name], i)
				}
				open = append(open, name)
			}
		}
		if c.reason = "its shape has open dimensions: " + strings.Join(open, ", "); len(open) == 0 {
			c.reason = "its shape " + shape.Text(val.Dims) + " is too large"
		}
		if len(open) > 0 {
			for _, name := range open {
				flag := "--dim " + shell(name+"=1")
				c.open += " " + flag
				if !slices.Contains(w.openDims, flag) {
					w.openDims = append(w.openDims, flag)
				}
			}
		}
	}
	w.because(v, c)
}

func (w *walker) because(v int32, c cause) {
	if !w.Spend(len(c.place) + len(c.reason) + 100) {
		return
	}
	c.value, c.count = w.m.Names[w.values[v].name], 1
	c.hint = hintOf(&w.values[v].Result, c.value)
	w.causes = append(w.causes, c)
	w.values[v].cause = int32(len(w.causes))
}

// hintOf names the option that gives a value a size: its shape, from which other shapes follow, or its size if it has
// no shape.
func hintOf(r *shape.Result, name string) string {
	if r.Kind != shape.KindNone || r.Elem == shape.TypeString || len(name) > graph.LongName {
		return "; give its size in bytes (--size)"
	}
	return "; give its shape and type, as --shape " + shell(name+"=DIMS:TYPE") + ", or its size in bytes alone (--size)"
}

// dependents says how many values depend on one.
func dependents(n int) string {
	if n == 1 {
		return "1 other value depends on it"
	}
	return strconv.Itoa(n) + " other values depend on it"
}

// An OpenError says that inputs of the model have open dimensions. It wraps a
// *model.InputError and has the flags of the command that give all of them.
type OpenError struct {
	error
	Flags []string // flags such as --dim batch=1, quoted for a shell; the value 1 is an example
}

// Unwrap returns the *model.InputError.
func (e *OpenError) Unwrap() error { return e.error }

// stillOpen names the flags for the open inputs, if a flag of the user named something else.
func (w *walker) stillOpen() string {
	if len(w.openDims) == 0 {
		return ""
	}
	return "; give what is, as with " + strings.Join(w.openDims, " ")
}

// branching reports whether a cause is an If or within one, and an input may decide which branch runs.
func (w *walker) branching(c *cause) bool {
	return w.deciding != "" && strings.Contains(c.place, "(If)")
}

// faults returns what keeps the model from being planned.
func (w *walker) faults() error {
	var issues model.Issues
	file := w.m.File
	if w.fault != nil {
		issues.Add(*w.fault)
		return issues.Err()
	}
	for _, key := range slices.Sorted(maps.Keys(w.o.Dims)) {
		switch d := w.o.Dims[key]; {
		case d < 0 || d > shape.MaxElements:
			issues.Add(model.Issue{
				File: file, Field: "dimension " + key, Value: strconv.FormatInt(d, 10),
				Message: "must be from 0 to " + strconv.FormatInt(shape.MaxElements, 10),
			})
		case !w.dimmed[key]:
			issues.Add(model.Issue{
				File: file, Field: "dimension", Value: key, Message: "is not open in the model" + w.stillOpen(),
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.o.Values)) {
		if !w.valued[key] {
			issues.Add(model.Issue{
				File: file, Field: "value of " + key, Value: strconv.FormatInt(w.o.Values[key], 10),
				Message: "the model has no input of this name that is one whole number and can have this value",
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.o.Shapes)) {
		if issue, wrong := w.shapeFault(key); wrong {
			issues.Add(issue)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.o.Sizes)) {
		switch n := w.o.Sizes[key]; {
		case n < 1 || n > model.MaxSum/8:
			issues.Add(model.Issue{
				File: file, Field: "size of " + key, Value: strconv.FormatInt(n, 10),
				Message: "must be from 1 to " + strconv.Itoa(model.MaxSum/8),
			})
		case !w.sized[key]:
			issues.Add(model.Issue{
				File: file, Field: "size", Value: key, Message: "the model has no value of this name whose size is unknown",
			})
		}
	}
	if issues.Err() != nil {
		return issues.Err()
	}
	// Open inputs may be the only cause.
	inputs := slices.ContainsFunc(w.causes, func(c cause) bool { return c.open != "" })
	for i := range w.causes {
		c := &w.causes[i]
		if inputs && c.open == "" {
			continue
		}
		hint := c.hint
		switch {
		case c.open != "":
			hint = "; give them, as with" + c.open
		case len(w.o.Dims) > 0 && strings.HasPrefix(c.reason, ops.TooLargeWindow):
			hint = "; the dimensions that are given may be too small (--dim)"
		case w.branching(c):
			hint = "; give the input that may decide the branch, as with" + w.deciding + ", or" +
				strings.TrimPrefix(c.hint, "; give")
			w.deciding = "" // once is enough
		}
		message := c.reason
		if !strings.HasPrefix(c.place, "input ") {
			message = "the size of " + strconv.Quote(c.value) + " is not known: " + message
		}
		if c.count > 1 {
			message += "; " + dependents(c.count-1)
		}
		issues.Add(model.Issue{File: file, Field: c.place, Message: message + hint})
	}
	err := issues.Err()
	if inputs {
		err = &OpenError{err, w.openDims}
	}
	return err
}
