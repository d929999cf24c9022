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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/render/html"
)

// onnxReport is what plan prints of an ONNX model. The keys of its JSON are a
// contract; new ones go to the end.
type onnxReport struct {
	Model      string         `json:"model"`
	Nodes      int            `json:"nodes"`
	Tensors    int            `json:"tensors"`   // the results of nodes, and inputs
	Constants  int            `json:"constants"` // tensors that are stored, or computed from constants alone
	Buffers    int            `json:"buffers"`
	Alignment  int64          `json:"alignment"`
	Status     stowage.Status `json:"status"`
	Sum        int64          `json:"sum"`            // the size of all buffers: an arena without sharing
	Greedy     int64          `json:"greedy_by_size"` // 0 if that planner cannot plan the problem
	Planned    int64          `json:"planned"`        // 0 without a plan
	LowerBound int64          `json:"lower_bound"`
	Notes      []string       `json:"notes"`
	Peak       peakReport     `json:"peak"`
	Fit        *fitReport     `json:"fit,omitempty"` // the answer to --capacity
	// InPlace is the height with --in-place: what was planned, if the option was given; 0 without a plan.
	InPlace int64 `json:"in_place"`
	orderReport
	// PeakBefore is with --reorder the most bytes live at once in the order of the file.
	PeakBefore int64        `json:"peak_before,omitempty"`
	WouldLower []wouldLower `json:"would_lower"` // what other options would save
	written    string       // where the model in its order is; empty if it is not written
}

func (p *planFlags) runONNX(cmd *cobra.Command, in *format.Input, outputs []output, o stowage.Options) error {
	for _, flag := range []string{"kernels", "diagonal", "scratch", "fold-float16", "tail", "replace-plan", "target"} {
		if cmd.Flags().Changed(flag) && (flag != "target" || partOf(p.target) == nil) {
			return usagef("--%s is for .tflite models", flag)
		}
	}
	settled, err := p.model.options()
	if err != nil {
		return err
	}
	if err := in.Settles(settled); err != nil {
		return err
	}
	m, err := onnx.Read(in.Reader, in.Name)
	if err != nil {
		return err
	}
	options := settled.ONNX()
	options.InPlace = p.inPlace
	a, err := m.Arena(options)
	if err != nil {
		return withCommand(cmd, in.Name, err)
	}
	a.Problem.Name = nameFor(in.Name)
	if p.where != nil {
		return p.runBanksONNX(cmd, m, a, outputs, o)
	}
	if p.format != "" {
		if !p.quiet {
			noteRead(cmd, in.Name, &format.File{Notes: a.Notes})
		}
		return writeDocument(cmd, p.problemFile(), p.format, &document{problem: a.Problem})
	}
	for _, o := range outputs {
		if o.kind == onnxModel {
			continue
		}
		if err := checkFormat(o.kind, a.Problem); o.flag == "-o" && err != nil {
			return err
		}
	}
	o.Minimize = true
	ctx, release := interruptible(cmd.Context())
	defer release()
	best, err := models.LowestONNX(ctx, m, options, p.graph.reorder, o, func(ctx context.Context, problem *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
		return solve(ctx, cmd.ErrOrStderr(), p.quiet, problem, o)
	})
	if err != nil {
		return err
	}
	given := m
	m, a = best.Model, best.Arena
	result := best.Result
	a.Problem.Name = nameFor(in.Name)
	r := reportONNX(ctx, m, a, result, options.Alignment)
	if p.graph.reorder {
		r.orderReport, r.PeakBefore = orderOfONNX(best.Found), best.Before
		proven := *r.OrderBound > 0 && r.Planned > 0 && r.Planned <= *r.OrderBound
		r.OrderProven = &proven
	}
	if p.reporting(outputs) {
		if err = r.lower(ctx, given, m, options, p.graph.reorder, o); err != nil {
			return err
		}
	}
	d := documentONNX(a, result)
	if m != given {
		d.tellOrder(in.Name, outputs)
	}
	end := outcomeOf(result.Status)
	if p.capacity > 0 {
		end = p.fitONNX(r, result)
	}
	if !result.Status.HasPlan() || p.capacity > 0 && end != nil {
		outputs = p.unwritten(cmd, outputs)
	}
	err = writeAll(cmd, outputs, func(w io.Writer, o output) error {
		switch {
		case o.flag == "--report" && o.kind == "json":
			return writeIndented(w, r)
		case o.kind == "html":
			return r.page(w, d)
		case o.kind == onnxModel:
			_, err := w.Write(m.Bytes())
			return err
		}
		return writerOf(o.kind)(w, d)
	})
	if err != nil {
		return err
	}
	r.tellWritten(outputs, m != given)
	if err := p.say(cmd, r); err != nil {
		return err
	}
	return end
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
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch values, many := f.Value.(pflag.SliceValue); {
		case many:
			for _, v := range values.GetSlice() {
				line = append(line, "--"+f.Name, quoted(v))
			}
		case f.Value.String() == "true":
			line = append(line, "--"+f.Name)
		default:
			line = append(line, "--"+f.Name, quoted(f.Value.String()))
		}
	})
	line = append(append(line, open.Flags...), quoted(file))
	told := *input
	told.Issues = append(slices.Clone(input.Issues), stowage.Issue{File: file, Message: "the whole line, with 1 for each: " + strings.Join(line, " ")})
	told.Total++
	return &told
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

// fitONNX answers --capacity for an .onnx model: the arena is the plan's height.
func (p *planFlags) fitONNX(r *onnxReport, result *stowage.Result) error {
	f := &fitReport{Capacity: int64(p.capacity), Target: "arena", Needed: r.Planned, Before: r.Planned, Would: []string{}}
	r.Fit = f
	var end error
	switch {
	case r.Status.HasPlan() && r.Planned <= f.Capacity:
		f.Fits = "yes"
		return nil
	case result.LowerBound > f.Capacity:
		f.Fits, end = "no", outcome(exitInfeasible)
	default:
		f.Fits, end = "unknown", outcome(exitUndecided)
	}
	for _, w := range r.WouldLower {
		if w.Saved > 0 && w.Option != tilingName {
			f.Would = append(f.Would, w.Option+": it then needs "+f.against(w.Head))
		}
	}
	if r.Status != stowage.Optimal {
		f.Would = append(f.Would, fmt.Sprintf("perhaps a better plan: --timeout gives the planner more time; nothing is proven below %d", r.LowerBound))
	}
	for _, owner := range r.Peak.Owners[:min(len(r.Peak.Owners), 3)] {
		f.Would = append(f.Would, fmt.Sprintf("a smaller %s: it has %d of the %d bytes at the peak, %s", owner.Name, owner.Size, r.Peak.Bytes, r.Peak.Operator))
	}
	return end
}

// documentONNX returns the plan with the names of its tensors, or the problem if there is no
// plan.
func documentONNX(a *onnx.Arena, result *stowage.Result) *document {
	d := &document{problem: a.Problem, lowerBound: result.LowerBound, result: result}
	if !result.Status.HasPlan() {
		return d
	}
	d.offsets, d.height = result.Offsets, result.Height
	for i := range a.Tensors {
		if t := &a.Tensors[i]; t.Buffer >= 0 {
			d.tensors = append(d.tensors, cheader.Tensor{Name: t.Name, Offset: result.Offsets[t.Buffer], Size: t.Bytes})
		}
	}
	return d
}

// optimizedNote is said of models that ONNX Runtime did not save.
const optimizedNote = "ONNX Runtime makes another graph of this one, and allocates that: to plan it, let ONNX Runtime save it " +
	"(SessionOptions.optimized_model_filepath), and plan the file"

func reportONNX(ctx context.Context, m *onnx.Model, a *onnx.Arena, result *stowage.Result, alignment int64) *onnxReport {
	r := &onnxReport{
		Model: m.File, Nodes: m.Nodes, Buffers: len(a.Problem.Buffers), Alignment: alignment, Status: result.Status,
		LowerBound: result.LowerBound, Notes: append([]string{}, a.Notes...), WouldLower: []wouldLower{},
	}
	if r.Alignment == 0 {
		r.Alignment = onnx.Alignment
	}
	if !m.Optimized {
		r.Notes = append(r.Notes, optimizedNote)
	}
	for i := range a.Tensors {
		if !a.Tensors[i].Stored {
			r.Tensors++
			if a.Tensors[i].Constant {
				r.Constants++
			}
		} else {
			r.Constants++
			r.Tensors++
		}
	}
	for i := range a.Problem.Buffers {
		r.Sum += a.Problem.Buffers[i].Size
	}
	if result.Status.HasPlan() {
		r.Planned = result.Height
	}
	// Most code generators plan so: the largest first, in the smallest hole.
	if g, err := stowage.Minimize(ctx, a.Problem, stowage.Options{Planner: "first-fit", Params: map[string]string{"fit": "best"}}); err == nil && g.Status.HasPlan() {
		r.Greedy = g.Height
	}
	r.Peak = peakOf(a)
	return r
}

// peakOf returns the earliest time at which the most bytes are live, and their owners.
func peakOf(a *onnx.Arena) peakReport {
	r := peakReport{Owners: []peakOwner{}}
	tl := timeline.New(a.Problem)
	for s, load := range tl.Load {
		if load == tl.MaxLoad {
			r.Tick, r.Bytes = int32(tl.Starts[s]), load
			break
		}
	}
	at := int64(r.Tick)
	for i := range a.Problem.Buffers {
		b := &a.Problem.Buffers[i]
		live := b.Lower <= at && at < b.Upper
		for _, g := range b.Gaps {
			live = live && (at < g.Lower || at >= g.Upper)
		}
		if live {
			r.Owners = append(r.Owners, peakOwner{Name: b.ID, Size: b.Size})
		}
	}
	slices.SortStableFunc(r.Owners, func(a, b peakOwner) int { return int(b.Size - a.Size) })
	for _, s := range a.Steps {
		if s.Tick <= at {
			r.Operator = s.Operator + " " + s.Node
		}
	}
	return r
}

// lines says what would make the plan smaller.
func (r *onnxReport) lines() (lines []string) {
	if r.Planned == 0 {
		return nil
	}
	if r.Planned == r.Peak.Bytes {
		lines = append(lines, "no other placement is lower: the plan is as large as what is live at its peak")
	}
	return append(lines, wouldLines(r.WouldLower, "an arena")...)
}

// title says what was planned.
func (r *onnxReport) title() string {
	return fmt.Sprintf("%s: %s, %s (%d constant), %s in the arena", cell(filepath.Base(r.Model)), count(r.Nodes, "node"), count(r.Tensors, "tensor"), r.Constants, count(r.Buffers, "buffer"))
}

// print writes the report for people.
func (r *onnxReport) print(w io.Writer) error {
	var s strings.Builder
	s.WriteString(r.title() + "\n")
	fmt.Fprintf(&s, "  nothing shared   %d\n", r.Sum)
	if r.Greedy > 0 {
		fmt.Fprintf(&s, "  greedy by size   %d\n", r.Greedy)
	}
	if r.Status.HasPlan() {
		fmt.Fprintf(&s, "  planned          %d (%s, lower bound %d)", r.Planned, provenFor(r.Status, false), r.LowerBound)
		if r.Greedy > r.Planned {
			fmt.Fprintf(&s, ", %.1f%% less than greedy", 100*float64(r.Greedy-r.Planned)/float64(r.Greedy))
		}
		s.WriteByte('\n')
	}
	if r.Reordered != nil {
		s.WriteString("  " + r.orderedNodes() + "\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&s, "  note: %s\n", cell(note))
	}
	fmt.Fprintf(&s, "peak of %d", r.Peak.Bytes)
	if r.Peak.Operator != "" {
		fmt.Fprintf(&s, " at %s", cell(r.Peak.Operator))
	}
	s.WriteByte('\n')
	const most = 8
	for i, o := range r.Peak.Owners {
		if i == most {
			fmt.Fprintf(&s, "  … and %d more\n", len(r.Peak.Owners)-most)
			break
		}
		fmt.Fprintf(&s, "  %9d  %s\n", o.Size, cell(o.Name))
	}
	if r.Fit != nil {
		s.WriteString(onLines(r.Fit.lines(), "\n") + "\n")
	} else if lines := r.lines(); len(lines) > 0 {
		s.WriteString("what would lower it\n  " + onLines(lines, "\n  ") + "\n")
	}
	if r.written != "" {
		s.WriteString(r.written + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// page writes the report as a page with the picture of the plan.
func (r *onnxReport) page(w io.Writer, d *document) error {
	facts := factsOf(d)
	add := func(name, value string) { facts = append(facts, html.Fact{Name: name, Value: value}) }
	add("nothing shared", strconv.FormatInt(r.Sum, 10))
	if r.Greedy > 0 {
		add("greedy by size", strconv.FormatInt(r.Greedy, 10))
	}
	add("peak", strings.TrimSpace(fmt.Sprintf("%d %s", r.Peak.Bytes, r.Peak.Operator)))
	for i, o := range r.Peak.Owners[:min(len(r.Peak.Owners), 8)] {
		add("owner "+strconv.Itoa(i+1)+" of the peak", fmt.Sprintf("%s: %d", o.Name, o.Size))
	}
	for _, l := range r.lines() {
		add("what would lower it", l)
	}
	if r.Reordered != nil {
		add("order", r.orderedNodes())
	}
	for _, n := range r.Notes {
		add("note", n)
	}
	o := html.Options{Title: r.title(), LowerBound: r.LowerBound, Facts: facts}
	if d.offsets == nil {
		return html.WriteProfile(w, d.problem, o)
	}
	return html.Write(w, d.problem, d.offsets, o)
}
