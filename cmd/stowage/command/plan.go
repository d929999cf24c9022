package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/tflm"
)

// listed is the value of --target that prints the parts.
const listed = "list"

type planFlags struct {
	outputs []string
	format  string
	reports []string
	scratch []string

	resident []string // models that run beside the others

	fold    bool
	inPlace bool
	kernels kernelsFlags
	replace bool
	force   bool
	split   bool
	maxMACs percentage
	verify  bool
	tail    size
	orders  int // if dimensions have ranges, at most

	capacity size
	target   string
	pools    []string
	where    *models.Memories // of pools and target; nil for one strip

	json   bool
	probe  bool
	quiet  bool
	brief  bool // the answer is a few lines
	search search
	model  modelFlags
	graph  graphFlags
}

func newPlan() *cobra.Command {
	p := planFlags{maxMACs: 0.1}
	cmd := &cobra.Command{
		Use:   "plan MODEL...",
		Short: "Plan the arena of a model, or of a graph of operators",
		Long: `Plan places the tensors of a .tflite model in little memory, and prints the smallest arena that TensorFlow Lite Micro then needs: kTensorArenaSize. With -o it writes the model with the plan in it, which the runtime reads by itself.

With --capacity the exit code says whether the arena fits. If not, nothing is written. An .onnx model or a graph cannot hold a plan: -o then writes offsets. Several .tflite models share an arena, one runs at a time, and -o is a folder. 'stowage help firmware' explains the numbers, files, kernels and scratch.`,
		Example: `  stowage plan model.tflite
  stowage plan -c 256KiB model.tflite
  stowage plan detect.tflite classify.tflite --resident wakeword.tflite
  stowage plan --kernels esp-nn -o planned.tflite -o model.h model.tflite
  stowage plan --dim batch=1 -o plan.h model.onnx`,
		Args: func(cmd *cobra.Command, args []string) error {
			if (p.probe || p.target == listed) && len(args) == 0 {
				return nil
			}
			return modelsGiven(cmd, args)
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
			if len(args)+len(p.resident) > 1 {
				return p.runTenants(cmd, args)
			}
			return p.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&p.outputs, "output", "o", nil,
		"write to `FILE`: .tflite .cc .onnx .h .c .csv .json .svg .png .pdf .html .tex; repeatable")
	f.VarP(&p.capacity, "capacity", "c", "ask if the smallest arena fits into `SIZE`, such as 64KiB")
	f.StringVar(&p.target, "target", "32",
		"`TARGET`: 32, 64, python or a part (list)")
	f.StringArrayVar(&p.pools, "pool", nil,
		"memories `NAME=SIZE`, the fastest first; repeatable")
	f.StringArrayVar(&p.reports, "report", nil, "write a report to `FILE`, .html or .json; repeatable")
	f.BoolVar(&p.json, "json", false, "print the report as JSON")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print no report, except that of --json")
	f.BoolVar(&p.force, "force", false, forceUsage)
	f.StringVar(&p.format, "format", "", "write the problem as `NAME` (csv, json); plan nothing")
	f.BoolVar(&p.inPlace, "in-place", false, "let results of element-wise operators overwrite operands")
	p.kernels.bind(cmd, "let results overlap operands as the kernels (`NAME`) allow")
	f.StringArrayVar(&p.scratch, "scratch", nil, "`OP=N` bytes, a target's log, or none; repeatable")
	f.Var(&p.tail, "tail", "the `SIZE` of the tail that the target reports")
	f.BoolVar(&p.probe, "probe", false, "print a C++ header that logs the scratch of a target")
	f.BoolVar(&p.fold, "fold-float16", false, "convert float16 weights to float32 in the model")
	f.BoolVar(&p.split, "split", false, "run operators in strips, for a smaller arena")
	f.Var(&p.maxMACs, "max-macs", "the most arithmetic that --split adds: `N%`")
	f.BoolVar(&p.verify, "verify", false, "compare the planned model in Python's interpreter")
	f.StringArrayVar(&p.resident, "resident", nil, "a model `FILE` that runs beside the others; repeatable")
	f.IntVar(&p.orders, "orders", 1, ordersUsage)
	f.BoolVar(&p.replace, "replace-plan", false, "replace the model's own plan in any case, even Vela's")
	bindBrief(cmd, &p.brief)
	p.model.bind(cmd)
	p.graph.bind(cmd)
	p.search.bindPlanner(cmd)
	group(cmd, "Model", "in-place", "scratch", "tail", "probe", "fold-float16", "max-macs", "resident", "orders", "replace-plan")
	group(cmd, "Output", "report", "format", "force", "verify")
	group(cmd, plannerSection, "planner", "timeout")
	complete(cmd, "format", problemNames)
	complete(cmd, "target", func() []string {
		return append(append(slices.Clone(models.Targets), partNames()...), listed)
	})
	return cmd
}

func (p *planFlags) run(cmd *cobra.Command, path string) error {
	if varies(cmd.Flags()) {
		return p.runVaried(cmd, path)
	}
	o, err := p.search.options()
	if err != nil {
		return err
	}
	if !slices.Contains(models.Targets, p.target) && partOf(p.target) == nil {
		return usagef("invalid argument %q for --target: must be one of %s, or a part: %s", p.target,
			strings.Join(models.Targets, ", "), suggest.Listed(p.target, partNames(), "stowage plan --target list"))
	}
	if p.where, err = p.memories(); err != nil {
		return err
	}
	if err := p.kernelsFor(partOf(p.target)); err != nil {
		return err
	}
	in, err := openModel(path)
	if err != nil {
		return err
	}
	defer in.Close()
	kind := models.KindOf(in.Kind)
	outputs, err := p.outputsFor(kind)
	if err != nil {
		return err
	}
	if err := p.clash(cmd, path, kind, outputs); err != nil {
		return err
	}
	for _, x := range kind.Refused {
		if cmd.Flags().Changed(x.Option) && (x.Option != "target" || partOf(p.target) == nil) {
			return usagef("--%s is %s", x.Option, x.Is)
		}
	}
	options, err := p.options(o, outputs)
	if err != nil {
		return err
	}
	settled, err := p.model.options()
	if err != nil {
		return err
	}
	if err := in.Settles(settled); err != nil {
		return err
	}
	m, err := models.Open(in, settled)
	if err != nil {
		return misused(err)
	}
	if p.format != "" {
		problem, notes, err := m.Problem(options)
		if err != nil {
			return misused(withCommand(cmd, in.Name, err))
		}
		if !p.quiet {
			noteRead(cmd, in.Name, &format.File{Notes: notes})
		}
		return writeDocument(cmd, p.problemFile(), p.format, &document{problem: problem})
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	options.Solve = func(ctx context.Context, problem *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
		return solve(ctx, cmd.ErrOrStderr(), p.quiet, problem, o)
	}
	stop := p.follow(cmd, options.Split, o.Timeout)
	made, err := m.Plan(ctx, options)
	stop()
	if err != nil {
		return misused(withCommand(cmd, in.Name, err))
	}
	return p.finish(cmd, in.Name, made, outputs)
}

// follow shows how far a search for strips is on a terminal, until stop is called. The line begins with the first
// chain, for the plan without strips has a line of its own.
func (p *planFlags) follow(cmd *cobra.Command, split *models.Splitting, limit time.Duration) (stop func()) {
	var line *progress
	if split != nil && !p.quiet {
		var begin sync.Once
		split.Progress = func(x tflm.SplitProgress) {
			begin.Do(func() { line = lineOf(cmd.ErrOrStderr(), p.quiet, limit) })
			if x.Arena > 0 {
				x.Doing += " · arena " + strconv.FormatInt(x.Arena, 10)
			}
			line.share(x.Done, x.All, x.Doing)
		}
	}
	return func() { line.stop() }
}

// kernelsFor chooses the kernels, those of a part if it has any.
func (p *planFlags) kernelsFor(part *tflm.Map) error {
	if err := p.kernels.choose(part); err != nil {
		return err
	}
	if p.target == "python" && p.kernels.Set != tflm.ReferenceSet {
		return usagef("--target python does not go with the kernels of %s: the interpreter of PyPI has the reference kernels",
			p.kernels.Set.Name())
	}
	return nil
}

// options returns how the model is planned.
func (p *planFlags) options(o stowage.Options, outputs []output) (*models.Options, error) {
	permits, err := p.graph.kind()
	var split *models.Splitting
	if p.split {
		split = &models.Splitting{MaxMACs: float64(p.maxMACs)}
	}
	return &models.Options{
		Split: split, Verify: p.verify,
		Run: o, Permits: permits, InPlace: p.inPlace, Reorder: p.graph.reorder, Fold: p.fold, Replace: p.replace,
		Kernels: p.kernels.Kernels,
		Scratch: p.scratch, Tail: int64(p.tail), Capacity: int64(p.capacity), Target: p.target, Memories: p.where,
		Report: p.reporting(outputs), JSON: p.json,
		Check: func(problem *stowage.Problem) error {
			for _, o := range outputs {
				if err := checkFormat(o.kind, problem); o.flag == "-o" && err != nil {
					return err
				}
			}
			return nil
		},
	}, err
}

// reporting reports whether any report is asked for.
func (p *planFlags) reporting(outputs []output) bool {
	for _, o := range outputs {
		if o.flag == "--report" || o.kind == "html" {
			return true
		}
	}
	return p.json || !p.quiet
}

// misused returns an option that does not fit the model as a misuse of the command.
func misused(err error) error {
	if m, ok := errors.AsType[*models.Misuse](err); ok {
		return usageError{m.Unwrap()}
	}
	return err
}

// finish writes the files, prints the report, and ends with the exit code. A plan that does not fit is not written.
func (p *planFlags) finish(cmd *cobra.Command, name string, made models.Plan, outputs []output) error {
	end := outcomeOf(made.Status())
	switch made.Fits() {
	case "yes":
		end = nil
	case "no":
		end = outcome(exitInfeasible)
	case "unknown":
		end = outcome(exitUndecided)
	}
	needed := slices.ContainsFunc(outputs, func(o output) bool { return o.flag == "-o" && made.Needs(o.kind) })
	if p.capacity > 0 && end != nil || needed {
		if end == nil {
			end = outcome(exitUndecided)
		}
		outputs = p.unwritten(cmd, outputs)
	}
	if err := p.write(cmd, made, outputs); err != nil {
		return misused(err)
	}
	if err := p.say(cmd, name, made); err != nil {
		return err
	}
	doubtful, why := made.Doubts(slices.ContainsFunc(outputs, forFirmware))
	if end == nil && doubtful {
		end = outcome(exitUndecided)
	}
	if end != nil && p.quiet && !p.json {
		for _, x := range why {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: the model cannot run: %s\n", name, cell(x))
		}
	}
	return end
}

// write writes the files.
func (p *planFlags) write(cmd *cobra.Command, made models.Plan, outputs []output) error {
	var files []models.File
	for _, o := range outputs {
		if o.flag == "-o" {
			files = append(files, models.File{Path: o.path, Kind: o.kind})
		}
	}
	if err := made.Into(files); err != nil {
		return err
	}
	return writeAll(cmd, outputs, func(w io.Writer, o output) error {
		if o.kind == "html" {
			if page := made.Page(); page != nil {
				return writeReportPage(w, page)
			}
		}
		if done, err := made.Write(w, o.kind, o.flag == "--report"); done || err != nil {
			return err
		}
		return writerOf(o.kind)(w, documentOf(made.Document(o.kind)))
	})
}

// documentOf returns a plan as the writers of files take it.
func documentOf(d *models.Document) *document {
	return &document{
		problem: d.Problem, offsets: d.Offsets, pools: d.Pools, height: d.Height, lowerBound: d.LowerBound, result: d.Result,
		name:    d.Name,
		runtime: d.Runtime, tensors: d.Tensors, notes: d.Notes, overlaps: d.Overlaps,
	}
}

// writeReportPage writes a report as a page with the picture of the plan.
func writeReportPage(w io.Writer, p *models.Page) error {
	facts := p.Facts
	if p.Run {
		facts = append(factsOf(documentOf(p.Document)), facts...)
	}
	o := html.Options{Title: p.Title, LowerBound: p.LowerBound, Facts: facts, Overlaps: p.Overlaps}
	if p.Offsets == nil {
		return html.WriteProfile(w, p.Problem, o)
	}
	return html.Write(w, p.Problem, p.Offsets, o)
}

// forFirmware reports whether firmware is built with an output.
func forFirmware(o output) bool {
	return o.flag == "-o" && slices.Contains([]string{
		"tflite", "h", "c", models.Array, models.Selftest, models.PlannerClass,
	}, o.kind)
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
func (p *planFlags) say(cmd *cobra.Command, path string, made models.Plan) error {
	switch {
	case p.json:
		return writeTo(cmd, "", func(w io.Writer) error { _, err := made.Write(w, "json", true); return err })
	case p.quiet:
		return nil
	case p.brief:
		return writeText(cmd, "", func(w io.Writer) error { return p.answer(cmd, w, path, made) })
	case p.toStdout():
		return made.Print(cmd.ErrOrStderr())
	}
	return writeTo(cmd, "", made.Print)
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

// readModel reads a model of TensorFlow Lite from a file or standard input.
func readModel(path string) (*tflite.Model, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return nil, usagef("%s is a problem or a graph, not a model: stowage solve plans the one, stowage plan the other",
			path)
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

// withCommand completes an error about open dimensions: it adds the command line that settles
// all of them, with the flags that the user gave.
func withCommand(cmd *cobra.Command, file string, err error) error {
	var open *onnx.OpenError
	var input *stowage.InputError
	if !errors.As(err, &open) || !errors.As(err, &input) {
		return err
	}
	line := []string{cmd.CommandPath()}
	if cmd.Flags().Changed("brief") {
		line[0] = cmd.Root().Name()
	}
	line = append(line, given(cmd)...)
	line = append(append(line, open.Flags...), quoted(file))
	told := *input
	told.Issues = append(slices.Clone(input.Issues),
		stowage.Issue{File: file, Message: "the whole line, with 1 for each in place of your sizes: " + strings.Join(line, " ")})
	told.Total++
	return &told
}

// given returns the flags that the user gave, as they are typed, but those named.
func given(cmd *cobra.Command, but ...string) (words []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch values, many := f.Value.(pflag.SliceValue); {
		case f.Name == "brief" || slices.Contains(but, f.Name):
		case many:
			for _, v := range values.GetSlice() {
				words = append(words, "--"+f.Name, quoted(v))
			}
		case f.Value.String() == "true":
			words = append(words, "--"+f.Name)
		case f.NoOptDefVal != "": // a value stands behind =
			words = append(words, "--"+f.Name+"="+quoted(f.Value.String()))
		default:
			words = append(words, "--"+f.Name, quoted(f.Value.String()))
		}
	})
	return words
}

// quoted returns a word in the form that a shell reads.
func quoted(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:=,@+", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
