package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tflm"
)

type planFlags struct {
	output  string
	format  string
	report  string
	scratch []string
	fold    bool
	inPlace bool
	replace bool
	tail    size
	json    bool
	probe   bool
	quiet   bool
	search  search
	model   modelFlags
}

func newPlan() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan MODEL",
		Short: "Plan the arena of a TensorFlow Lite or ONNX model",
		Long: `Of a .tflite file plan derives which tensors share the arena and for how long, as TensorFlow Lite Micro does, plans them, and writes the plan into the model, where that runtime looks for it: the metadata OfflineMemoryAllocation. The new file ends with the old one, byte for byte, unless the model has such metadata of the right length already: that is overwritten in place.

The plan is judged by what the runtime makes of it: its own planner is emulated, for the model as it is and with the plan. A plan that the runtime beats by itself is not written; the model is then copied as it is. A faulty plan that the model has is replaced. A plan whose tensors share bytes on purpose, such as that of Vela for an Ethos-U, is kept, unless --replace-plan is given.

Kernels may ask for scratch beside the tensors, which is not in the file and differs from target to target. Without --scratch it is that of the runtime's reference kernels. --scratch takes OPERATOR=BYTES instead, where OPERATOR is the name of operators, such as SVDF, or the number of one in the model, from 0; the log of a target: that of the planner that --probe prints, or of a runtime built with TF_LITE_SHOW_MEMORY_USE; or the words reference and none.

The smallest arena is the number for kTensorArenaSize: the least with which AllocateTensors succeeds, aligned to 16. It is found without running anything, from what the runtime and its reference kernels keep (tensorflow/tflite-micro 90b983c), for firmware of 32 and 64 bit and for the interpreter of PyPI (tflite_micro). Where the model has operators that the table of kernels lacks, it says "at least". --tail takes what a target reports instead.

Of an .onnx file plan derives the shapes of all tensors and how long they live, in the order of the file. What is stored or computed from constants alone takes no room, nor do the two branches of an If at the same time. Dimensions that the inputs leave open are settled by --dim; what is still open is an error that names the nodes. No file of external data is opened. There is no place in the model for a plan, so -o names a file in another format.

With -o a .csv, .json, .svg, .png, .pdf, .html or .tex file gets the problem with its plan; a .h file gets the arena's size and each tensor's offset as macros of C, a .c file the arena and a table of its tensors. --report writes a page with the picture and all figures beside that. --format writes the problem alone, without planning it.`,
		Example: `  stowage plan model.tflite                                what the arena takes, and who sets it
  stowage plan -o planned.tflite model.tflite
  stowage plan --scratch reference --scratch CONV_2D=2048 -o planned.tflite model.tflite
  stowage plan --probe > stowage_probe.h                   build it into the firmware, save its log
  stowage plan --scratch device.log --tail 29952 -o planned.tflite model.tflite
  stowage plan --report report.html -o planned.tflite model.tflite
  stowage plan --format csv model.tflite > problem.csv     the problem alone
  stowage plan --dim batch=1 -o plan.h model.onnx          offsets for generated C`,
		Args: func(cmd *cobra.Command, args []string) error {
			if p.probe && len(args) == 0 {
				return nil
			}
			return arity(1, "MODEL")(cmd, args)
		},
		SuggestFor:  []string{"arena", "tflite", "onnx", "offline"},
		Annotations: map[string]string{exitsKey: allExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.probe {
				return writeTo(cmd, "", func(w io.Writer) error { _, err := io.WriteString(w, tflm.Probe); return err })
			}
			return p.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&p.scratch, "scratch", nil, "what kernels ask for beside tensors: `OPERATOR=BYTES`, the log of a target, reference (the default) or none; may be repeated")
	f.BoolVar(&p.probe, "probe", false, "print the C++ header that makes a target log what its kernels ask for")
	f.BoolVar(&p.fold, "fold-float16", false, "make float16 constants that are only dequantised float32 in the file, without which TensorFlow Lite Micro does not run such a model")
	f.BoolVar(&p.inPlace, "in-place", false, "let the results of RESHAPE (in ONNX of all views) and element-wise operators lie over an operand that dies there")
	f.BoolVar(&p.replace, "replace-plan", false, "replace the plan that the model has, whatever the new one takes, even if its tensors share bytes on purpose; an NPU then no longer finds its tensors")
	f.Var(&p.tail, "tail", "the persistent `SIZE` that the target reports as tail, in place of what reference kernels keep")
	f.StringVarP(&p.output, "output", "o", "", "write the planned model to `FILE`, or the plan as .csv, .json, .svg, .png, .pdf, .html, .tex, .h or .c")
	f.StringVar(&p.format, "format", "", "write the problem alone as `NAME` (csv, json), without a plan")
	f.StringVar(&p.report, "report", "", "write the report with the picture to `FILE`, an .html or .json")
	f.BoolVar(&p.json, "json", false, "print the report as JSON")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print no report, but that of --json")
	p.model.bind(cmd)
	p.search.bindPlanner(cmd)
	group(cmd, "Model", "scratch", "probe", "fold-float16", "in-place", "replace-plan", "tail")
	group(cmd, "Output", "output", "report", "format", "json", "quiet")
	complete(cmd, "format", problemNames)
	return cmd
}

func (p *planFlags) run(cmd *cobra.Command, path string) error {
	o, err := p.search.options()
	if err != nil {
		return err
	}
	in, err := openModel(path)
	if err != nil {
		return err
	}
	defer in.Close()
	name, reportName, err := p.outputs(in.Kind)
	if err != nil {
		return err
	}
	if in.Kind == format.ONNX {
		return p.runONNX(cmd, in, name, reportName, o)
	}
	return p.runTFLite(cmd, in, name, reportName, o)
}

// outputs checks what is asked for before anything is read: it returns the formats of
// the output and of the report.
func (p *planFlags) outputs(kind format.Kind) (name, reportName string, err error) {
	names := formatNames()
	if kind == format.TFLite {
		names = append([]string{"tflite"}, names...)
	}
	if name, err = formatOf("", p.output, names); err != nil {
		return "", "", err
	}
	if p.report != "" {
		if reportName, err = formatOf("", p.report, []string{"html", "json"}); err != nil {
			return "", "", err
		}
	}
	if p.format != "" {
		if _, err := formatOf(p.format, p.output, problemNames()); err != nil {
			return "", "", err
		}
	}
	if err := (use{"--report", p.report}).apart([]use{{"-o", p.output}}); err != nil {
		return "", "", err
	}
	for _, file := range []string{p.output, p.report} {
		if err := checkOutput(file); err != nil {
			return "", "", err
		}
	}
	return name, reportName, nil
}

func (p *planFlags) runTFLite(cmd *cobra.Command, in *format.Input, name, reportName string, o stowage.Options) error {
	settled, err := p.model.options()
	if err != nil {
		return err
	}
	if err := in.Settles(settled); err != nil {
		return err
	}
	m, err := tflite.Read(in.Reader, in.Name)
	if err != nil {
		return err
	}
	// Weights that a runtime would fold are no buffers of the arena, whether the
	// file is to be folded or not.
	folded, weights, err := m.Fold()
	if err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	if p.fold {
		m = folded
	}
	l, err := folded.Lifetimes()
	if err != nil {
		return err
	}
	scratch, err := readScratch(p.scratch, folded, l)
	if err != nil {
		return err
	}
	if p.format != "" {
		a, err := folded.Arena(l, scratch)
		if err != nil {
			return err
		}
		return writeDocument(cmd, p.output, p.format, &document{problem: a.Problem})
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	made, err := tflm.Make(ctx, folded, tflm.Options{Scratch: scratch, InPlace: p.inPlace, Replace: p.replace, Solve: o})
	if err != nil {
		return err
	}
	r := p.reportOf(made, weights)
	if p.output != "" {
		if err := p.write(cmd, name, m, made, r); err != nil {
			return err
		}
	}
	if err := p.deliver(cmd, reportName, r, func(w io.Writer) error { return r.page(w, made) }); err != nil {
		return err
	}
	return outcomeOf(made.Result.Status)
}

// deliver writes the report where it was asked for: as a page or as JSON to a file, as
// text or as JSON to standard output.
func (p *planFlags) deliver(cmd *cobra.Command, reportName string, r interface{ print(io.Writer) error }, page func(io.Writer) error) error {
	asJSON := func(w io.Writer) error { return writeIndented(w, r) }
	if p.report != "" {
		write := page
		if reportName == "json" {
			write = asJSON
		}
		if err := writeTo(cmd, p.report, write); err != nil {
			return err
		}
	}
	switch {
	case p.json:
		return writeTo(cmd, "", asJSON)
	case p.quiet:
		return nil
	}
	return writeTo(cmd, "", r.print)
}

// headNote keeps whoever finds the file from giving a runtime the size in it.
const headNote = "The arena is the head alone: kTensorArenaSize is more, and stowage plan says how much."

// write writes the planned model, or the problem with its plan as the name asks.
func (p *planFlags) write(cmd *cobra.Command, name string, m *tflite.Model, made *tflm.Plan, r *planReport) error {
	if name != "tflite" {
		offsets := made.Placed
		if name == "html" {
			return writeTo(cmd, p.output, func(w io.Writer) error { return r.page(w, made) })
		}
		d := &document{problem: made.Arena.Problem, offsets: offsets, lowerBound: made.Result.LowerBound, name: nameFor(m.File), note: headNote}
		for i, at := range offsets {
			d.height = max(d.height, at+made.Arena.Problem.Buffers[i].Size)
		}
		return writeDocument(cmd, p.output, name, d)
	}
	data := m.Bytes()
	switch {
	case made.Offsets == nil:
		r.copied = p.output
	case made.Kept:
		r.copied = "the one that is in the model is kept; " + p.output
	case m.Offline != nil:
		r.copied = "the one that is in the model is as low; " + p.output
	default:
		r.copied = "the runtime's own is as low; " + p.output
	}
	if r.Written = made.Worth(); r.Written {
		var err error
		if data, err = m.WithOffsets(made.Offsets); err != nil {
			return err
		}
	}
	return writeTo(cmd, p.output, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// openModel opens a file that is to be a model. What is not known for a model is
// taken for one of TensorFlow Lite, whose reader says what it lacks.
func openModel(path string) (*format.Input, error) {
	in, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".csv" || ext == ".json" || in.Kind == format.JSON:
		in.Close()
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", path)
	case in.Kind.Dump():
		in.Close()
		return nil, usagef("%s is a dump, not a model: stowage solve plans it", path)
	case !in.Kind.Model():
		in.Kind = format.TFLite
	}
	return in, nil
}

// nameFor returns the name of a model for C: that of its file.
func nameFor(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readModel reads a model of TensorFlow Lite from a file or standard input.
func readModel(path string) (*tflite.Model, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".csv" || ext == ".json" {
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", path)
	}
	in, err := format.Open(path) // whatever it is taken for, it is to be a model
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return tflite.Read(in.Reader, nameOf(path))
}

// readScratch turns the values of --scratch into scratch buffers.
func readScratch(values []string, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	var out []tflite.Scratch
	if len(values) == 0 {
		values = []string{"reference"}
	}
	for _, value := range values {
		switch value {
		case "reference":
			out = append(out, tflm.Reference(m)...)
			continue
		case "none":
			continue
		}
		key, bytes, declared := strings.Cut(value, "=")
		if !declared {
			s, err := scratchOfLog(value, m, l)
			if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(value, "./\\") {
				return nil, usagef("invalid argument %q for --scratch: is neither OPERATOR=BYTES, such as %s=4096, nor the log of a target, nor reference or none", value, value)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, s...)
			continue
		}
		var n size
		if err := n.Set(bytes); err != nil {
			return nil, usagef("invalid argument %q for --scratch: %v", value, err)
		}
		found := false
		number, err := strconv.Atoi(key)
		for k := range m.Operators {
			if err == nil && k == number || err != nil && strings.EqualFold(m.Operators[k].Name(), key) {
				out = append(out, tflite.Scratch{Operator: k, Bytes: int64(n)})
				found = true
			}
		}
		if !found {
			return nil, usagef("invalid argument %q for --scratch: %s has no operator %s%s", value, m.File, key, operatorsOf(m))
		}
	}
	return out, nil
}

// operatorsOf says which operators a model has.
func operatorsOf(m *tflite.Model) string {
	if len(m.Operators) == 0 {
		return ""
	}
	var names []string
	for k := range m.Operators {
		names = append(names, m.Operators[k].Name())
	}
	slices.Sort(names)
	return fmt.Sprintf("; there are 0 to %d, of the names %s", len(m.Operators)-1, strings.Join(slices.Compact(names), ", "))
}

func scratchOfLog(path string, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	requests, err := tflite.ReadLog(f, path)
	if err != nil {
		return nil, err
	}
	return m.ScratchOf(requests, l, path)
}
