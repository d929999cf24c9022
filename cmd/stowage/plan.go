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
	outputs []string
	format  string
	report  string
	scratch []string
	fold    bool
	inPlace bool
	replace bool
	tail    size

	capacity size
	target   string

	json   bool
	probe  bool
	quiet  bool
	search search
	model  modelFlags
}

func newPlan() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan MODEL",
		Short: "Plan the arena of a TensorFlow Lite or ONNX model",
		Long: `Plan reads a .tflite model and works out which tensors share the arena and for how long, as TensorFlow Lite Micro does. It plans them and writes the plan into the model, where that runtime looks for it: the metadata OfflineMemoryAllocation. The new file ends with the old one, byte for byte, unless the model has such metadata of the right length already. That is overwritten in place.

The head is the part of the arena that a plan can change. The plan is judged by what the runtime makes of it: the runtime's own planner is emulated, once for the model as it is, with the plan that it has, and once with the new plan. A new plan that takes no less than the model as it is will not be written: the output is then the model as it was. A faulty plan in the model is replaced. A plan whose tensors share bytes on purpose, such as that of Vela for an Ethos-U, is kept, and --replace-plan replaces it.

The smallest arena is the number for kTensorArenaSize: the least with which AllocateTensors succeeds, aligned to 16. It is worked out without running anything, from what the runtime and its reference kernels keep (tensorflow/tflite-micro 90b983c), for firmware of 32 and 64 bit and for the interpreter of PyPI (tflite_micro). If the model has operators of which nothing is known, it says "at least". --tail takes what a target reports instead.

--capacity asks whether that arena fits. The exit code is 0 if it does, 3 if it is proven not to, and 4 if that is not known. The report says what would make it fit, and no plan is written that does not fit.

Kernels may ask for scratch, memory beside the tensors. It is not in the file and differs from target to target. Without --scratch it is that of the runtime's reference kernels. --scratch takes OPERATOR=BYTES instead, where OPERATOR is the name of operators, such as SVDF, or the number of one in the model, from 0. It also takes the log of a target: that of the planner that --probe prints, or of a runtime built with TF_LITE_SHOW_MEMORY_USE. The words reference and none stand for the reference kernels and for no scratch.

-o may be repeated, and all files are written or none. A .tflite file gets the model with the plan. A .cc, .cpp or .cxx file gets the same model as a constant array, aligned, with its size and the arena sizes. A .h file gets the arena sizes, the head and each tensor's offset as macros; names ending in _32 and _64 are for kTensorArenaSize. A .c file gets memory for the tensors alone and a table of them, for code without the runtime. Any other file gets the problem with its plan. --report writes a page with the picture and all figures. --format writes the problem alone, without planning it.

Plan reads an .onnx model, too, and works out the shapes of all tensors and how long they live, in the order of the file. What is stored or computed from constants alone takes no room, nor do the two branches of an If at the same time. --dim settles dimensions that the inputs leave open; what is still open is an error that names the nodes. No file of external data is opened. There is no place in such a model for a plan, so -o names files in other formats.`,
		Example: `  stowage plan model.tflite                                what the arena takes, and which tensors decide that
  stowage plan -o planned.tflite model.tflite
  stowage plan -o planned.tflite -o model.h -o model_data.cc model.tflite
  stowage plan --capacity 256KiB model.tflite              does it fit?
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
	f.BoolVar(&p.fold, "fold-float16", false, "turn float16 constants that are only dequantised into float32 in the file; TensorFlow Lite Micro does not run the model otherwise")
	f.BoolVar(&p.inPlace, "in-place", false, "let the results of RESHAPE (in ONNX of all views) and of element-wise operators lie over an operand that is not needed afterwards")
	f.BoolVar(&p.replace, "replace-plan", false, "replace the plan that the model has, whatever the new one takes, even if its tensors share bytes on purpose; an NPU then no longer finds its tensors")
	f.Var(&p.tail, "tail", "the `SIZE` of the tail that the target reports, in place of what the reference kernels keep")
	f.Var(&p.capacity, "capacity", "ask whether the smallest arena fits into `SIZE` bytes, and exit with 3 if it does not: "+sizeHelp)
	f.StringVar(&p.target, "target", "32", "which smallest arena --capacity is about: that of `TARGET`, which is 32 or 64 for firmware of that width, or python")
	f.StringArrayVarP(&p.outputs, "output", "o", nil, "write the planned model to `FILE`, or as an array to a .cc, or the plan as .h, .c, .csv, .json, .svg, .png, .pdf, .html or .tex; may be repeated, once for each kind")
	f.StringVar(&p.format, "format", "", "write the problem alone as `NAME` (csv, json), without a plan")
	f.StringVar(&p.report, "report", "", "write the report with the picture to `FILE`, an .html or .json")
	f.BoolVar(&p.json, "json", false, "print the report as JSON")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print no report, except that of --json")
	p.model.bind(cmd)
	p.search.bindPlanner(cmd)
	group(cmd, "Problem", "capacity", "target")
	group(cmd, "Model", "scratch", "probe", "fold-float16", "in-place", "replace-plan", "tail")
	group(cmd, "Output", "output", "report", "format", "json", "quiet")
	complete(cmd, "format", problemNames)
	complete(cmd, "target", func() []string { return targetNames })
	return cmd
}

func (p *planFlags) run(cmd *cobra.Command, path string) error {
	o, err := p.search.options()
	if err != nil {
		return err
	}
	if !slices.Contains(targetNames, p.target) {
		return usagef("invalid argument %q for --target: must be one of %s", p.target, strings.Join(targetNames, ", "))
	}
	in, err := openModel(path)
	if err != nil {
		return err
	}
	defer in.Close()
	outputs, err := p.outputsFor(in.Kind)
	if err != nil {
		return err
	}
	if in.Kind == format.ONNX {
		return p.runONNX(cmd, in, outputs, o)
	}
	return p.runTFLite(cmd, in, outputs, o)
}

func (p *planFlags) runTFLite(cmd *cobra.Command, in *format.Input, outputs []output, o stowage.Options) error {
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
		return writeDocument(cmd, p.problemFile(), p.format, &document{problem: a.Problem})
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	options := tflm.Options{Scratch: scratch, InPlace: p.inPlace, Replace: p.replace, Solve: o}
	made, err := tflm.Make(ctx, folded, options)
	if err != nil {
		return err
	}
	r := p.reportOf(made, weights)
	end := outcomeOf(made.Result.Status)
	if p.capacity > 0 {
		if end, err = p.fit(ctx, r, made, options); err != nil {
			return err
		}
	}
	// What does not fit is not written, and what has no offsets is no plan in C.
	if p.capacity > 0 && end != nil || made.Placed == nil && slices.ContainsFunc(outputs, func(o output) bool { return o.kind == "h" || o.kind == "c" }) {
		if end == nil {
			end = outcome(exitUndecided)
		}
		outputs = p.unwritten(cmd, outputs)
	}
	if err := p.writeTFLite(cmd, outputs, m, made, r); err != nil {
		return err
	}
	if err := p.say(cmd, r); err != nil {
		return err
	}
	return end
}

// unwritten says that no plan is written, and returns the outputs that are: the report.
func (p *planFlags) unwritten(cmd *cobra.Command, outputs []output) []output {
	if len(p.outputs) > 0 && !p.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: not written\n", strings.Join(p.outputs, ", "))
	}
	return slices.DeleteFunc(outputs, func(o output) bool { return o.flag == "-o" })
}

// say prints the report on standard output, as text or as JSON.
func (p *planFlags) say(cmd *cobra.Command, r interface{ print(io.Writer) error }) error {
	switch {
	case p.json:
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, r) })
	case p.quiet:
		return nil
	}
	return writeTo(cmd, "", r.print)
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
