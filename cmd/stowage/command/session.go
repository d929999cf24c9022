package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/session"
)

// Idea: package session follows the changes of a trace; this command reads it, makes the calls and prints their
// results.

type sessionFlags struct {
	planner, effort string
	capacity        size
	timeout         duration
	nodes           int64
	seed            uint64
	output, format  string
	each, quiet     bool
	json            bool
}

// sessionNames are the formats that a session is written in.
func sessionNames() []string { return append(problemNames(), "html") }

// efforts are the names of the steps.
func efforts() (names []string) {
	for s := session.Keep; s <= session.Fresh; s++ {
		names = append(names, s.String())
	}
	return names
}

func newSession() *cobra.Command {
	var s sessionFlags
	cmd := &cobra.Command{
		Use:   "session TRACE",
		Short: "Let a plan follow the changes of a problem",
		Long: `Session reads a TRACE of changes (stowage-trace/1, one JSON object a line), and makes them one by one: buffers come, leave, grow and shift. After each change the plan is valid, or the change was not made. The plan moves as little as the steps find: keep, fit, repair, window, hints, fresh. 'stowage gen edit' makes traces, and docs/sessions.md describes them.

The summary on standard output counts the changes by the step that made them, and what they moved. With --each a line for each call comes before it.`,
		Example: `  stowage gen edit --base model.csv -o changes.jsonl
  stowage session changes.jsonl
  stowage session --each -o last.csv changes.jsonl
  stowage session -o played.html changes.jsonl`,
		Args:       arity(1, "TRACE"),
		SuggestFor: []string{"replay", "play", "loop"},
		Annotations: map[string]string{
			exitsKey: "0  the trace was played\n1  internal failure, or an output that cannot be written\n" +
				"2  bad usage or input\n4  a limit came before the plan to begin with",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP((*once)(&s.output), "output", "o",
		"write the last problem and its plan to `FILE`, by its extension; as .html a page that plays all calls")
	f.StringVar(&s.format, "format", "", "write as `NAME` (csv, json, html), whatever the extension")
	f.BoolVar(&s.each, "each", false, "print a line for each call")
	f.BoolVar(&s.json, "json", false, "print the summary as JSON")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "print no summary")
	f.Var(&s.capacity, "capacity", "fit into `SIZE` bytes [default: the trace's]")
	f.StringVar(&s.effort, "effort", "fresh",
		"let calls take no step after `STEP`: keep, fit, repair, window, hints, fresh")
	f.StringVar(&s.planner, "planner", stowage.DefaultPlanner, setting.Usage("planner"))
	f.VarP(&s.timeout, "timeout", "t", "end each call after `D`; answers then depend on the clock")
	f.Int64Var(&s.nodes, "nodes", 0,
		fmt.Sprintf("end the planner of each call after `N` nodes [default: %d]", session.DefaultNodeLimit))
	f.Uint64Var(&s.seed, "seed", 0, setting.Usage("seed"))
	group(cmd, plannerSection, "effort", "planner", "timeout", "nodes", "seed")
	group(cmd, "Output", "output", "format", "each", "json", "quiet")
	complete(cmd, "effort", efforts)
	complete(cmd, "planner", plannerNames)
	complete(cmd, "format", sessionNames)
	return cmd
}

func (s *sessionFlags) run(cmd *cobra.Command, path string) error {
	if _, ok := session.StepOf(s.effort); !ok {
		return usagef("invalid argument %q for --effort: must be one of %s", s.effort, strings.Join(efforts(), ", "))
	}
	if s.json && s.each {
		return usagef("--json and --each exclude each other: with --each there is a line for each call")
	}
	if !slices.Contains(plannerNames(), s.planner) {
		return usageError{setting.UnknownPlanner(s.planner)}
	}
	name := ""
	if s.output != "" {
		var err error
		if name, err = formatOf(s.format, s.output, sessionNames()); err != nil {
			return err
		}
		if err := checkOutput(s.output); err != nil {
			return err
		}
		if samePlace(path, s.output) {
			return usagef("the plan would replace its trace %s", path)
		}
	}
	t, err := readChanges(path)
	if err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	tally, open, page, err := s.play(cmd, ctx, path, t, name == "html")
	if err != nil {
		return err
	}
	if !s.quiet {
		err := writeReport(cmd, s.json, func() any { return tally.facts(open) },
			func(w io.Writer) error { return tally.write(w, open) })
		if err != nil {
			return err
		}
	}
	if s.output == "" {
		return nil
	}
	if page != nil {
		return writeTo(cmd, s.output, func(w io.Writer) error { return page.write(w, tally, open) })
	}
	p, plan := open.Snapshot()
	result := stowage.NewResult(stowage.Feasible, plan.Offsets)
	result.Planner, result.Pools = s.planner, plan.Pools
	load := int64(0)
	if !p.Ruled() { // with rules, buffers may share bytes
		load, _ = open.Peak()
	}
	return writeDocument(cmd, s.output, name,
		&document{
			problem: p, offsets: plan.Offsets, pools: plan.Pools, height: plan.Height, lowerBound: load, result: &result,
		})
}

// play makes the calls of a trace. It collects them for a page, if that is asked for.
func (s *sessionFlags) play(cmd *cobra.Command, ctx context.Context, path string, t *trace.Trace, paged bool) (*tally,
	*session.Session, *sessionPage, error,
) {
	effort, _ := session.StepOf(s.effort)
	open, rest, err := session.Begin(ctx, t, session.Options{
		Capacity: int64(s.capacity), Effort: effort, Planner: s.planner, Seed: s.seed, NodeLimit: s.nodes,
		Timeout: time.Duration(s.timeout),
	})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", nameOf(path), err)
	}
	var page *sessionPage
	if paged {
		page = newSessionPage(filepath.ToSlash(nameOf(path)), t, open)
	}
	var all tally
	line := lineOf(cmd.ErrOrStderr(), s.quiet || s.each, 0)
	defer line.stop()
	var nodes int64
	player := session.NewPlayer(open)
	for i := range rest {
		op := &rest[i]
		line.share(i, len(rest), "")
		wanted := asked(op, open)
		a, made, err := player.Play(ctx, op)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", nameOf(path), err)
		}
		if ctx.Err() != nil {
			line.aside(func() { fmt.Fprintf(cmd.ErrOrStderr(), "interrupted at line %d\n", op.Line) })
			return nil, nil, nil, outcome(exitUndecided)
		}
		nodes += a.Nodes
		if line != nil {
			load, _ := open.Peak()
			line.update(stowage.Progress{Height: open.Height(), LowerBound: load, Nodes: nodes})
		}
		all.add(op, &a, made, open)
		if page != nil {
			page.add(op, wanted, &a, made, open)
		}
		if line := describe(op, t, "", &a, made); s.each && line != "" {
			fmt.Fprintln(cmd.OutOrStdout(), cell(line))
		}
	}
	return &all, open, page, nil
}

// readChanges reads a trace of changes.
func readChanges(path string) (*trace.Trace, error) {
	in, err := format.OpenUntil(path, time.Time{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return trace.Read(in, in.Name)
}

// A tally counts what became of the calls.
type tally struct {
	changes, skipped, no, unknown, wrong int
	steps                                [session.Fresh + 1]int
	moved, bytes                         float64
}

func (t *tally) add(op *trace.Op, a *session.Answer, made bool, s *session.Session) {
	switch op.Kind {
	case trace.Mark, trace.Rollback, trace.Commit, trace.Request, trace.Result:
		return
	case trace.Fits:
		if unexpected(op, a) {
			t.wrong++
		}
		return
	}
	t.changes++
	switch {
	case !made:
		t.skipped++
	case a.Status == stowage.Infeasible:
		t.no++
	case a.Status == stowage.Unknown:
		t.unknown++
	default:
		t.steps[a.Step]++
	}
	t.moved += float64(a.Moved.Bytes)
	p, _ := s.Snapshot()
	for i := range p.Buffers {
		t.bytes += float64(p.Buffers[i].Size)
	}
}

func (t *tally) write(w io.Writer, s *session.Session) error {
	var parts []string
	for step := session.Keep; step <= session.Fresh; step++ {
		parts = append(parts, fmt.Sprintf("%s %d", step, t.steps[step]))
	}
	load, _ := s.Peak()
	_, err := fmt.Fprintf(w, "changes: %d\nmade by: %s\n"+
		"not made: %d proven impossible, %d undecided, %d about buffers that are not there\n"+
		"moved: %.2f%% of the bytes per change\nplan: %s, height %d, load %d\n",
		t.changes, strings.Join(parts, ", "), t.no, t.unknown, t.skipped, 100*t.share(), count(s.Len(), "buffer"),
		s.Height(), load)
	if err == nil && t.wrong > 0 {
		_, err = fmt.Fprintf(w, "fits: %s not as the trace expects\n", count(t.wrong, "answer"))
	}
	return err
}

// sessionFacts is the summary as JSON. The keys are a contract with scripts.
type sessionFacts struct {
	Changes    int            `json:"changes"`
	Steps      map[string]int `json:"steps"`
	Impossible int            `json:"impossible"`
	Undecided  int            `json:"undecided"`
	NotThere   int            `json:"not_there"`
	Unexpected int            `json:"unexpected"`
	Moved      float64        `json:"moved"` // bytes, of all changes
	Share      float64        `json:"moved_share"`
	Buffers    int            `json:"buffers"`
	Height     int64          `json:"height"`
	Load       int64          `json:"load"`
}

func (t *tally) facts(s *session.Session) *sessionFacts {
	load, _ := s.Peak()
	f := &sessionFacts{
		Changes: t.changes, Steps: map[string]int{}, Impossible: t.no, Undecided: t.unknown, NotThere: t.skipped,
		Unexpected: t.wrong,
		Moved:      t.moved, Share: t.share(), Buffers: s.Len(), Height: s.Height(), Load: load,
	}
	for step := session.Keep; step <= session.Fresh; step++ {
		f.Steps[step.String()] = t.steps[step]
	}
	return f
}

// share returns which part of the bytes the changes moved.
func (t *tally) share() float64 {
	if t.bytes == 0 {
		return 0
	}
	return t.moved / t.bytes
}

// unexpected reports whether an answer differs from the trace's. An undecided answer never does.
func unexpected(op *trace.Op, a *session.Answer) bool {
	return op.Expect == "yes" && a.Status == stowage.Infeasible || op.Expect == "no" && a.Status.HasPlan()
}

// mostPlaces is how many places of one call are named.
const mostPlaces = 2

// subject names what a call is about.
func subject(op *trace.Op, t *trace.Trace) string {
	var names []string
	var kinds string
	switch op.Kind {
	case trace.Place:
		for i := range op.Buffers {
			names = append(names, op.Buffers[i].ID)
		}
	case trace.Bind, trace.Unbind:
		names = op.Rules.Names()
		kinds = kindsOf(&op.Rules)
	case trace.Limit:
		to := "to no capacity"
		if op.Capacity > 0 {
			to = fmt.Sprintf("to %d", op.Capacity)
		}
		if op.Pool != nil {
			to = t.Pools[*op.Pool].ID + " " + to
		}
		return to
	default:
		return op.ID
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", len(names)-mostNamed))
	}
	return kinds + strings.Join(names, ", ")
}

// kindsOf names the kinds of rules, as the keys of a trace do.
func kindsOf(r *trace.Rules) (kinds string) {
	for _, kind := range []struct {
		key   string
		count int
	}{
		{"together", len(r.Together)},
		{"apart", len(r.Apart)},
		{"may_overlap", len(r.MayOverlap)},
		{"distances", len(r.Distances)},
	} {
		if kind.count > 0 {
			kinds += kind.key + " "
		}
	}
	return kinds
}

// mostNamed is how many buffers of one call are named.
const mostNamed = 4

// describe returns the result of a call as a line; empty for a call without an answer. about follows the buffer's name.
func describe(op *trace.Op, t *trace.Trace, about string, a *session.Answer, made bool) string {
	what := fmt.Sprintf("line %d: %s", op.Line, op.Kind)
	if subject := subject(op, t); subject != "" {
		what += " " + subject
	}
	what += about
	switch {
	case op.Kind == trace.Request || op.Kind == trace.Result:
		return ""
	case op.Kind == trace.Mark || op.Kind == trace.Rollback || op.Kind == trace.Commit:
		return what
	case !made && (op.Kind == trace.Bind || op.Kind == trace.Unbind):
		return what + ": left out, its buffers or rules are not there"
	case !made:
		return what + ": left out, the buffer is not there"
	case a.Status == stowage.Infeasible:
		if what += ": impossible: " + a.Proof.String(); unexpected(op, a) {
			what += "; the trace expects yes"
		}
		return what
	case a.Status == stowage.Unknown:
		return what + ": undecided"
	}
	what += ": " + a.Step.String()
	for k, at := range a.Offsets {
		if len(a.Offsets) > mostPlaces {
			break
		}
		what += fmt.Sprintf("%s at %d", []string{",", " and"}[min(k, 1)], at)
		if k < len(a.Pools) {
			what += " in " + t.Pools[a.Pools[k]].ID
		}
	}
	if a.Moved.Buffers > 0 {
		what += fmt.Sprintf(", moved %s, %d bytes", count(a.Moved.Buffers, "buffer"), a.Moved.Bytes)
	}
	if unexpected(op, a) {
		what += "; the trace expects no"
	}
	return what
}
