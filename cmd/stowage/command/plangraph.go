package command

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
)

// Idea: a graph in JSON is planned as a model is: the report on standard output, files by -o and
// --report. The plan in JSON has the names of the graph; it is also what --json prints. Files of
// other formats have the buffers of the order that was chosen, with the windows that the permits
// mean.

// permitNames are the values of --permits.
var permitNames = []string{graph.AllPermits.String(), graph.InPlace.String(), graph.NoPermits.String()}

// graphFlags say how a graph is planned.
type graphFlags struct {
	reorder bool
	permits string
}

// bind defines the flags on a command.
func (g *graphFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&g.reorder, "reorder", false, "look for the order of operators with the lowest plan")
	f.StringVar(&g.permits, "permits", permitNames[0], "which permits of a graph count: `KIND` all, in-place or none")
	group(cmd, modelSection, "reorder", "permits")
	complete(cmd, "permits", func() []string { return permitNames })
}

// kind returns which permits count.
func (g *graphFlags) kind() (graph.Permits, error) {
	if at := slices.Index(permitNames, g.permits); at >= 0 {
		return graph.Permits(at), nil
	}
	return 0, usagef("invalid argument %q for --permits: must be one of %s", g.permits, strings.Join(permitNames, ", "))
}

// openGraph turns an input in JSON into a graph; an error if it is a problem.
func openGraph(in *format.Input) (*graph.Graph, error) {
	text, err := in.Content()
	if err != nil {
		return nil, err
	}
	if stowjson.IsGraphPlan(text) {
		return nil, usagef("%s is a plan of a graph, not a graph: 'stowage verify GRAPH %s' checks it", in.Name, in.Name)
	}
	if !stowjson.IsGraph(text) && stdjson.Valid(text) {
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", in.Name)
	}
	return stowjson.ReadGraph(in.Reader, in.Name)
}

func (p *planFlags) runGraph(cmd *cobra.Command, in *format.Input, outputs []output, o stowage.Options) error {
	modelsOnly := []string{"in-place", "kernels", "diagonal", "scratch", "fold-float16", "tail", "replace-plan", "target", "dim", "value", "shape", "size", "alignment", "heap"}
	for _, flag := range modelsOnly {
		if cmd.Flags().Changed(flag) {
			hint := ""
			if flag == "in-place" {
				hint = ": a graph says itself what may lie in place, and --permits in-place leaves the rest out"
			}
			return usagef("--%s is for models%s", flag, hint)
		}
	}
	permits, err := p.graph.kind()
	if err != nil {
		return err
	}
	g, err := openGraph(in)
	if err != nil {
		return err
	}
	if g.Name == "" {
		g.Name = nameFor(in.Name)
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	o.Minimize = true
	o.Capacity = int64(p.capacity)
	options := graph.Options{
		Permits: permits, Reorder: p.graph.reorder, Run: o,
		Solve: func(ctx context.Context, problem *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
			return solve(ctx, cmd.ErrOrStderr(), p.quiet, problem, o)
		},
	}
	if p.format != "" {
		order := make([]int, len(g.Operators))
		for k := range order {
			order[k] = k
		}
		l, err := graph.Lower(g, order, permits)
		if err != nil {
			return named(in.Name, err)
		}
		return writeDocument(cmd, p.problemFile(), p.format, &document{problem: l.Problem})
	}
	made, err := graph.Make(ctx, g, options)
	if err != nil {
		return named(in.Name, err)
	}
	r := &graphReport{file: in.Name, g: g, p: made, permits: permits, reorder: p.graph.reorder, capped: p.capacity > 0}
	if asked := p.reporting(outputs); asked && !p.json && !p.graph.reorder && made.Status.HasPlan() {
		if r.would, err = wouldLowerGraph(ctx, g, made, options); err != nil {
			return err
		}
	}
	d, err := r.document()
	if err != nil {
		return err
	}
	for _, o := range outputs {
		if err := checkFormat(o.kind, d.problem); o.flag == "-o" && err != nil {
			return err
		}
	}
	end := outcomeOf(made.Status)
	if !made.Status.HasPlan() {
		outputs = p.unwritten(cmd, outputs)
	}
	err = writeAll(cmd, outputs, func(w io.Writer, o output) error {
		switch o.kind {
		case "json":
			return stowjson.WriteGraphPlan(w, g, made)
		case "html":
			return r.page(w, d)
		}
		return writerOf(o.kind)(w, d)
	})
	if err != nil {
		return err
	}
	switch {
	case p.json:
		err = writeTo(cmd, "", func(w io.Writer) error { return stowjson.WriteGraphPlan(w, g, made) })
	default:
		err = p.say(cmd, r)
	}
	if err != nil {
		return err
	}
	return end
}

// named puts a file's name into the issues of an input error.
func named(file string, err error) error {
	input, ok := errors.AsType[*stowage.InputError](err)
	if !ok {
		return err
	}
	told := &stowage.InputError{Total: input.Total}
	for _, issue := range input.Issues {
		issue.File = file
		told.Issues = append(told.Issues, issue)
	}
	return told
}

// graphReport is what plan says of a graph.
type graphReport struct {
	file    string
	g       *graph.Graph
	p       *graph.Plan
	permits graph.Permits
	reorder bool
	capped  bool         // a capacity was given
	would   []wouldLower // what other options would save
}

// document returns the plan as one of the problem that the graph is in its order.
func (r *graphReport) document() (*document, error) {
	l, err := graph.Lower(r.g, r.p.Order, r.permits)
	if err != nil {
		return nil, err
	}
	d := &document{problem: l.Problem, lowerBound: r.p.LowerBound, height: r.p.Height}
	d.result = &stowage.Result{Status: r.p.Status, LowerBound: r.p.LowerBound, Planner: r.p.Planner, Stopped: r.p.Stopped}
	if r.p.Offsets == nil {
		return d, nil
	}
	d.offsets = make([]int64, len(l.Problem.Buffers))
	for v, i := range l.Value {
		if i >= 0 {
			d.offsets[i] = r.p.Offsets[v]
		}
	}
	for k, i := range l.Scratch {
		if i >= 0 {
			d.offsets[i] = r.p.Scratch[k]
		}
	}
	d.result.Offsets, d.result.Height = d.offsets, d.height
	d.notes = r.notes()
	for _, o := range r.p.Overlaps {
		d.overlaps = append(d.overlaps, render.Overlap{Result: l.Value[o.Result], Operand: l.Value[o.Operand], Lower: l.Start[o.Operator], Upper: l.End[o.Operator]})
	}
	return d, nil
}

// title says what was planned.
func (r *graphReport) title() string {
	constants := 0
	for i := range r.g.Values {
		if r.g.Values[i].Constant {
			constants++
		}
	}
	return fmt.Sprintf("%s: %s, %s (%d constant)", cell(filepath.Base(r.file)), count(len(r.g.Operators), "operator"), count(len(r.g.Values), "value"), constants)
}

// sum returns the bytes of all that takes memory.
func (r *graphReport) sum() (sum int64) {
	for i := range r.g.Values {
		if !r.g.Values[i].Constant {
			sum += r.g.Values[i].Size
		}
	}
	for k := range r.g.Operators {
		sum += r.g.Operators[k].Scratch
	}
	return sum
}

// moved counts the operators that are not where the graph has them.
func (r *graphReport) moved() (n int) {
	for place, k := range r.p.Order {
		if place != k {
			n++
		}
	}
	return n
}

// saved says what permits and order save.
func (r *graphReport) saved() string {
	s := r.p.Saved
	text := fmt.Sprintf("%d in place, %d by distances", s.InPlace, s.Distance)
	if r.reorder {
		text += fmt.Sprintf(", %d by the order: %d of %s moved", s.Order, r.moved(), count(len(r.g.Operators), "operator"))
	}
	// With a capacity, what did not fit is not counted as saved.
	if all := s.InPlace + s.Distance + s.Order; all > 0 && !r.capped {
		text += fmt.Sprintf("; without these %d", r.p.Height+all)
	}
	return text
}

// notes has order and overlaps, for the comment of a header.
func (r *graphReport) notes() []string {
	lines := []string{"The offsets hold for the operators in this order:"}
	for _, k := range r.p.Order {
		lines = append(lines, "  "+cell(r.g.Operators[k].Name))
	}
	if over := r.overlaps(); len(over) > 0 {
		lines = append(lines, "Results over operands, which the operator's code must endure:")
		for _, line := range over {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// print writes the report for people.
func (r *graphReport) print(w io.Writer) error {
	var s strings.Builder
	s.WriteString(r.title() + "\n")
	fmt.Fprintf(&s, "  nothing shared   %d\n", r.sum())
	if !r.p.Status.HasPlan() {
		fmt.Fprintf(&s, "  no plan          %s, lower bound %d\n", r.p.Status, r.p.LowerBound)
		_, err := io.WriteString(w, s.String())
		return err
	}
	fmt.Fprintf(&s, "  planned          %d (%s, lower bound %d)\n", r.p.Height, provenFor(r.p.Status, r.reorder), r.p.LowerBound)
	fmt.Fprintf(&s, "  saved            %s\n", r.saved())
	if len(r.p.Overlaps) > 0 {
		s.WriteString("results over operands\n")
	}
	const most = 12
	for i, line := range r.overlaps() {
		if i == most {
			fmt.Fprintf(&s, "  … and %d more: --json has all\n", len(r.p.Overlaps)-most)
			break
		}
		fmt.Fprintf(&s, "  %s\n", line)
	}
	if lines := wouldLines(r.would, "a plan"); len(lines) > 0 {
		s.WriteString("what would lower it\n  " + onLines(lines, "\n  ") + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// provenFor is a status with what it holds for: the order of the operators that the plan follows, or all orders.
func provenFor(s stowage.Status, orders bool) string {
	switch {
	case s != stowage.Optimal:
		return s.String()
	case orders:
		return "optimal in any order"
	}
	return "optimal in this order"
}

// overlaps says which result lies over which operand.
func (r *graphReport) overlaps() (lines []string) {
	for _, o := range r.p.Overlaps {
		lines = append(lines, fmt.Sprintf("%s: %s over %s, at the distance %d, %d bytes shared",
			cell(r.g.Operators[o.Operator].Name), cell(r.g.Values[o.Result].Name), cell(r.g.Values[o.Operand].Name), o.Distance, o.Bytes))
	}
	return lines
}

// page writes the report as a page with the picture of the plan.
func (r *graphReport) page(w io.Writer, d *document) error {
	facts := append(factsOf(d), html.Fact{Name: "nothing shared", Value: strconv.FormatInt(r.sum(), 10)}, html.Fact{Name: "saved", Value: r.saved()})
	for _, l := range wouldLines(r.would, "a plan") {
		facts = append(facts, html.Fact{Name: "what would lower it", Value: l})
	}
	o := html.Options{Title: r.title(), LowerBound: r.p.LowerBound, Facts: facts, Overlaps: d.overlaps}
	if d.offsets == nil {
		return html.WriteProfile(w, d.problem, o)
	}
	return html.Write(w, d.problem, d.offsets, o)
}
