package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: stowage FILE does what most people want of that file, and answers in a few lines that end with the next
// command. A command line without a subcommand becomes one of solve or plan with the hidden flag --brief, so it takes
// all flags of these.
//
//	a problem, a dump, a trace   its lowest plan, or whether it fits a capacity (solve)
//	a problem with a plan        the plan is checked first, and compared with the lowest
//	a model, a graph             its arena (plan); of a model with dimensions that vary, one order for all sizes (solve)
//	a trace with -o FILE.plan    the plan of its steps (arena plan)

const briefUsage = "answer in a few lines"

// bindBrief defines the hidden flag by which stowage FILE calls a subcommand.
func bindBrief(cmd *cobra.Command, brief *bool) {
	cmd.Flags().BoolVar(brief, "brief", false, briefUsage)
	_ = cmd.Flags().MarkHidden("brief")
}

// withVerb puts a subcommand before a command line that has only flags and the name of a file. Others stay as they are.
func withVerb(p *Program, args []string) []string {
	if len(args) == 0 || p != theCommand || isCommand(args[0]) {
		return args
	}
	file, flags := theFile(args)
	if file == "" {
		return args
	}
	verb := []string{"solve", "--brief"}
	switch kind := fileKind(file); {
	case (kind.Model() || commandOf(file) == "plan") && !varies(flags): // solve has the short answer about all sizes
		verb[0] = "plan"
	case kind == format.Trace && strings.HasSuffix(outputOf(flags), ".plan"):
		verb = []string{"arena", "plan"}
	}
	return append(verb, args...)
}

// varies reports whether a dimension has a range: then all sizes are planned.
func varies(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc(valuesOf(flags, "dim"), func(pair string) bool {
		_, text, _ := onnx.SplitDim(pair)
		return strings.Contains(text, "..")
	})
}

// outputOf returns the value of the last -o.
func outputOf(flags *pflag.FlagSet) string {
	if paths := valuesOf(flags, "output"); len(paths) > 0 {
		return paths[len(paths)-1]
	}
	return ""
}

// valuesOf returns the values of a flag that may be repeated. Of flags with a fault, which are nil, there are none.
func valuesOf(flags *pflag.FlagSet, name string) []string {
	if flags == nil {
		return nil
	}
	values, err := flags.GetStringArray(name)
	if err != nil {
		panic(err) // both verbs have the flag
	}
	return values
}

// isCommand reports whether a word is a subcommand, of those that are hidden too.
func isCommand(word string) bool {
	return strings.HasPrefix(word, "__") || slices.ContainsFunc(rootGroups, func(g rootGroup) bool {
		return slices.Contains(strings.Fields(g.names), word)
	})
}

// theFile returns the only argument that is no flag if commandOf knows what to do with it, or "". flags are those
// before and after it, nil if one is wrong.
func theFile(args []string) (name string, flags *pflag.FlagSet) {
	for _, cmd := range []*cobra.Command{newSolve(), newPlan()} {
		f := cmd.Flags()
		f.Init(cmd.Name(), pflag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.SetNormalizeFunc(oneName)
		f.BoolP("help", "h", false, "")
		if f.Parse(args) != nil || f.NArg() != 1 {
			continue
		}
		if name := f.Arg(0); commandOf(name) != "" {
			return name, f
		}
	}
	if slices.ContainsFunc(args, isCommand) || !strings.HasPrefix(args[0], "-") && commandOf(args[0]) == "" {
		return "", nil // a subcommand in a wrong place, or in a wrong spelling
	}
	// A flag is wrong, or there are several files: the subcommand says so.
	for k, word := range args {
		if k > 0 && (args[k-1] == "-o" || args[k-1] == "--output") {
			continue
		}
		if _, err := os.Stat(word); err == nil && commandOf(word) != "" {
			return word, nil
		}
	}
	return "", nil
}

// fileKind returns the kind of a file, or "" if it cannot be read. A graph in JSON counts as a model.
func fileKind(name string) format.Kind {
	if name == format.Standard {
		return ""
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "" // a pipe can be read once only
	}
	in, err := format.Open(name)
	if err != nil {
		return ""
	}
	defer in.Close()
	if in.Kind == format.JSON {
		if text, err := in.Content(); err == nil && stowjson.IsGraph(text) {
			return format.TFLite
		}
	}
	return in.Kind
}

// ownFirst checks the plan that is in the file of a problem. The search starts from it.
func (s *solveFlags) ownFirst(cmd *cobra.Command, path string, file *format.File, o *stowage.Options) error {
	own := s.own
	if own.offsets == nil || s.ignoreOffsets || file.Kind.Model() {
		return nil
	}
	p := file.Problem
	free := *p // a plan that is too high for the capacity is a plan
	free.Capacity = 0
	report, err := stowage.VerifyPlan(&free,
		&stowage.Plan{Offsets: own.offsets, Pools: own.pools, Parts: own.parts, Height: -1})
	if err != nil {
		return err
	}
	if !report.OK() {
		return invalid(cmd, path, p, report, 0, false)
	}
	if !p.Ruled() {
		if o.Start == nil {
			o.Start = own.offsets
		}
		s.ownHeight = report.Height
	}
	return nil
}

// answer prints the outcome of stowage FILE about a problem.
func (s *solveFlags) answer(ctx context.Context, cmd *cobra.Command, input string, r *stowage.Result,
	p *stowage.Problem, began time.Time,
) error {
	return writeText(cmd, "", func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s\n", nameOf(input), s.sentence(r, p))
		if s.ownHeight > 0 {
			fmt.Fprintf(w, "its own plan is valid and %s\n", s.ownSentence(r, p))
		}
		s.saysFamily(w)
		if text := poolsSentence(r, p); text != "" {
			fmt.Fprintln(w, text)
		}
		if !r.Status.HasPlan() {
			s.sayNext(ctx, w, input, r, p, began)
			return nil
		}
		if written := s.written(); written != "" {
			_, err := fmt.Fprintf(w, "written: %s\n", written)
			return err
		}
		if f := s.own.File; input == format.Standard && f != nil && f.Kind.Model() {
			_, err := fmt.Fprintln(w, "these are the tensors of a model alone\nnext: 'stowage plan -' has the arena, from the same input")
			return err
		}
		if input == format.Standard {
			return nil
		}
		file := typed(input)
		if s.own.File != nil && s.own.Kind == format.Trace {
			_, err := fmt.Fprintf(w, "next: 'stowage -o steps.plan %s' writes the plan that the program follows\n", file)
			return err
		}
		kind := "csv"
		if checkFormat(kind, p) != nil || s.varied != nil {
			kind = "json"
		}
		flags := strings.Join(append(given(cmd, "output", "json", "quiet"), ""), " ")
		fmt.Fprintf(w, "next: 'stowage %s-o %s %s' writes the offsets, '-o plan.html' a page that shows them", flags,
			free(input, "plan."+kind), file)
		if p.Capacity == 0 && !p.Ruled() {
			fmt.Fprint(w, "; '-c SIZE' asks whether it fits")
		}
		if r.Stopped == plan.StopTimeout {
			fmt.Fprint(w, "; a longer '-t' looks on for a lower plan")
			if s.checkpoint == "" && !p.Ruled() {
				fmt.Fprint(w, ", and '--checkpoint best.json' goes on from this one the next time")
			}
		}
		_, err := fmt.Fprintln(w)
		return err
	})
}

// amount returns a number of bytes with its unit: 82837504 bytes (79 MiB).
func amount(n int64) string {
	number, unit, ok := strings.Cut(bytesAndUnit(n), " ")
	if number += " bytes"; ok {
		number += " " + unit
	}
	return number
}

// written lists the files of -o.
func (s *solveFlags) written() string {
	var files []string
	for _, o := range s.outputs {
		if !toStdout(o.path) {
			files = append(files, o.path)
		}
	}
	return strings.Join(files, ", ")
}

// sentence is the outcome for people.
func (s *solveFlags) sentence(r *stowage.Result, p *stowage.Problem) string {
	buffers := count(len(p.Buffers), "buffer")
	planned, without := ending(r.Stopped)
	switch {
	case p.Ruled():
		return summary(r, p)
	case r.Collision != nil:
		return "no plan: " + collides(r.Collision, p)
	case r.Status == stowage.Infeasible:
		return fmt.Sprintf("does not fit into %s: no plan of its %s is lower than %s, proven",
			amount(p.Capacity), buffers, amount(r.LowerBound))
	case r.Status == stowage.Unknown && p.Capacity > 0:
		return fmt.Sprintf("undecided whether it fits into %s: %s; no plan of its %s is lower than %s",
			amount(p.Capacity), without, buffers, amount(r.LowerBound))
	case r.Status == stowage.Unknown:
		return "no plan found: " + without
	}
	text := fmt.Sprintf("%s in %s", buffers, amount(r.Height))
	if p.Capacity > 0 {
		text = fmt.Sprintf("fits: %s of the capacity of %s", text, amount(p.Capacity))
	}
	switch {
	case r.ProvedBy == byCheckpoint:
		text += ", the lowest plan, proven by an earlier run"
	case r.Status == stowage.Optimal:
		text += ", the lowest plan, proven"
	case p.Capacity == 0 || s.minimize:
		text += fmt.Sprintf("; no plan is lower than %s, which is %s less", amount(r.LowerBound),
			gap(r.Height, r.LowerBound))
		text += " (" + planned + ")"
	}
	return text
}

// mostPools is how many pools an answer lists.
const mostPools = 8

// poolsSentence says how high each pool is, and that the height of the problem is their sum. It is empty for one pool.
func poolsSentence(r *stowage.Result, p *stowage.Problem) string {
	if !p.Ruled() || len(p.Rules.Pools) < 2 || !r.Status.HasPlan() {
		return ""
	}
	var parts []string
	for k := range p.Rules.Pools[:min(len(p.Rules.Pools), mostPools)] {
		pool := &p.Rules.Pools[k]
		part := fmt.Sprintf("%s %d", cell(pool.ID), model.ValueOf(r.Measures, model.HeightIn(pool.ID)))
		if pool.Capacity > 0 {
			part += fmt.Sprintf(" of %d", pool.Capacity)
		}
		parts = append(parts, part)
	}
	if more := len(p.Rules.Pools) - mostPools; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	text := "bytes by pool: " + strings.Join(parts, ", ")
	if slices.Contains(r.Objective, model.MeasureHeight) {
		text += "; height is their sum"
	}
	return text
}

// ownSentence compares the plan in the file with the one that was found.
func (s *solveFlags) ownSentence(r *stowage.Result, p *stowage.Problem) string {
	text := "takes " + amount(s.ownHeight)
	switch {
	case r.Status.HasPlan() && s.ownHeight > r.Height:
		text += fmt.Sprintf(", %s more", gap(s.ownHeight, r.Height))
	case p.Capacity > 0 && s.ownHeight > p.Capacity:
		text += ", which does not fit"
	case r.Status.HasPlan():
		text += ", the same"
	}
	return text
}

// free returns the name of a file to write that is not the one that is read.
func free(input, name string) string {
	if filepath.Base(input) == name {
		return "new-" + name
	}
	return name
}

// answer prints the outcome of stowage FILE about a model.
func (p *planFlags) answer(cmd *cobra.Command, w io.Writer, path string, made models.Plan) error {
	b := made.Brief()
	for _, line := range b.Lines {
		fmt.Fprintln(w, line)
	}
	fits := made.Fits() == "" && made.Status().HasPlan() || made.Fits() == "yes"
	written := slices.Clone(p.outputs)
	if b.Copied != "" {
		fmt.Fprintln(w, b.Copied)
		written = slices.DeleteFunc(written, func(path string) bool { // the model, or the model as an array
			return slices.Contains([]string{".tflite", ".cc", ".cpp", ".cxx"}, strings.ToLower(filepath.Ext(path)))
		})
	}
	if fits && len(written) > 0 {
		fmt.Fprintf(w, "written: %s\n", strings.Join(written, ", "))
	}
	if b.Strips && !p.split {
		fmt.Fprintln(w, "less still, perhaps, with --split, which may take minutes: operators in strips, which the runtime runs as they are "+
			"if its resolver has SLICE and CONCATENATION")
	}
	flags := given(cmd, "output", "json", "quiet", "report")
	file := typed(path)
	report := fmt.Sprintf("'%s' reports all of it", strings.Join(append(append([]string{"stowage plan"}, flags...), file), " "))
	if b.Flags != "" {
		flags = append(strings.Fields(b.Flags), flags...)
	}
	var err error
	switch {
	case !fits && b.Flags == "":
		_, err = fmt.Fprintln(w, "next:", report)
	case len(p.outputs) == 0 || b.Flags != "":
		whose := ""
		if b.Kind == "csv" { // a model of ONNX, whose own runtime reads no plan
			whose = " for code of your own; in Python stowage.onnxruntime plans what ONNX Runtime allocates"
		}
		_, err = fmt.Fprintf(w, "next: 'stowage %s-o %s %s' writes the plan%s; %s\n",
			strings.Join(append(flags, ""), " "), free(path, "planned."+b.Kind), file, whose, report)
	}
	return err
}
