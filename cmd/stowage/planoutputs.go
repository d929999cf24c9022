package main

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: one run writes all files that belong together: the planned model, the header
// with its numbers, the model as an array, a page. Each kind is there at most once, and
// either all files are written or none: the content of each is made before any file
// takes its place, so that what fails leaves the old ones as they were.

// array is the kind of output that is the model as an array, whatever the extension.
const array = "cc"

// arrayNames are the extensions of it.
var arrayNames = []string{array, "cpp", "cxx"}

// outputNames says what an output of a kind is, for messages.
var outputNames = map[string]string{
	"tflite": "the model", "h": "the header", "c": "the plan as C", array: "the model as an array", "csv": "CSV", "json": "JSON", "html": "the page",
}

// An output is a file to write.
type output struct {
	path string
	flag string // that names it
	kind string // its format
}

// outputsFor checks what is asked for before anything is read, and returns it: the files
// of -o and, after them, those of --report.
func (p *planFlags) outputsFor(kind format.Kind) ([]output, error) {
	names := formatNames()
	if kind == format.TFLite {
		names = append(append([]string{"tflite"}, names...), arrayNames...)
	}
	var out []output
	for _, path := range p.outputs {
		name, err := formatOf("", path, names)
		if kind == format.ONNX && err != nil {
			switch ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); {
			case slices.Contains(arrayNames, ext):
				err = usagef("%s: a model is written as an array if it is a .tflite: in an .onnx model there is no place for a plan", path)
			case ext == "tflite" || ext == "onnx":
				err = usagef("%s: in an .onnx model there is no place for a plan, so no model is written; there are %s", path, strings.Join(names, ", "))
			}
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains(arrayNames, name) {
			name = array
		}
		for _, o := range out {
			if o.kind == name {
				what := outputNames[name]
				if what == "" {
					what = "the picture as " + strings.ToUpper(name)
				}
				return nil, usagef("-o %s and -o %s are both %s", o.path, path, what)
			}
		}
		out = append(out, output{path, "-o", name})
	}
	for _, path := range p.reports {
		name, err := formatOf("", path, []string{"html", "json"})
		if err != nil {
			return nil, err
		}
		out = append(out, output{path, "--report", name})
	}
	if p.format != "" {
		if len(p.outputs) > 1 {
			return nil, usagef("--format writes the problem alone, to one file: there are %d of -o", len(p.outputs))
		}
		if _, err := formatOf(p.format, p.problemFile(), problemNames()); err != nil {
			return nil, err
		}
	}
	return out, checkOutputs(out)
}

// checkOutputs refuses two outputs that are one file, and those that cannot be written.
func checkOutputs(outputs []output) error {
	for i, o := range outputs {
		for _, other := range outputs[:i] {
			if err := (use{o.flag, o.path}).apart([]use{{other.flag, other.path}}); err != nil {
				return err
			}
			if toStdout(o.path) && toStdout(other.path) {
				return usagef("%s and %s cannot both be standard output", other.flag, o.flag)
			}
		}
		if err := checkOutput(o.path); err != nil {
			return err
		}
	}
	return nil
}

// problemFile is where --format writes to; empty for standard output.
func (p *planFlags) problemFile() string {
	if len(p.outputs) == 0 {
		return ""
	}
	return p.outputs[0]
}

// writeAll writes outputs, all or none. What goes to standard output is written when
// all files are complete, and before they take their places.
func writeAll(cmd *cobra.Command, outputs []output, write func(io.Writer, output) error) error {
	outputs = slices.Clone(outputs)
	slices.SortStableFunc(outputs, func(a, b output) int {
		switch {
		case toStdout(a.path) == toStdout(b.path):
			return 0
		case toStdout(a.path):
			return 1
		}
		return -1
	})
	return writeEach(cmd, outputs, write)
}

func writeEach(cmd *cobra.Command, outputs []output, write func(io.Writer, output) error) error {
	if len(outputs) == 0 {
		return nil
	}
	return writeTo(cmd, outputs[0].path, func(w io.Writer) error {
		if err := write(w, outputs[0]); err != nil {
			return err
		}
		return writeEach(cmd, outputs[1:], write)
	})
}

// writeTFLite writes what is made of a .tflite model.
func (p *planFlags) writeTFLite(cmd *cobra.Command, outputs []output, m *tflite.Model, made *tflm.Plan, r *planReport) error {
	file := ""
	for _, o := range outputs {
		if o.flag == "-o" && file == "" && (o.kind == "tflite" || o.kind == array) {
			file = o.path
		}
	}
	if file != "" {
		r.tellCopied(made, file)
	}
	model, err := made.Written(m)
	if err != nil {
		return err
	}
	name, runtime := nameFor(m.File), r.runtime(model)
	return writeAll(cmd, outputs, func(w io.Writer, o output) error {
		switch {
		case o.flag == "--report" && o.kind == "json":
			return writeIndented(w, r)
		case o.kind == "html":
			return r.page(w, made)
		case o.kind == "tflite":
			_, err := w.Write(model)
			return err
		case o.kind == array:
			return cheader.WriteArray(w, name, model, runtime)
		}
		d := &document{problem: made.Arena.Problem, offsets: made.Placed, height: made.Head, lowerBound: made.Result.LowerBound, name: name, runtime: runtime}
		switch {
		case made.Placed == nil:
		case slices.Contains(pictureNames(), o.kind):
			d.problem, d.offsets = made.Shown()
		case o.kind == "csv" || o.kind == "json":
			d.result = made.Result
			if !made.Kept { // a result and its operand are one buffer
				d.problem, d.offsets = made.United, made.Result.Offsets
			}
		}
		if made.Placed == nil && (o.kind == "h" || o.kind == "c") {
			return errors.New("there is no plan to write as C")
		}
		return writerOf(o.kind)(w, d)
	})
}

// tellCopied says why the model in a file is as it was, or that the plan is in it.
func (r *planReport) tellCopied(made *tflm.Plan, file string) {
	switch r.Written = made.Worth(); {
	case r.Written:
	case made.Offsets == nil:
		r.copied = file
	case made.Kept:
		r.copied = "the one that is in the model is kept; " + file
	case made.Model.Offline != nil:
		r.copied = "the one that is in the model is as low; " + file
	default:
		r.copied = "the runtime's own is as low; " + file
	}
}

// runtime returns the sizes of the runtime's arena for the model that is written.
func (r *planReport) runtime(model []byte) *cheader.Runtime {
	note := ""
	switch {
	case r.Tail > 0:
		note = "They count with the tail of " + strconv.FormatInt(r.Tail, 10) + " bytes that the target reported."
	case r.ScratchFrom == "reference":
		note = tflm.ReferenceNote
	}
	if r.Kernels != "" {
		note = strings.TrimSpace(note + " " + r.assumed())
	}
	var sizes []int64
	atLeast := false
	for i := range r.Arenas {
		bytes, exact := r.Arenas[i].needed(r)
		atLeast = atLeast || !exact
		sizes = append(sizes, bytes)
	}
	// With a tail that the target reports, the bound of another target is no reason to
	// call its own size one.
	if atLeast && r.Tail > 0 {
		atLeast, sizes = false, sizes[:2]
	}
	out := tflm.Runtime(model, sizes, note)
	out.AtLeast = atLeast
	return out
}

// needed returns the smallest arena that works with the model that is written, and
// whether it is known rather than a lower bound.
func (x *arenaReport) needed(r *planReport) (bytes int64, exact bool) {
	bytes = x.Planned
	if bytes == 0 {
		bytes = x.Before
	}
	if x.MeasuredBefore > 0 {
		bytes = x.MeasuredPlanned
		if bytes == 0 {
			bytes = x.MeasuredBefore
		}
		return bytes, true
	}
	return bytes, len(r.Unknown) == 0
}
