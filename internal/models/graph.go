package models

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
)

// Idea: a graph in JSON is planned as a model is: the report on standard output, files by -o and --report. The plan
// in JSON has the names of the graph; it is also what --json prints. Files of other formats have the buffers of the
// chosen order, with the windows that follow from the permits.

// graphModel is a graph of operators.
type graphModel struct {
	g    *graph.Graph
	file string
}

// openGraph reads a graph of operators. Its error says what to do with a file in JSON that is something else.
func openGraph(in *format.Input, o format.Options) (Model, error) {
	g, err := in.Graph(o)
	if err == nil && g == nil {
		g, err = graphInJSON(in)
	}
	if err != nil {
		return nil, err
	}
	if g.Name == "" {
		g.Name = NameFor(in.Name)
	}
	return &graphModel{g, in.Name}, nil
}

func graphInJSON(in *format.Input) (*graph.Graph, error) {
	text, err := in.Content()
	switch {
	case err != nil:
		return nil, err
	case stowjson.IsGraphPlan(text):
		return nil, misusef("%s is a plan of a graph, not a graph: 'stowage verify GRAPH %s' checks it", in.Name, in.Name)
	case !stowjson.IsGraph(text) && stdjson.Valid(text):
		return nil, misusef("%s is a problem, not a model: stowage solve plans it", in.Name)
	}
	return stowjson.ReadGraph(in.Reader, in.Name)
}

func (x *graphModel) Problem(p *Options) (*model.Problem, []string, error) {
	l, err := graph.Lower(x.g, graph.Given(x.g), p.Permits)
	if err != nil {
		return nil, nil, Named(x.file, err)
	}
	return l.Problem, nil, nil
}

func (x *graphModel) Plan(ctx context.Context, p *Options) (Plan, error) {
	run := p.Run
	run.Minimize, run.Capacity = true, p.Capacity
	options := graph.Options{Permits: p.Permits, Reorder: p.Reorder, Run: run, Solve: p.Solve}
	if p.Split != nil {
		options.Strips, options.MaxWork = true, p.Split.MaxMACs
	}
	made, err := graph.Make(ctx, x.g, options)
	if err != nil {
		return nil, Named(x.file, err)
	}
	r := &graphReport{file: x.file, g: x.g, p: made, permits: p.Permits, reorder: p.Reorder, capped: p.Capacity > 0}
	r.split = p.Split != nil
	if p.Report && !p.JSON && !p.Reorder && p.Split == nil && made.Status.HasPlan() {
		if r.would, err = wouldLowerGraph(ctx, x.g, made, options); err != nil {
			return nil, err
		}
	}
	if r.d, err = r.document(); err != nil {
		return nil, err
	}
	return r, p.check(r.d.Problem)
}

// Arranged plans the graph in the given order, with the graph's own permits.
func (x *graphModel) Arranged(ctx context.Context, order Order) (*model.Problem, error) {
	o := graph.Options{
		Permits: graph.NoPermits, Reorder: order.Reordered, Solve: stowage.Solve,
		Run: stowage.Options{NodeLimit: orderNodes, Minimize: true},
	}
	switch {
	case order.Kernels != "":
		return nil, nil
	case order.InPlace:
		o.Permits = graph.InPlace
	}
	made, err := graph.Make(ctx, x.g, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, Named(x.file, err)
	}
	l, err := graph.Lower(x.g, made.Order, o.Permits)
	if err != nil {
		return nil, Named(x.file, err)
	}
	return l.Problem, nil
}

func (r *graphReport) Status() stowage.Status       { return r.p.Status }
func (r *graphReport) Fits() string                 { return "" } // the plan was made within the capacity, or none was
func (r *graphReport) Needs(string) bool            { return !r.p.Status.HasPlan() }
func (r *graphReport) Into([]File) error            { return nil }
func (r *graphReport) Document(string) *Document    { return r.d }
func (r *graphReport) Print(w io.Writer) error      { return r.print(w) }
func (r *graphReport) Doubts(bool) (bool, []string) { return false, nil }

// Write writes the plan of the graph, which is its report, too.
func (r *graphReport) Write(w io.Writer, kind string, report bool) (bool, error) {
	if report || kind == "json" {
		return true, stowjson.WriteGraphPlan(w, r.g, r.p)
	}
	return false, nil
}

func (r *graphReport) Page() *Page {
	facts := []html.Fact{
		{Name: "nothing shared", Value: strconv.FormatInt(r.sum(), 10)}, {Name: "saved", Value: r.saved()},
	}
	for _, l := range wouldLines(r.would, "a plan") {
		facts = append(facts, html.Fact{Name: "what would lower it", Value: l})
	}
	return &Page{Document: r.d, Title: r.title(), Run: true, Facts: facts}
}

// Named puts a file's name into the issues of an input error.
func Named(file string, err error) error {
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

// graphReport is the report of plan about a graph.
type graphReport struct {
	file    string
	g       *graph.Graph
	p       *graph.Plan
	permits graph.Permits
	reorder bool
	split   bool
	capped  bool         // a capacity was given
	would   []wouldLower // what other options would save
	d       *Document
}

// document returns the plan as a plan of the graph's problem in the chosen order.
func (r *graphReport) document() (*Document, error) {
	l, offsets, err := graph.LowerPlan(r.g, r.p, r.permits)
	if err != nil {
		return nil, err
	}
	d := &Document{Problem: l.Problem, LowerBound: r.p.LowerBound, Height: r.p.Height}
	d.Result = &stowage.Result{Status: r.p.Status, LowerBound: r.p.LowerBound, Planner: r.p.Planner, Stopped: r.p.Stopped}
	if d.Offsets = offsets; offsets == nil {
		return d, nil
	}
	d.Result.Offsets, d.Result.Height = d.Offsets, d.Height
	d.Notes = r.notes()
	for _, o := range r.p.Overlaps {
		d.Overlaps = append(d.Overlaps,
			render.Overlap{
				Result: l.Value[o.Result], Operand: l.Value[o.Operand], Lower: l.Start[o.Operator], Upper: l.End[o.Operator],
			})
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
	return fmt.Sprintf("%s: %s, %s (%d constant)", cell(filepath.Base(r.file)), count(len(r.g.Operators), "operator"),
		count(len(r.g.Values), "value"), constants)
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

// saved says what permits and order save.
func (r *graphReport) saved() string {
	s := r.p.Saved
	text := fmt.Sprintf("%d in place, %d by distances", s.InPlace, s.Distance)
	if r.reorder {
		text += fmt.Sprintf(", %d by the order: %d of %s moved", s.Order, graph.Moved(r.p.Order),
			count(len(r.g.Operators), "operator"))
	}
	if r.p.Chains != nil {
		text += fmt.Sprintf(", %d by strips", s.Strips)
	}
	// With a capacity, what did not fit is not counted as saved.
	if all := s.InPlace + s.Distance + s.Order + s.Strips; all > 0 && !r.capped {
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
	if chains := r.chains(); len(chains) > 0 {
		lines = append(lines, "Of these run in strips, as the plan in JSON says call by call:")
		for _, line := range chains {
			lines = append(lines, "  "+line)
		}
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
	fmt.Fprintf(&s, "  planned          %d (%s, lower bound %d)\n", r.p.Height, provenFor(r.p.Status, r.reorder),
		r.p.LowerBound)
	fmt.Fprintf(&s, "  saved            %s\n", r.saved())
	switch chains := r.chains(); {
	case len(chains) > 0:
		s.WriteString("in strips\n")
		for _, line := range chains {
			fmt.Fprintf(&s, "  %s\n", line)
		}
	case r.split:
		s.WriteString("not in strips: " + r.unsplit() + "\n")
	}
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
	printLower(&s, wouldLines(r.would, "a plan"))
	_, err := io.WriteString(w, s.String())
	return err
}

// chains says which operators run in strips.
func (r *graphReport) chains() (lines []string) {
	for i := range r.p.Chains {
		c := &r.p.Chains[i]
		name := cell(r.g.Operators[r.p.Order[c.First]].Name)
		if c.Last > c.First {
			name += " to " + cell(r.g.Operators[r.p.Order[c.Last]].Name)
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, %+.1f%% work", name, count(c.Strips, "strip"), count(len(c.Calls), "call"),
			100*float64(c.Work)/float64(max(r.g.Work(), 1))))
	}
	return lines
}

// unsplit says why no operator runs in strips.
func (r *graphReport) unsplit() string {
	for k := range r.g.Operators {
		switch {
		case len(r.g.Operators[k].Reads) == 0:
		case r.capped:
			return "the plan fits without"
		default:
			return "no choice of strips is lower"
		}
	}
	return "no operator says which lines it reads"
}

// provenFor is a status with its scope: the order of operators that the plan follows, or all orders.
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
			cell(r.g.Operators[o.Operator].Name), cell(r.g.Values[o.Result].Name), cell(r.g.Values[o.Operand].Name),
			o.Distance, o.Bytes))
	}
	return lines
}
