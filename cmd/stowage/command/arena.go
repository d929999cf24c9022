package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	"github.com/stowage-go/stowage/format"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/setting"
)

// Idea: package arena plans; these commands read, call it once and print. Traces and plans are
// also files like any other: solve, show, view and verify take them.

// arenaBaselines are the planners that arena simulates beside PyTorch's allocator: a plan by first fit that
// knows the future, and in stowage-lab best fit online, with and without rounding.
func arenaBaselines() []string {
	known := plannerNames()
	return slices.DeleteFunc([]string{"bfc", "ggml", "first-fit"},
		func(name string) bool { return !slices.Contains(known, name) })
}

func newArena() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "arena",
		Short: "Plan the memory of a running program",
		Long: `A program that repeats a step, such as a training step, allocates the same sizes in the same order each time. stowage_arena.c, one file of C without dependencies, records some steps to a trace. These commands plan the trace, and the C file then serves the steps from the plan, out of one block. What the plan does not expect goes to the program's own allocator.

'stowage solve', 'show', 'view' and 'verify' read traces and plans too.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		SuggestFor: []string{"trace", "record", "allocator"},
	}
	cmd.AddCommand(newArenaPlan(), newArenaShow(), newArenaStats())
	return cmd
}

type arenaFlags struct {
	search     search
	alignment  size
	guard      size
	all, apart bool
	baselines  []string
	output     string
	json       bool
	quiet      bool
}

func newArenaPlan() *cobra.Command {
	a := arenaFlags{search: search{timeout: duration(arena.DefaultTimeout)}}
	cmd := &cobra.Command{
		Use:   "plan TRACE",
		Short: "Plan the steps of a trace",
		Long: `Plan reads a TRACE and writes a plan for each kind of step that comes in it at least twice, or for the last step if none does. Steps are of one kind if their threads allocate the same sizes in the same order. All plans share one block.

A lifespan may reach into the next step, as those of gradients do: time is a cycle. Each stream has a region of its own in the block. An allocation that outlives a whole cycle is not planned. The plan has its proof with it: no plan with a region for each stream is lower than its bound.`,
		Example: `  stowage arena plan steps.trace -o steps.plan
  stowage arena plan --guard 64 steps.trace -o guarded.plan`,
		Args: arity(1, "TRACE"),
		Annotations: map[string]string{
			exitsKey: "0  the plan was written\n1  internal failure, or an output that cannot be written\n" +
				"2  bad usage or input\n4  a limit came before a plan",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP((*once)(&a.output), "output", "o", "write the plan to `FILE` [default: standard output]")
	f.Var(&a.alignment, "alignment", "align every allocation to `SIZE` bytes at least [default: 64]")
	f.Var(&a.guard, "guard", "leave `SIZE` bytes free behind each allocation, for guard mode")
	f.BoolVar(&a.all, "all", false, "plan steps that come only once, too")
	f.BoolVar(&a.apart, "apart", false,
		"tell steps that ask for the same apart by what survives them, if one plan would keep something")
	f.StringSliceVar(&a.baselines, "baselines", arenaBaselines(),
		"compare with the planners `P1,P2`, as simulations, beside cuda-caching; none for none")
	f.BoolVar(&a.json, "json", false, "print the report as JSON on standard output, with -o FILE for the plan")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "only warnings and errors on standard error")
	a.search.bindPlanner(cmd)
	complete(cmd, "baselines", plannerNames)
	return cmd
}

func (a *arenaFlags) run(cmd *cobra.Command, path string) error {
	solve, err := a.search.options()
	if err != nil {
		return err
	}
	if a.json && toStdout(a.output) {
		return usagef("--json prints the report, so the plan needs -o FILE")
	}
	if slices.Equal(a.baselines, []string{"none"}) {
		a.baselines = nil
	}
	for _, name := range a.baselines {
		if name != arena.CachingName && !slices.Contains(plannerNames(), name) {
			return usageError{setting.UnknownPlanner(name)}
		}
	}
	if err := checkOutput(a.output); err != nil {
		return err
	}
	if samePlace(path, a.output) {
		return usagef("the plan would replace its trace %s", path)
	}
	t, err := readTrace(path)
	if err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	stop := showProgress(cmd.ErrOrStderr(), a.quiet, &solve)
	plans, err := arena.Make(ctx, t, arena.Options{
		Solve: solve, Alignment: int64(a.alignment), Guard: int64(a.guard), All: a.all, Apart: a.apart, Baselines: a.baselines,
	})
	stop()
	switch {
	case errors.Is(err, arena.ErrNothing):
		return fmt.Errorf("%s: %w", nameOf(path), err)
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(cmd.ErrOrStderr(), "interrupted: no plan was written")
		return outcome(exitUndecided)
	case err != nil:
		return err
	}
	if err := writeTo(cmd, a.output, func(w io.Writer) error { return trace.WritePlans(w, plans) }); err != nil {
		return err
	}
	switch {
	case a.json:
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, arenaFactsOf(plans)) })
	case a.quiet:
		return nil
	}
	return sayPlans(cmd.ErrOrStderr(), plans)
}

// readTrace reads a trace from a file or from standard input.
func readTrace(path string) (*trace.Trace, error) {
	in, err := openArena(path, format.Trace, "a trace of stowage_arena.c")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return trace.ReadTrace(in, in.Name)
}

// openArena opens a file of one kind.
func openArena(path string, kind format.Kind, what string) (*format.Input, error) {
	in, err := format.OpenUntil(path, time.Time{})
	if err != nil {
		return nil, err
	}
	if in.Kind != kind {
		in.Close()
		return nil, fmt.Errorf("%s: is not %s", nameOf(path), what)
	}
	return in, nil
}

// sayPlans says in words what plans take.
func sayPlans(w io.Writer, plans []trace.Plan) error {
	for i := range plans {
		fmt.Fprintln(w, plans[i].String())
	}
	p := &plans[0]
	if p.Status == stowage.Optimal {
		fmt.Fprintf(w, "optimal: one block of %d bytes; no plan of these lifespans takes less\n", p.Height)
	} else {
		fmt.Fprintf(w, "feasible: one block of %d bytes; no plan of these lifespans takes less than %d\n", p.Height, p.Bound)
	}
	for _, b := range p.Baselines {
		fmt.Fprintf(w, "%s takes %d bytes (%s), by simulation%s\n", b.Name, b.Bytes, over(b.Bytes, p.Height), whyLess(&b, p))
	}
	return nil
}

// whyLess says how a baseline can take less than a plan; "" if it does not.
func whyLess(b *trace.Baseline, p *trace.Plan) (s string) {
	if b.Bytes >= p.Height {
		return ""
	}
	if p.Guard > 0 {
		s = fmt.Sprintf(", without a guard of %d bytes behind each allocation", p.Guard)
	}
	if arena.Roams(b.Name) {
		s += "; it may put an allocation elsewhere in each cycle, and a plan may not"
	}
	return s
}

// over says how much more than a height something is.
func over(bytes, height int64) string {
	if height == 0 {
		return "-"
	}
	ratio := float64(bytes) / float64(height)
	if ratio >= 10 {
		return fmt.Sprintf("%.0f times as much", ratio)
	}
	return fmt.Sprintf("%+.1f%%", 100*(ratio-1))
}

func newArenaShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show PLAN",
		Short: "Print what is in a plan",
		Long:  `Show prints the steps of a PLAN, its block, its regions, and what other allocators take. It checks the plan: that no allocations which are live together share bytes. For a picture see 'stowage show' and 'stowage view', which read plans too.`,
		Example: `  stowage arena show steps.plan
  stowage view steps.plan`,
		Args: arity(1, "PLAN"),
		Annotations: map[string]string{
			exitsKey: "0  printed\n1  internal failure, or an output that cannot be written\n" +
				"2  bad usage or input, or the plan is not valid",
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := openArena(args[0], format.Plans, "a plan of an arena")
			if err != nil {
				return err
			}
			defer in.Close()
			plans, err := trace.ReadPlans(in, in.Name)
			if err != nil {
				return err
			}
			reports, err := arena.Verify(plans)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			for _, r := range reports {
				if !r.OK() {
					return fmt.Errorf("%s: the plan is not valid: %s", in.Name, r.Violations[0].Message)
				}
			}
			return writeReport(cmd, asJSON, func() any { return arenaFactsOf(plans) }, func(w io.Writer) error {
				if err := sayPlans(w, plans); err != nil {
					return err
				}
				t := newTable("stream", "offset", "bytes")
				numbers(t, 2, 3)
				for _, r := range plans[0].Regions {
					t.AppendRow(table.Row{r.Stream, r.Offset, r.Size})
				}
				_, err := fmt.Fprintf(w, "\n%s\n", t.Render())
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// numbers aligns columns to the right.
func numbers(t table.Writer, columns ...int) {
	var all []table.ColumnConfig
	for _, k := range columns {
		all = append(all, table.ColumnConfig{Number: k, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(all)
}

// arenaFacts is what show and stats print as JSON. Names and meanings are a contract with scripts.
type arenaFacts struct {
	Status    string           `json:"status,omitempty"`
	Height    int64            `json:"height,omitempty"`
	Bound     int64            `json:"lower_bound,omitempty"`
	Period    int64            `json:"period"`
	Guard     int64            `json:"guard"`
	Alignment int64            `json:"alignment"`
	Steps     []arenaStep      `json:"steps"`
	Streams   []arenaStream    `json:"streams"`
	Baselines map[string]int64 `json:"baselines"`
}

type arenaStep struct {
	Name        string `json:"name"`
	Times       int    `json:"times,omitempty"`
	Threads     int    `json:"threads"`
	Allocations int    `json:"allocations"`
	Kept        int    `json:"kept"`
}

type arenaStream struct {
	Stream uint64 `json:"stream"`
	Load   int64  `json:"load"`
	Offset *int64 `json:"offset,omitempty"`
	Bytes  *int64 `json:"bytes,omitempty"`
}

func arenaFactsOf(plans []trace.Plan) arenaFacts {
	p := &plans[0]
	f := arenaFacts{
		Height: p.Height, Bound: p.Bound, Period: p.Period, Guard: p.Guard, Alignment: p.Alignment,
		Baselines: map[string]int64{},
	}
	if p.Status.HasPlan() {
		f.Status = p.Status.String()
	}
	for i := range plans {
		all, kept := plans[i].Count()
		f.Steps = append(f.Steps, arenaStep{plans[i].Name, plans[i].Times, len(plans[i].Lanes), all, kept})
	}
	for _, h := range trace.Heaps(plans) {
		s := arenaStream{Stream: h.Stream, Load: arena.Load(&h)}
		for _, r := range p.Regions {
			if r.Stream == h.Stream {
				s.Offset, s.Bytes = &r.Offset, &r.Size
			}
		}
		f.Streams = append(f.Streams, s)
	}
	for _, b := range p.Baselines {
		f.Baselines[b.Name] = b.Bytes
	}
	return f
}

func newArenaStats() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "stats TRACE",
		Short: "Print what a trace says of a program, without a plan",
		Long:  `Stats prints the kinds of steps in a TRACE, how many bytes each stream needs at least, and what other allocators take for the same allocations. Those are simulations: "cuda-caching" is PyTorch's allocator for CUDA at default settings, by its published rules, and "first-fit" is a plan that knows the future. stowage-lab has more: "bfc" is TensorFlow's allocator, "ggml" is best fit in one growing block. No plan is made.`,
		Example: `  stowage arena stats steps.trace
  stowage arena stats --json steps.trace`,
		Args: arity(1, "TRACE"),
		Annotations: map[string]string{
			exitsKey: "0  printed\n1  internal failure, or an output that cannot be written\n2  bad usage or input",
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := readTrace(args[0])
			if err != nil {
				return err
			}
			return arenaStats(cmd, args[0], t, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "count steps that come only once, too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func arenaStats(cmd *cobra.Command, path string, t *trace.Trace, all, asJSON bool) error {
	plans := trace.Fold(t, trace.FoldOptions{All: all})
	if len(plans) == 0 {
		return fmt.Errorf("%s: %w", nameOf(path), arena.ErrNothing)
	}
	baselines, err := arena.Compare(context.Background(), plans, arenaBaselines())
	if err != nil {
		return err
	}
	plans[0].Baselines = baselines
	facts := arenaFactsOf(plans)
	return writeReport(cmd, asJSON, func() any { return facts }, func(w io.Writer) error {
		least := int64(0)
		for i := range plans {
			fmt.Fprintln(w, plans[i].String())
		}
		for _, s := range facts.Streams {
			least += s.Load
			fmt.Fprintf(w, "stream %d needs %d bytes at least\n", s.Stream, s.Load)
		}
		for _, b := range baselines {
			fmt.Fprintf(w, "%s takes %d bytes (%s), by simulation\n", b.Name, b.Bytes, over(b.Bytes, least))
		}
		return nil
	})
}
