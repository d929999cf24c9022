package command

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/models"
)

// Idea: one run writes all files that belong together: the planned model, the header with its numbers, the model as an
// array, a page. There is at most one file of each kind. Either all files are written or none. The content of each is
// made before any file is replaced, so a failure leaves the old files as they were.

// outputNames describes the kinds of outputs, for messages.
var outputNames = map[string]string{
	"tflite": "the model", "onnx": "the model", "h": "the header", "c": "the plan as C",
	models.Array: "the model as an array", models.Selftest: "the self-test", models.PlannerClass: "the planner",
	models.Front: "the choices of --split", "csv": "CSV", "json": "JSON", "html": "the page",
}

// An output is a file to write.
type output struct {
	path  string
	flag  string // the flag that names the file
	kind  string // the format
	fresh bool   // nothing was there when the run began
}

// outputsFor checks the outputs that the flags ask for, before anything is read. It returns the
// files of -o and, after them, those of --report.
func (p *planFlags) outputsFor(kind *models.Kind) ([]output, error) {
	names := formatNames()
	if len(kind.Own) > 0 && (!kind.Moved || p.graph.reorder || p.split) {
		names = slices.Concat(kind.Own[:1], names, kind.Own[1:])
	}
	if p.where != nil {
		names = append(names, models.PlannerClass)
	}
	var out []output
	for _, path := range p.outputs {
		name, err := formatOf("", path, names)
		if err != nil && kind.Place != "" {
			err = noPlace(path, kind, names, err)
		}
		if err != nil {
			return nil, err
		}
		name = models.FileKind(path, name)
		if name == "svg" && p.split && strings.HasSuffix(strings.ToLower(path), models.Front+".svg") {
			name = models.Front
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
		out = append(out, output{path: path, flag: "-o", kind: name})
	}
	for _, path := range p.reports {
		name, err := formatOf("", path, []string{"html", "json"})
		if err != nil {
			return nil, err
		}
		out = append(out, output{path: path, flag: "--report", kind: name})
	}
	if p.format != "" {
		if len(p.outputs) > 1 {
			return nil, usagef("--format writes the problem alone, to one file: there are %d of -o", len(p.outputs))
		}
		if _, err := formatOf(p.format, p.problemFile(), problemNames()); err != nil {
			return nil, err
		}
	}
	if kind.Moved && (p.graph.reorder || p.split) && p.format == "" {
		if err := p.checkOrdered(kind, out); err != nil {
			return nil, err
		}
	}
	return out, checkOutputs(out)
}

// noPlace returns the error for a model as output if models of its kind cannot hold a plan.
func noPlace(path string, kind *models.Kind, names []string, err error) error {
	switch ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); {
	case slices.Contains(models.Arrays, ext):
		return usagef("%s: a model is written as an array if it is a .tflite: %s", path, kind.Place)
	case ext == kind.Own[0]:
		return usagef("%s: %s, so no model is written; there are %s, and with --reorder or --split %s", path, kind.Place,
			strings.Join(names, ", "), ext)
	case models.IsModel(ext):
		return usagef("%s: %s, so no model is written; there are %s", path, kind.Place, strings.Join(names, ", "))
	}
	return err
}

// checkOrdered refuses an output of offsets for a new order without the reordered model: nobody could tell for which
// order they hold.
func (p *planFlags) checkOrdered(kind *models.Kind, outputs []output) error {
	if p.split && p.graph.reorder {
		return usagef("--split orders the nodes of an .onnx model by strips: leave out --reorder")
	}
	if slices.ContainsFunc(outputs, func(o output) bool { return o.kind == kind.Own[0] }) {
		return nil
	}
	for _, o := range outputs {
		if o.flag == "-o" && slices.Contains([]string{"h", "c", "csv", "json"}, o.kind) {
			made := "--reorder the offsets hold only for the nodes in their new order"
			if p.split {
				made = "--split the offsets hold only for the model in strips"
			}
			return usagef("-o %s: with %s: write that model in the same run, with -o FILE.%s", o.path, made, kind.Own[0])
		}
	}
	return nil
}

// checkOutputs refuses outputs that cannot be written, and two outputs that are one file.
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

// problemFile returns the file for --format, or "" for standard output.
func (p *planFlags) problemFile() string {
	if len(p.outputs) == 0 {
		return ""
	}
	return p.outputs[0]
}

// writeAll writes all outputs or none. It writes to standard output after all files are
// complete, and before they replace the old ones.
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
	return writeOutput(cmd, outputs[0], func(w io.Writer) error {
		if err := write(w, outputs[0]); err != nil {
			return err
		}
		return writeEach(cmd, outputs[1:], write)
	})
}
