package command

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

// Idea: one run writes all files that belong together: the planned model, the header with its
// numbers, the model as an array, a page. There is at most one file of each kind. Either all
// files are written or none. The content of each is made before any file is replaced, so a
// failure leaves the old files as they were.

// array is the output kind for the model as a C array. Its extension may be any of arrayNames.
const array = "cc"

// onnxModel is the kind of output that is an .onnx model in another order.
const onnxModel = "onnx"

// arrayNames are the extensions of a C array.
var arrayNames = []string{array, "cpp", "cxx"}

// selftest is the kind of output that tests the plan on the target: a file of C++ whose name ends
// in this word.
const selftest = "selftest"

// outputNames describes the kinds of outputs, for messages.
var outputNames = map[string]string{
	"tflite": "the model", onnxModel: "the model", "h": "the header", "c": "the plan as C", array: "the model as an array", selftest: "the self-test", poolPlanner: "the planner", "csv": "CSV", "json": "JSON", "html": "the page",
}

// An output is a file to write.
type output struct {
	path string
	flag string // the flag that names the file
	kind string // the format
}

// outputsFor checks the outputs that the flags ask for, before anything is read. It returns the
// files of -o and, after them, those of --report.
func (p *planFlags) outputsFor(kind format.Kind) ([]output, error) {
	names := formatNames()
	if kind == format.TFLite {
		names = append(append([]string{"tflite"}, names...), arrayNames...)
	}
	if kind == format.ONNX && p.graph.reorder {
		names = append([]string{onnxModel}, names...)
	}
	if p.where != nil {
		names = append(names, poolPlanner)
	}
	var out []output
	for _, path := range p.outputs {
		name, err := formatOf("", path, names)
		if kind == format.ONNX && err != nil {
			switch ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); {
			case slices.Contains(arrayNames, ext):
				err = usagef("%s: a model is written as an array if it is a .tflite: in an .onnx model there is no place for a plan", path)
			case ext == onnxModel:
				err = usagef("%s: in an .onnx model there is no place for a plan, so no model is written; there are %s, and with --reorder onnx", path, strings.Join(names, ", "))
			case ext == "tflite":
				err = usagef("%s: in an .onnx model there is no place for a plan, so no model is written; there are %s", path, strings.Join(names, ", "))
			}
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains(arrayNames, name) {
			name = array
			if stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)); strings.HasSuffix(strings.ToLower(stem), selftest) {
				name = selftest
			}
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
	if kind == format.ONNX && p.graph.reorder && p.format == "" {
		if err := checkOrdered(out); err != nil {
			return nil, err
		}
	}
	return out, checkOutputs(out)
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
	return writeTo(cmd, outputs[0].path, func(w io.Writer) error {
		if err := write(w, outputs[0]); err != nil {
			return err
		}
		return writeEach(cmd, outputs[1:], write)
	})
}

// writeTFLite writes the outputs of a .tflite model.
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
	if at := slices.IndexFunc(outputs, func(o output) bool { return o.kind == selftest }); at >= 0 {
		if why := untestable(m, made); why != "" {
			return usagef("-o %s: %s: %s", outputs[at].path, m.File, why)
		}
		target := min(slices.Index(targetNames, p.target), 1) // it is for firmware
		r.Selftest, r.selftestOn = r.selftestSizes()[target], r.Arenas[target].Target
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
		case o.kind == selftest:
			return r.writeSelftest(w, name, m, model)
		}
		d := &document{problem: made.Arena.Problem, offsets: made.Placed, height: made.Head, lowerBound: made.Result.LowerBound, name: name, runtime: runtime}
		switch {
		case made.Placed == nil:
		case slices.Contains(pictureNames(), o.kind):
			d.problem, d.offsets = made.Shown()
			d.overlaps = coveringsOf(made)
		case o.kind == "csv" || o.kind == "json":
			d.result = made.Result
			if !made.Kept { // a result and its operand share one buffer
				d.problem, d.offsets = made.United, made.Result.Offsets
			}
		}
		if made.Placed == nil && (o.kind == "h" || o.kind == "c") {
			return errors.New("there is no plan to write as C")
		}
		return writerOf(o.kind)(w, d)
	})
}

// untestable says why a self-test of a plan would compare a model with itself, or with nothing; empty
// if there is something to test. The model that is written has to end with the one that is given.
func untestable(m *tflite.Model, made *tflm.Plan) string {
	switch {
	case m.Offline != nil:
		return "the model has a plan already, so there is no model without one to test against: give the original model"
	case !made.Worth():
		return "no plan is lower than the runtime's own, so the model stays as it is, and there is nothing to test"
	case made.Order != nil:
		return "--reorder moves operators, so the file does not end with the model in its own order to test against: leave --reorder out"
	}
	return ""
}

// writeSelftest writes what runs a model with and without its plan and compares. The planned model
// ends with the original.
func (r *planReport) writeSelftest(w io.Writer, name string, original *tflite.Model, planned []byte) error {
	s := &cheader.Selftest{
		Model: int64(len(planned)), Hash: cheader.HashOf(planned), Original: int64(len(planned) - len(original.Bytes())),
		Resources: original.Resources(), Note: r.comment(), AtLeast: r.atLeast(),
	}
	s.Arenas = tflm.Runtime(planned, r.selftestSizes(), "").Arenas
	return cheader.WriteSelftest(w, name, s)
}

// selftestSizes returns the arenas that a self-test needs in firmware of 32 and of 64 bit: room for
// the model with its plan and for the one without.
func (r *planReport) selftestSizes() (sizes []int64) {
	for i := range r.Arenas[:2] {
		bytes, _ := r.Arenas[i].needed(r)
		sizes = append(sizes, max(bytes, r.Arenas[i].Before, r.Arenas[i].MeasuredBefore))
	}
	return sizes
}

// atLeast reports whether the arenas of firmware are only lower bounds.
func (r *planReport) atLeast() bool {
	_, exact := r.Arenas[0].needed(r)
	return !exact
}

// tellCopied says that the plan is in the file, or why the model there is unchanged.
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
	var sizes []int64
	atLeast := false
	for i := range r.Arenas {
		bytes, exact := r.Arenas[i].needed(r)
		atLeast = atLeast || !exact
		sizes = append(sizes, bytes)
	}
	// If the target has reported its tail, its size is exact, even if that of another target is
	// only a bound.
	if atLeast && r.Tail > 0 && !r.ScratchUnknown && len(r.CannotRun) == 0 {
		atLeast, sizes = false, sizes[:2]
	}
	out := tflm.Runtime(model, sizes, r.comment())
	out.AtLeast = atLeast
	return out
}

// comment says in the files for C what the sizes hold for.
func (r *planReport) comment() string {
	note := tflm.KernelsNote(r.set)
	switch {
	case r.ScratchUnknown:
		note += " The scratch of some is not known."
	case r.ScratchFrom == "none":
		note += " They count with no scratch."
	case r.ScratchFrom == "declared":
		note += " They count with the scratch that was given."
	}
	if r.Tail > 0 {
		note += " They count with the tail of " + strconv.FormatInt(r.Tail, 10) + " bytes that the target reported."
	}
	for _, x := range r.CannotRun {
		note += " The model does not run as it is: " + x.Why + "."
	}
	if r.elsewhere != "" {
		note += " W" + r.elsewhere[1:] + "."
	}
	return strings.TrimSpace(note + " " + r.assumed())
}

// needed returns the smallest arena that works with the model that is written. exact reports
// whether it is known, and not only a lower bound.
func (x *arenaReport) needed(r *planReport) (bytes int64, exact bool) {
	bytes = x.Planned
	if bytes == 0 {
		bytes = x.Before
	}
	runs := !r.ScratchUnknown && len(r.CannotRun) == 0
	if x.MeasuredBefore > 0 {
		bytes = x.MeasuredPlanned
		if bytes == 0 {
			bytes = x.MeasuredBefore
		}
		return bytes, runs
	}
	return bytes, runs && len(r.Unknown) == 0
}
