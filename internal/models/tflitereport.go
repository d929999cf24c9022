package models

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/tflm"
)

// planReport is the report that plan prints. The keys of its JSON are a contract; new ones go to the end.
type planReport struct {
	Model          string         `json:"model"`
	Tensors        int            `json:"tensors"` // of all subgraphs
	Buffers        int            `json:"buffers"` // of the arena, scratch included
	Scratch        int            `json:"scratch"`
	Status         stowage.Status `json:"status"`
	HeadBefore     int64          `json:"head_before"` // as the model is
	HeadGreedy     int64          `json:"head_greedy"` // without any plan
	HeadPlanned    int64          `json:"head_planned"`
	LowerBound     int64          `json:"lower_bound"`
	Room64         int64          `json:"room_64"` // what the runtime's planner needs while it plans
	Room32         int64          `json:"room_32"`
	Tail           int64          `json:"tail,omitempty"`
	SmallestBefore int64          `json:"smallest_arena_before,omitempty"`
	SmallestAfter  int64          `json:"smallest_arena_planned,omitempty"`
	Folded         int            `json:"float16_constants"`
	Written        bool           `json:"written"`
	Peak           peakReport     `json:"peak"`
	Arenas         []arenaReport  `json:"smallest_arenas"`
	Unknown        []string       `json:"unknown_operators"` // if there are any, the smallest arenas are lower bounds
	Lower          []string       `json:"what_would_lower_it"`
	ScratchFrom    string         `json:"scratch_from"`  // reference, none or declared
	Archive        bool           `json:"archive"`       // files are attached to the model
	Faulty         bool           `json:"faulty_plan"`   // the plan in the model is faulty
	Kept           bool           `json:"plan_kept"`     // the model's plan is kept: its tensors share bytes on purpose
	Fit            *fitReport     `json:"fit,omitempty"` // the answer to --capacity
	// Kernels are those that the figures hold for.
	Kernels  kernelsReport   `json:"kernels"`
	Overlays []overlayReport `json:"overlays"` // the pairs that depend on it
	orderReport
	WouldLower []wouldLower `json:"would_lower"` // what other options would save
	// Unchecked counts the overlaps of a kept plan for which no library was named.
	Unchecked int `json:"unchecked_overlaps,omitempty"`
	// ScratchUnknown: --diagonal names a vendor's kernels, and their scratch is not known. The smallest arenas are then
	// lower bounds.
	ScratchUnknown bool  `json:"scratch_unknown,omitempty"`
	Selftest       int64 `json:"selftest_arena,omitempty"` // what the self-test needs on the target, if it is written
	selftestOn     string

	Assumes   string           `json:"plan_assumes"`           // the library whose order the plan relies on
	Known     []knownReport    `json:"known_kernels"`          // the written model with each known library
	Worse     []standingReport `json:"worse_with,omitempty"`   // kernels with which the plan is worse than the runtime's
	Withheld  []standingReport `json:"withheld_for,omitempty"` // kernels with which every lower plan is worse, so none is written
	CannotRun []obstacleReport `json:"cannot_run"`             // if there are any, the smallest arenas are lower bounds
	Split     *splitReport     `json:"split,omitempty"`        // the answer to --split
	Verified  string           `json:"verify,omitempty"`       // the answer to --verify: equal

	set       tflm.Set // the kernels that the figures hold for
	about     []string // about them
	elsewhere string   // the arena with other kernels; empty if there is nothing to say
	other     string   // an example for --kernels: another version
	doubts    tflm.Doubts
	target    string // of --target

	library string // that of --diagonal
	apart   string // why --diagonal gained nothing; empty if it gained, or was not given
	folds   bool   // the constants are folded in the file too
	copied  string // why the output is the unchanged model, with its file; empty if the model is changed
}

// A standingReport compares a plan with the runtime's own for one set of kernels.
type standingReport struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Own     int64  `json:"head_greedy"` // without any plan
	Head    int64  `json:"head_planned"`
}

func standingsOf(all []tflm.Standing) (out []standingReport) {
	for _, s := range all {
		out = append(out, standingReport{s.Set.Name(), s.Set.Version(), min(s.Own, s.Before), s.Head})
	}
	return out
}

// words names the kernels with their heads, the first few of them.
func standingWords(all []standingReport) string {
	const most = 4
	var words []string
	for _, s := range all[:min(most, len(all))] {
		words = append(words, fmt.Sprintf("%s %s (a head of %d, %d without)", s.Name, s.Version, s.Head, s.Own))
	}
	text := strings.Join(words, ", ")
	if n := len(all) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// Standings names kernels, with the heads that a plan has with them.
func Standings(all []tflm.Standing) string { return standingWords(standingsOf(all)) }

// An obstacleReport is a reason for which the model cannot run.
type obstacleReport struct {
	Operator int    `json:"operator"`
	Kind     string `json:"kind"`
	Why      string `json:"why"`
	Next     string `json:"next_step"`
}

func obstaclesOf(all []tflm.Obstacle) []obstacleReport {
	out := []obstacleReport{}
	for _, x := range all {
		out = append(out, obstacleReport{x.Operator, x.Name, x.Why, x.Next})
	}
	return out
}

// words says that the model does not run, why, and what to do.
func (x *obstacleReport) words() string {
	return "as it is the model does not run in TensorFlow Lite Micro: " + x.Why + ": " + x.Next
}

// arenaReport is the smallest arena that works on a target, for the unplanned model and for the planned one.
type arenaReport struct {
	Target      string     `json:"target"`
	Before      int64      `json:"before"`
	LimitBefore tflm.Limit `json:"limit_before"` // what sets the size
	Planned     int64      `json:"planned,omitempty"`
	Limit       tflm.Limit `json:"limit_planned,omitempty"`
	Tail        int64      `json:"tail"` // the persistent data
	// With the tail that the target reports, for firmware.
	MeasuredBefore  int64 `json:"before_with_tail,omitempty"`
	MeasuredPlanned int64 `json:"planned_with_tail,omitempty"`
}

// peakReport says which tensors set the size of the arena.
type peakReport struct {
	Tick     int32       `json:"tick"`
	Operator string      `json:"operator,omitempty"`
	Bytes    int64       `json:"bytes"`
	Owners   []peakOwner `json:"owners"`
}

type peakOwner struct {
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	Without int64  `json:"peak_without,omitempty"` // the peak if it took no room
	Under   int64  `json:"under_result,omitempty"` // the bytes of it over which the result lies

	scratch bool // it is scratch of a kernel, not a tensor
}

// smaller names the owner of the peak that the model would have to shrink: a tensor, or the operator whose kernel needs
// the scratch.
func (o *peakOwner) smaller() string {
	if o.scratch {
		return "a smaller operator, or another kernel, for " + o.Name
	}
	return "a smaller " + o.Name
}

// reportOf reports a plan. would is what other options would save.
func (p *Options) reportOf(made *tflm.Plan, weights int, would []wouldLower) *planReport {
	a, m := made.Arena, made.Model
	r := &planReport{
		Model: m.File, Tensors: len(m.Tensors), Buffers: len(a.Tensor), Scratch: len(a.Tensor) - a.Scratch,
		Status: made.Result.Status, HeadBefore: made.Before, HeadGreedy: made.Greedy, HeadPlanned: made.Head,
		LowerBound: made.Result.LowerBound, Folded: weights, Unknown: append([]string{}, p.doubts.Unknown...),
		Lower: []string{}, Archive: m.TrailingZIP, Faulty: made.Faulty, Kept: made.Kept, folds: p.Fold,
		Assumes: string(made.Kernels), Overlays: overlaysOf(made), WouldLower: would, Unchecked: made.Unchecked,
		library: string(p.Kernels.Overlaps),
		Kernels: p.Kernels.report(), Known: knownOf(made), Worse: standingsOf(made.Worse()),
		Withheld: standingsOf(made.Withheld), ScratchFrom: p.scratchFrom(), CannotRun: obstaclesOf(p.doubts.Obstacles),
		target: p.Target, set: p.Kernels.Set, about: p.aboutKernels(len(a.Tensor) - a.Scratch), doubts: p.doubts,
		other: p.Kernels.other(),
	}
	if !p.Kernels.Versioned {
		r.elsewhere = made.Elsewhere(&tflm.Firmware32)
	}
	if p.Kernels.Overlaps != "" && made.Kernels == "" && !made.Kept {
		r.apart = "with results over operands, as " + r.library +
			" permits, the head would not be smaller: the plan assumes nothing"
		if why := made.WhyApart(p.Kernels.Overlaps); why != "" {
			r.apart += ". At the peak, " + why
		}
	}
	r.ScratchUnknown = r.ScratchFrom == "reference" && len(p.doubts.Scratch) > 0
	if p.Reorder {
		r.orderReport = orderOf(made)
	}
	p.arenas(r, made)
	r.Peak = ownersOfPeak(made)
	r.Lower = append(r.Lower, p.lower(r, made)...)
	return r
}

// arenas adds the sizes of the arenas, before and after. If the runtime's own plan is lower, the plan is not written.
func (p *Options) arenas(r *planReport, made *tflm.Plan) {
	for _, s := range made.Sizes() {
		t, before, with := s.Target, s.Before, s.After
		if t == &tflm.Interpreter && made.Set != tflm.ReferenceSet {
			continue // it has the reference kernels
		}
		x := arenaReport{Target: t.Name, Before: before.Smallest, LimitBefore: before.Limit, Tail: with.Tail}
		if made.Offsets != nil {
			x.Planned, x.Limit = with.Smallest, with.Limit
		}
		if p.Tail > 0 && t != &tflm.Interpreter {
			x.MeasuredBefore = before.Measured(p.Tail, made.Before)
			if made.Offsets != nil {
				x.MeasuredPlanned = with.Measured(p.Tail, made.WrittenHead())
			}
		}
		r.Arenas = append(r.Arenas, x)
		switch t {
		case &tflm.Firmware32:
			r.Room32 = with.Room
		case &tflm.Firmware64:
			r.Room64, r.Tail = with.Room, p.Tail
			r.SmallestBefore, r.SmallestAfter = x.MeasuredBefore, x.MeasuredPlanned
		}
	}
}

// ownersOfPeak returns the owners of the peak of the plan's problem.
func ownersOfPeak(made *tflm.Plan) peakReport {
	peak := made.Peak()
	r := peakReport{Tick: peak.Tick, Bytes: peak.Bytes, Owners: []peakOwner{}}
	if peak.Operator >= 0 {
		r.Operator = made.Model.Operators[peak.Operator].Name() + " " + strconv.Itoa(peak.Operator)
	}
	for i, k := range peak.Buffers {
		o := peakOwner{
			Name: ownerName(made, k, int64(peak.Tick)+1), Size: made.United.Buffers[k].Size,
			scratch: slices.Index(made.In, k) >= made.Arena.Scratch,
		}
		if i < len(peak.Without) {
			o.Without = peak.Without[i]
		}
		if made.Occupied != nil {
			o.Under = underResult(made, made.Arena.Tensor[k], peak.Operator)
		}
		r.Owners = append(r.Owners, o)
	}
	return r
}

// underResult returns how many bytes of a tensor lie under a result of an operator.
func underResult(made *tflm.Plan, tensor, operator int) (most int64) {
	span := func(t int) (from, to int64) {
		from = int64(made.Offsets[t])
		return from, from + tflite.RoundUp(made.Model.Tensors[t].Bytes)
	}
	for _, o := range made.Overlays {
		if o.Operator == operator && o.Operand == tensor {
			from, to := span(tensor)
			low, high := span(o.Result)
			most = max(most, min(to, high)-max(from, low))
		}
	}
	return most
}

// shared says how much of an owner of the peak lies under the result; empty for nothing.
func (o *peakOwner) shared() string {
	if o.Under == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of it under the result", o.Under)
}

// ownerName names the content of a buffer of the united problem at a given time: a tensor, or a result over its
// operand.
func ownerName(made *tflm.Plan, buffer int, at int64) string {
	name := ""
	for k, in := range made.In {
		b := &made.Arena.Problem.Buffers[k]
		switch {
		case in != buffer || at < b.Lower || at >= b.Upper:
		case name == "":
			name = b.ID
		default:
			name = b.ID + " over " + name
		}
	}
	return name
}

// lower says what would make the arena smaller, if anything is known.
func (p *Options) lower(r *planReport, made *tflm.Plan) []string {
	var out []string
	if made.Offsets == nil {
		return out
	}
	if made.Kept {
		if made.NPU() {
			return append(out, "the options of the model's compiler: the plan is its own, and an NPU finds its "+
				"tensors nowhere else")
		}
		if made.Kernels != "" {
			return append(out, "perhaps another plan: --replace-plan plans anew, for the same kernels")
		}
		return append(out, "perhaps another plan: --replace-plan plans anew, without what shares bytes on purpose")
	}
	switch best := min(r.HeadPlanned, r.HeadBefore); {
	case made.Rows != nil && r.Status == stowage.Optimal:
		out = append(out, "no other placement of these strips is lower: that is proven")
	case made.Rows == nil && r.Assumes != "" && r.Status == stowage.Optimal:
		out = append(out, "no other placement is lower with these kernels: that is proven")
	case made.Rows == nil && best == r.Peak.Bytes:
		out = append(out, "no other placement is lower: the head is as large as what is live at its peak")
	case r.Status != stowage.Optimal:
		out = append(out, "more time for the planner: --timeout; nothing is proven below a head of "+
			strconv.FormatInt(r.LowerBound, 10))
	}
	for _, x := range r.Arenas[:1] {
		switch x.Limit {
		case tflm.LimitPlanning:
			out = append(out, "on "+x.Target+
				" the arena is set by the records that the runtime plans with, not by the plan: fewer tensors make it smaller")
		case tflm.LimitPrepare:
			out = append(out, "on "+x.Target+" the arena is set by a kernel that prepares, not by the plan")
		}
	}
	out = append(out, wouldLines(r.WouldLower, "a head")...)
	if p.Split == nil && r.tiles() {
		out = append(out, "--split: operators in strips, written into the model, which the runtime runs as it is")
	}
	if len(r.Peak.Owners) > 0 && made.Occupied == nil && r.Peak.Owners[0].Without < r.Peak.Bytes {
		o := r.Peak.Owners[0]
		out = append(out, fmt.Sprintf("%s: if it took no room the peak would be %d", o.smaller(), o.Without))
	}
	return out
}

// tiles reports whether strips may help, and --split was not given.
func (r *planReport) tiles() bool {
	return r.Split == nil && slices.ContainsFunc(r.WouldLower, func(w wouldLower) bool { return w.Option == tilingName })
}

// figures returns the lines of the report, each a name and a value.
func (r *planReport) figures() []html.Fact {
	var out []html.Fact
	add := func(name, format string, args ...any) {
		out = append(out, html.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("head as it is", "%d", r.HeadBefore)
	if r.Status.HasPlan() && !r.Kept {
		less := ""
		switch {
		case r.HeadBefore < r.HeadPlanned: // --replace-plan
			less = fmt.Sprintf(", %.1f%% more", 100*float64(r.HeadPlanned-r.HeadBefore)/float64(r.HeadBefore))
		case r.HeadBefore > r.HeadPlanned:
			less = fmt.Sprintf(", %.1f%% less", 100*float64(r.HeadBefore-r.HeadPlanned)/float64(r.HeadBefore))
		}
		add("head planned", "%d (%s, lower bound %d)%s", r.HeadPlanned, provenFor(r.Status, false), r.LowerBound, less)
	}
	atLeast := ""
	if r.doubtful() {
		atLeast = "at least "
	}
	for _, x := range r.Arenas {
		planned := ""
		if x.Planned > 0 && !r.Kept {
			planned = fmt.Sprintf(", %s%d planned", atLeast, x.Planned)
		}
		set := ""
		if x.Limit != tflm.LimitHead && x.Limit != "" {
			set = fmt.Sprintf(" (set by %s)", x.Limit)
		}
		add("smallest arena, "+x.Target, "%s%d as it is%s%s", atLeast, x.Before, planned, set)
	}
	for _, x := range r.Arenas {
		if x.MeasuredBefore > 0 {
			planned, atLeast := "", ""
			if r.ScratchUnknown || len(r.CannotRun) > 0 {
				atLeast = "at least "
			}
			if x.MeasuredPlanned > 0 && !r.Kept {
				planned = fmt.Sprintf(", %s%d planned", atLeast, x.MeasuredPlanned)
			}
			add("with a tail of "+strconv.FormatInt(r.Tail, 10)+", "+x.Target, "%s%d as it is%s", atLeast,
				x.MeasuredBefore, planned)
		}
	}
	return out
}

// notes returns the sentences below the figures.
func (r *planReport) notes() []string {
	var out []string
	if r.Faulty {
		out = append(out, r.faulty())
	}
	if r.Kept {
		out = append(out, "the plan that the model has is kept: some of its tensors share bytes on purpose, as "+
			"stowage check says")
	}
	if r.Reordered != nil {
		out = append(out, r.ordered("operator", "head"))
	}
	if r.Split != nil {
		out = append(out, r.Split.lines()...)
	}
	switch {
	case r.assumed() != "":
		out = append(out, r.assumed())
	case r.apart != "":
		out = append(out, r.apart)
	}
	if r.Folded > 0 {
		out = append(out, count(r.Folded, "float16 constant")+" counted as float32 weights, not as buffers")
	}
	for _, x := range r.CannotRun {
		out = append(out, x.words())
	}
	if len(r.Unknown) > 0 {
		out = append(out, "nothing is known of what the kernels of "+strings.Join(r.Unknown, ", ")+" keep: see --tail")
	}
	if r.Archive && r.Written {
		out = append(out, "the archive of files that is attached to the model begins further behind: a reader that "+
			"trusts its positions has to look for it")
	}
	if r.Selftest > 0 {
		out = append(out, r.tested())
	}
	switch r.Verified {
	case "":
	case "equal":
		out = append(out, "verified: in the interpreter the outputs are the same bytes, in the arena for Python")
	default:
		out = append(out, "verification "+r.Verified)
	}
	return append(out, r.aboutKernels()...)
}

// doubtful reports whether the smallest arenas are only lower bounds, whatever tail is given.
func (r *planReport) doubtful() bool {
	return len(r.Unknown)+len(r.CannotRun) > 0 || r.ScratchUnknown
}

// aboutKernels says which kernels the figures hold for, and the sizes with other kernels.
func (r *planReport) aboutKernels() []string {
	out := slices.Clone(r.about)
	if len(r.Worse) > 0 {
		out = append(out, "the plan takes more than the runtime's own with "+standingWords(r.Worse))
	}
	if len(r.Withheld) > 0 {
		out = append(out, "no plan is written: the lowest that was found takes more than the runtime's own with "+
			standingWords(r.Withheld)+"; --kernels NAME plans for one set of kernels")
	}
	if r.elsewhere != "" && (r.Fit == nil || r.Fit.Fits != "yes") {
		out = append(out, r.elsewhere+r.other)
	}
	return out
}

// tested says which arena the self-test needs, and whether that exceeds the capacity.
func (r *planReport) tested() string {
	atLeast := ""
	if r.atLeast() {
		atLeast = "at least "
	}
	s := fmt.Sprintf("the self-test needs an arena of %s%d bytes (%s)", atLeast, r.Selftest, r.selftestOn)
	if r.Fit != nil && r.Selftest > r.Fit.Capacity {
		s += ", more than the capacity: run it on a larger board, or in an emulator, with the same core and the " +
			"same build of the kernels"
	}
	return s
}

// faulty says that the runtime does not follow the plan in the model.
func (r *planReport) faulty() string {
	if r.library == "" {
		return "the plan that the model has is faulty, and the figures are those without it: stowage check says what is wrong"
	}
	return fmt.Sprintf("the plan that the model has is faulty with the kernels of %[1]s, and the figures are those "+
		"without it: stowage check --diagonal=%[1]s says what is wrong", r.library)
}

// print writes the report for people.
func (r *planReport) print(w io.Writer) error {
	var s strings.Builder
	s.WriteString(r.title() + "\n")
	width := 0
	for _, f := range r.figures() {
		width = max(width, len(f.Name))
	}
	for _, f := range r.figures() {
		fmt.Fprintf(&s, "  %-*s  %s\n", width, f.Name, f.Value)
	}
	for _, n := range r.notes() {
		s.WriteString("  " + cell(n) + "\n")
	}
	r.Peak.print(&s, r.Fit, r.Lower)
	switch {
	case r.Written:
		s.WriteString("the plan is in the model\n")
	case r.copied != "":
		s.WriteString(r.unplanned() + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// unplanned says why the model that is written has no new plan; empty if it has one, or if no model is written.
func (r *planReport) unplanned() string {
	if r.copied == "" {
		return ""
	}
	return "no plan is written: " + r.copied + " is the model as it was"
}

// title says what was planned.
func (r *planReport) title() string {
	s := fmt.Sprintf("%s: %s, %s in the arena", cell(filepath.Base(r.Model)), count(r.Tensors, "tensor"),
		count(r.Buffers, "buffer"))
	if r.Scratch > 0 {
		s += fmt.Sprintf(", %d of them scratch", r.Scratch)
	}
	return s
}

// page returns the facts of the report.
func (r *planReport) page(made *tflm.Plan) []html.Fact {
	facts := r.figures()
	add := func(name, value string) { facts = append(facts, html.Fact{Name: name, Value: value}) }
	for _, x := range r.Arenas {
		add("tail, "+x.Target, strconv.FormatInt(x.Tail, 10))
	}
	add("peak", strings.TrimSpace(fmt.Sprintf("%d %s", r.Peak.Bytes, r.Peak.Operator)))
	for i, o := range r.Peak.Owners[:min(len(r.Peak.Owners), mostOwners)] {
		text := fmt.Sprintf("%s: %d%s", o.Name, o.Size, o.shared())
		if made.Occupied == nil {
			text += fmt.Sprintf("; the peak would be %d without it", o.Without)
		}
		add("owner "+strconv.Itoa(i+1)+" of the peak", text)
	}
	for _, l := range r.Lower {
		add("what would lower it", l)
	}
	for _, n := range r.notes() {
		add("note", n)
	}
	return facts
}

// coveringsOf returns the results that lie over operands, for pictures of the problem that Shown returns.
func coveringsOf(made *tflm.Plan) (out []render.Overlap) {
	for _, x := range made.Coverings() {
		out = append(out, render.Overlap(x))
	}
	return out
}
