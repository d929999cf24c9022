package models

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/render/html"
)

// onnxReport is the report about an ONNX model. The keys of its JSON are a contract; new ones go to the end.
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
	// InPlace is the height with --in-place, whether or not the option was given; 0 without a plan.
	InPlace int64 `json:"in_place"`
	orderReport
	// PeakBefore is with --reorder the most bytes live at once in the order of the file.
	PeakBefore int64        `json:"peak_before,omitempty"`
	WouldLower []wouldLower `json:"would_lower"`      // what other options would save
	Split      *splitReport `json:"split,omitempty"`  // the answer to --split
	Verified   string       `json:"verify,omitempty"` // the answer to --verify

	written string // the file of the model that was changed; empty for none
}

// fit answers the question if an .onnx model fits: its arena is as large as the plan is high.
func (r *onnxReport) fit(capacity int64) {
	f := &fitReport{Capacity: capacity, Target: "arena", Needed: r.Planned, Before: r.Planned, Would: []string{}}
	r.Fit = f
	switch {
	case r.Status.HasPlan() && r.Planned <= f.Capacity:
		f.Fits = "yes"
		return
	case r.LowerBound > f.Capacity:
		f.Fits = "no"
	default:
		f.Fits = "unknown"
	}
	for _, w := range r.WouldLower {
		if w.Saved > 0 && w.Option != tilingName {
			f.Would = append(f.Would, w.Option+": it then needs "+f.against(w.Head))
		}
	}
	if r.Status != stowage.Optimal {
		f.Would = append(f.Would, fmt.Sprintf("perhaps a better plan: --timeout gives the planner more time; "+
			"nothing is proven below %d", r.LowerBound))
	}
	f.smaller(&r.Peak)
}

// documentONNX returns the plan with the names of its tensors, or the problem if there is no plan.
func documentONNX(a *onnx.Arena, result *stowage.Result) *Document {
	d := &Document{Problem: a.Problem, LowerBound: result.LowerBound, Result: result}
	if !result.Status.HasPlan() {
		return d
	}
	d.Offsets, d.Height = result.Offsets, result.Height
	for i := range a.Tensors {
		if t := &a.Tensors[i]; t.Buffer >= 0 {
			d.Tensors = append(d.Tensors, cheader.Tensor{Name: t.Name, Offset: result.Offsets[t.Buffer], Size: t.Bytes})
		}
	}
	return d
}

// optimizedNote is said of models that ONNX Runtime did not save.
const optimizedNote = "ONNX Runtime makes another graph of this one, and allocates that: to plan it, let ONNX " +
	"Runtime save it (SessionOptions.optimized_model_filepath), and plan the file"

func reportONNX(ctx context.Context, m *onnx.Model, a *onnx.Arena, result *stowage.Result,
	alignment int64,
) *onnxReport {
	r := &onnxReport{
		Model: m.File, Nodes: m.Nodes, Tensors: len(a.Tensors), Buffers: len(a.Problem.Buffers), Alignment: alignment,
		Status: result.Status, LowerBound: result.LowerBound, Notes: append([]string{}, a.Notes...), WouldLower: []wouldLower{},
	}
	if r.Alignment == 0 {
		r.Alignment = onnx.Alignment
	}
	if !m.Optimized {
		r.Notes = append(r.Notes, optimizedNote)
	}
	for i := range a.Tensors {
		if a.Tensors[i].Stored || a.Tensors[i].Constant {
			r.Constants++
		}
	}
	for i := range a.Problem.Buffers {
		r.Sum += a.Problem.Buffers[i].Size
	}
	if result.Status.HasPlan() {
		r.Planned = result.Height
	}
	// Most code generators plan so: the largest first, in the smallest hole.
	if g, err := stowage.Minimize(ctx, a.Problem,
		stowage.Options{Planner: "first-fit", Params: map[string]string{"fit": "best"}}); err == nil && g.Status.HasPlan() {
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
	would := r.WouldLower
	if r.Split != nil {
		would = slices.DeleteFunc(slices.Clone(would), func(w wouldLower) bool { return w.Option == tilingName })
	} else if slices.ContainsFunc(would, func(w wouldLower) bool { return w.Option == tilingName }) {
		lines = append(lines, "--split: nodes in strips, written into the model, which ONNX Runtime runs as it is")
	}
	return append(lines, wouldLines(would, "an arena")...)
}

// title says what was planned.
func (r *onnxReport) title() string {
	return fmt.Sprintf("%s: %s, %s (%d constant), %s in the arena", cell(filepath.Base(r.Model)), count(r.Nodes, "node"),
		count(r.Tensors, "tensor"), r.Constants, count(r.Buffers, "buffer"))
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
	for _, line := range r.stripLines() {
		fmt.Fprintf(&s, "  %s\n", cell(line))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&s, "  note: %s\n", cell(note))
	}
	r.Peak.print(&s, r.Fit, r.lines())
	if r.written != "" {
		s.WriteString(r.written + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// page returns the facts of the report.
func (r *onnxReport) page() (facts []html.Fact) {
	add := func(name, value string) { facts = append(facts, html.Fact{Name: name, Value: value}) }
	add("nothing shared", strconv.FormatInt(r.Sum, 10))
	if r.Greedy > 0 {
		add("greedy by size", strconv.FormatInt(r.Greedy, 10))
	}
	add("peak", strings.TrimSpace(fmt.Sprintf("%d %s", r.Peak.Bytes, r.Peak.Operator)))
	for i, o := range r.Peak.Owners[:min(len(r.Peak.Owners), mostOwners)] {
		add("owner "+strconv.Itoa(i+1)+" of the peak", fmt.Sprintf("%s: %d", o.Name, o.Size))
	}
	for _, l := range r.lines() {
		add("what would lower it", l)
	}
	if r.Reordered != nil {
		add("order", r.orderedNodes())
	}
	for _, l := range r.stripLines() {
		add("strips", l)
	}
	for _, n := range r.Notes {
		add("note", n)
	}
	return facts
}
