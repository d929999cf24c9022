package command

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
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/tflm"
)

type planFlags struct {
	outputs []string
	format  string
	reports []string
	scratch []string
	fold    bool
	inPlace bool
	kernels kernelsFlags
	replace bool
	force   bool
	tail    size

	capacity size
	target   string
	pools    []string
	where    *memories // of pools and target; nil for one strip

	json   bool
	probe  bool
	quiet  bool
	search search
	model  modelFlags
	graph  graphFlags
	doubts tflm.Doubts // about the model that is written
}

func newPlan() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan MODEL",
		Short: "Plan the arena of a model, or of a graph of operators",
		Long: `Plan places the tensors of a .tflite model in as little memory as possible, and prints the smallest arena that TensorFlow Lite Micro then needs: the number for kTensorArenaSize. With -o it writes the model with the plan in it. The runtime reads the plan by itself, and no code changes.

With --capacity the exit code says whether the arena fits. If not, nothing is written. An .onnx model or a graph cannot hold a plan: -o then writes offsets. 'stowage help firmware' explains the numbers, files, kernels and scratch.`,
		Example: `  stowage plan model.tflite
  stowage plan -c 256KiB model.tflite
  stowage plan --kernels esp-nn -o planned.tflite -o model.h model.tflite
  stowage plan --dim batch=1 -o plan.h model.onnx`,
		Args: func(cmd *cobra.Command, args []string) error {
			if (p.probe || p.target == listed) && len(args) == 0 {
				return nil
			}
			return arity(1, "MODEL")(cmd, args)
		},
		SuggestFor:  []string{"arena", "tflite", "onnx", "offline"},
		Annotations: map[string]string{exitsKey: allExits, briefKey: plannerSection + "=stowage solve --help"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.probe {
				if err := p.alone(); err != nil {
					return err
				}
				return writeTo(cmd, "", func(w io.Writer) error { _, err := io.WriteString(w, tflm.Probe); return err })
			}
			if p.target == listed {
				return writeTo(cmd, "", listParts)
			}
			return p.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&p.outputs, "output", "o", nil, "write to `FILE`: .tflite or .cc for the planned model, .onnx for that of --reorder, .h for numbers, or .c, .csv, .json, .svg, .png, .pdf, .html, .tex; repeatable")
	f.VarP(&p.capacity, "capacity", "c", "ask if the smallest arena fits into `SIZE`, such as 64KiB")
	f.StringVar(&p.target, "target", "32", "for --capacity: `TARGET` 32, 64 (bit) or python; or a part, with its memories and kernels (list)")
	f.StringArrayVar(&p.pools, "pool", nil, "plan in several memories: `NAME=SIZE`, the fastest first (stowage help memories); repeatable")
	f.StringArrayVar(&p.reports, "report", nil, "write a report to `FILE`, .html or .json; repeatable")
	f.BoolVar(&p.json, "json", false, "print the report as JSON")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print no report, except that of --json")
	f.BoolVar(&p.force, "force", false, forceUsage)
	f.StringVar(&p.format, "format", "", "write the problem as `NAME` (csv, json); plan nothing")
	f.BoolVar(&p.inPlace, "in-place", false, "let results of element-wise operators overwrite operands")
	p.kernels.bind(cmd, "let results overlap operands as the kernels (`NAME`) allow")
	f.StringArrayVar(&p.scratch, "scratch", nil, "`OPERATOR=BYTES`, a target's log, or none; repeatable")
	f.Var(&p.tail, "tail", "the `SIZE` of the tail that the target reports")
	f.BoolVar(&p.probe, "probe", false, "print a C++ header that logs the scratch of a target")
	f.BoolVar(&p.fold, "fold-float16", false, "convert float16 weights to float32 in the model")
	f.BoolVar(&p.replace, "replace-plan", false, "replace the model's own plan in any case, even Vela's")
	p.model.bind(cmd)
	p.graph.bind(cmd)
	p.search.bindPlanner(cmd)
	group(cmd, "Model", "kernels", "in-place", "diagonal", "scratch", "tail", "probe", "fold-float16", "replace-plan")
	complete(cmd, "format", problemNames)
	complete(cmd, "target", func() []string { return append(append(slices.Clone(targetNames), partNames()...), listed) })
	return cmd
}

func (p *planFlags) run(cmd *cobra.Command, path string) error {
	o, err := p.search.options()
	if err != nil {
		return err
	}
	if !slices.Contains(targetNames, p.target) && partOf(p.target) == nil {
		return usagef("invalid argument %q for --target: must be one of %s, or a part: %s", p.target, strings.Join(targetNames, ", "), suggest.Listed(p.target, partNames(), "stowage plan --target list"))
	}
	if p.where, err = p.memories(); err != nil {
		return err
	}
	if err := p.kernels.settle(partOf(p.target)); err != nil {
		return err
	}
	if p.target == "python" && p.kernels.set != tflm.ReferenceSet {
		return usagef("--target python does not go with the kernels of %s: the interpreter of PyPI has the reference kernels", p.kernels.set.Name())
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
	if err := p.clash(cmd, path, in.Kind, outputs); err != nil {
		return err
	}
	if in.Kind == format.JSON {
		return p.runGraph(cmd, in, outputs, o)
	}
	if cmd.Flags().Changed("permits") {
		return usagef("--permits is for graphs in JSON")
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
	// Weights that a runtime would fold do not lie in the arena, whether they are folded in the
	// file or not.
	folded, weights, err := m.Fold()
	if err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	if p.fold {
		m = folded
	}
	p.doubts = tflm.DoubtsOf(m, p.kernels.set)
	l, err := folded.Lifetimes()
	if err != nil {
		return err
	}
	scratch, err := readScratch(p.scratch, p.kernels.set, folded, l)
	if err != nil {
		return err
	}
	if p.where != nil {
		return p.runBanks(cmd, folded, scratch, outputs, o)
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
	options := tflm.Options{Scratch: scratch, Set: p.kernels.set, Named: p.named(), CannotRun: len(p.doubts.Obstacles) > 0, InPlace: p.inPlace, Kernels: p.kernels.overlaps, Reorder: p.graph.reorder, Replace: p.replace, Solve: o}
	made, err := tflm.Make(ctx, folded, options)
	if err != nil {
		return err
	}
	var others []alternative
	would := []wouldLower{}
	if p.reporting(outputs) {
		if others, err = alternatives(ctx, made, options); err != nil {
			return err
		}
		would = wouldLowerOf(made, others)
	}
	r := p.reportOf(made, weights, would)
	end := outcomeOf(made.Result.Status)
	if p.capacity > 0 {
		end = p.fit(r, made, others)
	}
	// A plan that does not fit is not written. Neither is one without offsets, for C.
	if p.capacity > 0 && end != nil || made.Placed == nil && slices.ContainsFunc(outputs, func(o output) bool { return o.kind == "h" || o.kind == "c" || o.kind == selftest }) {
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
	if end == nil && len(p.doubts.Obstacles) > 0 && slices.ContainsFunc(outputs, forFirmware) {
		end = outcome(exitUndecided)
	}
	if end != nil && p.quiet && !p.json {
		for _, x := range p.doubts.Obstacles {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: the model cannot run: %s: %s\n", in.Name, cell(x.Why), cell(x.Next))
		}
	}
	return end
}

// named reports whether the user has named the kernels of the firmware, or given the scratch that they need.
func (p *planFlags) named() bool { return p.kernels.from != "" || p.scratchFrom() != "reference" }

// scratchFrom says where the sizes of scratch come from: reference (the rules of the chosen kernels), none, or
// declared.
func (p *planFlags) scratchFrom() string {
	switch {
	case len(p.scratch) == 0, len(p.scratch) == 1 && p.scratch[0] == "reference" && p.kernels.set == tflm.ReferenceSet:
		return "reference"
	case len(p.scratch) == 1 && p.scratch[0] == "none":
		return "none"
	}
	return "declared"
}

// forFirmware reports whether firmware is built with an output.
func forFirmware(o output) bool {
	return o.flag == "-o" && slices.Contains([]string{"tflite", "h", "c", array, selftest, poolPlanner}, o.kind)
}

// unwritten says that no plan is written. It returns the outputs that are written anyway: the report.
func (p *planFlags) unwritten(cmd *cobra.Command, outputs []output) []output {
	if len(p.outputs) > 0 && !p.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: not written\n", strings.Join(p.outputs, ", "))
	}
	return slices.DeleteFunc(outputs, func(o output) bool { return o.flag == "-o" })
}

// say prints the report on standard output, as text or as JSON. If -o writes there, the report for people goes to
// standard error.
func (p *planFlags) say(cmd *cobra.Command, r interface{ print(io.Writer) error }) error {
	switch {
	case p.json:
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, r) })
	case p.quiet:
		return nil
	case p.toStdout():
		return r.print(cmd.ErrOrStderr())
	}
	return writeTo(cmd, "", r.print)
}

// openModel opens a file that should be a model. It reads a file of unknown kind as a .tflite model, because that
// reader says what is wrong with the file.
func openModel(path string) (*format.Input, error) {
	in, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".json" || in.Kind == format.JSON:
		in.Kind = format.JSON // perhaps a graph
	case ext == ".csv" || in.Kind == format.DSA:
		in.Close()
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", path)
	case in.Kind.Dump():
		in.Close()
		return nil, usagef("%s is a dump, not a model: stowage solve plans it", path)
	}
	if in.Kind != format.JSON {
		in.AsModel()
	}
	return in, nil
}

// nameFor returns the name of a model for C, made from the name of its file.
func nameFor(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readModel reads a model of TensorFlow Lite from a file or standard input.
func readModel(path string) (*tflite.Model, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return nil, usagef("%s is a problem or a graph, not a model: stowage solve plans the one, stowage plan the other", path)
	case ".csv":
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", path)
	}
	in, err := format.Open(path) // whatever its kind, the file is read as a model
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return tflite.Read(in.Reader, nameOf(path))
}

// readScratch turns the values of --scratch into scratch buffers. If there are none, it returns the scratch of the
// kernels.
func readScratch(values []string, set tflm.Set, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	if len(values) == 0 {
		return set.Scratch(m), nil
	}
	var out []tflite.Scratch
	for _, value := range values {
		switch value {
		case "reference":
			out = append(out, tflm.ReferenceSet.Scratch(m)...)
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
				found = true
				if n > 0 {
					out = append(out, tflite.Scratch{Operator: k, Bytes: int64(n)})
				}
			}
		}
		if !found {
			return nil, usagef("invalid argument %q for --scratch: %s has no operator %s%s", value, m.File, key, operatorsOf(m))
		}
	}
	return out, nil
}

// operatorsOf lists the operators of a model.
func operatorsOf(m *tflite.Model) string {
	if len(m.Operators) == 0 {
		return ""
	}
	var names []string
	for k := range m.Operators {
		names = append(names, m.Operators[k].Name())
	}
	slices.Sort(names)
	return fmt.Sprintf("; the operators are 0 to %d, named %s", len(m.Operators)-1, suggest.Listed("", slices.Compact(names), ""))
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
