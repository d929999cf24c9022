package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/render/html"
)

type solveFlags struct {
	search
	minimize    bool
	start       string
	paths       []string // the values of -o
	outputs     []output // one for each path; standard output if there is no path
	format      string
	steps       int
	stats       string
	progress    string
	head        bool
	certificate string
	checkpoint  string
	json        bool
	quiet       bool
	force       bool
	input       string
	why         bool
	brief       bool  // the answer is a few lines
	own         owned // the plan in INPUT, if the answer is a few lines
	ownHeight   int64 // its height; 0 for none
	cpuProfile  string

	orders int                   // of a family, at most
	varied *stowage.FamilyResult // of a family; nil if sizes do not vary
	family *model.Family         // that was planned
}

func newSolve() *cobra.Command {
	var s solveFlags
	cmd := &cobra.Command{
		Use:   "solve INPUT...",
		Short: "Plan the buffers of a problem",
		Long: `Solve gives each buffer of INPUT an offset. Without a capacity, it looks for the lowest plan until that is proven or a limit comes. With one, any plan that fits will do, unless --minimize is given. Every plan is verified first. For several files, a folder or a pattern, -o is a folder.

The extension of -o FILE is the format, csv if there is none. A timeout includes reading. A signal ends the search.

` + formatsHelp,
		Example: `  stowage solve model.csv
  stowage solve -c 1MiB -t 10s -o plan.html model.csv`,
		Args:        inputsGiven,
		SuggestFor:  []string{"run", "minimize", "allocate", "pack"},
		Annotations: map[string]string{exitsKey: allExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			files, several, err := inputs(args)
			switch {
			case err != nil:
				return err
			case several:
				return s.runAll(cmd, files)
			}
			return s.run(cmd, args[0])
		},
	}
	s.bind(cmd)
	s.model.ruled = true
	f := cmd.Flags()
	f.BoolVar(&s.minimize, "minimize", false, setting.Usage("minimize"))
	f.StringVar(&s.start, "start", "", "improve on the plan in `FILE`, which may be INPUT")
	f.StringArrayVarP(&s.paths, "output", "o", nil, "write to `FILE`: .csv .json .svg .png .pdf .html .tex .h .c; repeatable [default: CSV on stdout]")
	f.StringVar(&s.format, "format", "", "write as `NAME`, such as json, whatever the extension")
	f.IntVar(&s.steps, "steps", 0, "record `N` steps of exact search, to play back in HTML")
	f.StringVar(&s.stats, "stats", "", "write status, height and more to `FILE` as JSON")
	f.BoolVar(&s.json, "json", false, "print the figures of --stats, with -o FILE for the plan")
	f.StringVar(&s.progress, "progress", "", "write the state to `FILE` as JSON, 20 lines a second")
	f.IntVar(&s.orders, "orders", 1, ordersUsage)
	f.StringVar(&s.checkpoint, "checkpoint", "", "keep the best plan in the file `F`; go on from it")
	f.StringVar(&s.certificate, "certificate", "", "write a proof of the bound to the file `F`, for verify")
	f.BoolVar(&s.why, "why", false, "print the turns of auto and why the run ended")
	f.BoolVar(&s.force, "force", false, forceUsage)
	f.BoolVarP(&s.quiet, "quiet", "q", false, "only warnings and errors on standard error")
	f.StringVar(&s.cpuProfile, "cpuprofile", "", "write a CPU profile of the search to `FILE`")
	f.BoolVar(&s.head, "head", false, "for .h and .c: the buffers are those of a .tflite model")
	_, _ = f.MarkHidden("cpuprofile"), f.MarkHidden("head") // Python writes a plan of a model as a problem
	bindBrief(cmd, &s.brief)
	group(cmd, "Problem", "start", "orders")
	group(cmd, "Output", "format", "force", "steps", "stats", "json", "progress", "checkpoint", "certificate", "why")
	complete(cmd, "format", func() []string { return slices.Concat(formatNames(), []string{dsaProblem, dsaSolution}) })
	return cmd
}

func (s *solveFlags) run(cmd *cobra.Command, input string) error {
	began := time.Now()
	o, err := s.options()
	if err != nil {
		return err
	}
	o.Minimize = s.minimize
	s.input = input
	if err := s.checkPaths(cmd, input); err != nil {
		return err
	}
	file, err := s.read(cmd, input, &o, s.deadline(began))
	if late := new(format.LateError); errors.As(err, &late) {
		return s.late(cmd, late, o.Planner, began)
	}
	if err != nil {
		return err
	}
	o.Timeout = s.left(began)
	p := file.Problem
	if file.Head && s.capacity > 0 && !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: note: the capacity is for the head, which is only a part of the runtime's arena; 'stowage plan "+
				"--capacity' asks whether the arena fits [head]\n", nameOf(input))
	}
	if err := s.checkKind(file); err != nil {
		return err
	}
	for _, out := range s.outputs {
		if err := checkFormat(out.kind, p); err != nil {
			return err
		}
	}
	if err := s.ownFirst(cmd, input, file, &o); err != nil {
		return err
	}
	stopProfile, err := startProfile(s.cpuProfile)
	if err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	steps := viewdata.Recorder{Most: s.steps}
	if s.writes("html") { // the page plays them back
		o.Progress = steps.See
	}
	if s.steps > 0 {
		o.Moves = steps.Move
	}
	var turns []stowage.Turn
	if s.why {
		o.Turns = func(t stowage.Turn) { turns = append(turns, t) }
	}
	endProgress, err := recordProgress(s.progress, &o)
	if err != nil {
		return err
	}
	r, err := s.solve(ctx, cmd, file, o)
	unrecorded := endProgress()
	stopProfile()
	if lost := new(outputError); r != nil && errors.As(err, lost) {
		unrecorded = errors.Join(unrecorded, err) // the checkpoint could not be written, but there is an answer
	} else if err != nil {
		return s.startFault(err)
	}
	if r.Status.HasPlan() {
		if err := s.writePlan(cmd, file, r, &steps); err != nil {
			return err
		}
	}
	// The plan has been written. A later failure does not take it back.
	failed := []error{s.writeStats(cmd, r, p, file.Times)}
	if s.why {
		printWhy(cmd.ErrOrStderr(), turns, r, p, &o)
	}
	if s.brief && !s.quiet && s.stats != "-" {
		failed = append(failed, s.answer(ctx, cmd, input, r, p, began))
	} else if !s.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), summary(r, p))
		s.saysFamily(cmd.ErrOrStderr())
		s.sayNext(ctx, cmd.ErrOrStderr(), input, r, p, began)
		if r.Status == stowage.Infeasible && s.writes(pictureNames()...) {
			fmt.Fprintln(cmd.ErrOrStderr(),
				"no picture is written: stowage explain, with the same capacity and -o, draws what does not fit")
		}
	}
	if s.certificate != "" {
		failed = append(failed, s.writeCertificate(ctx, cmd, p, r))
	}
	if err := errors.Join(append(failed, unrecorded)...); err != nil {
		return err
	}
	return outcomeOf(r.Status)
}

// solve calls solve, with a checkpoint if there is to be one.
func (s *solveFlags) solve(ctx context.Context, cmd *cobra.Command, file *format.File, o stowage.Options,
) (*stowage.Result, error) {
	p := file.Problem
	switch {
	case file.Family != nil:
		defer showProgress(cmd.ErrOrStderr(), s.quiet, &o)()
		return s.solveFamily(ctx, file.Family, o)
	case s.checkpoint == "":
		return solve(ctx, cmd.ErrOrStderr(), s.quiet, p, o)
	}
	c := checkpoint{path: s.checkpoint, p: p}
	ctx, err := c.resume(ctx, &o)
	if err != nil {
		return nil, err
	}
	end := c.keep()
	r, err := solve(ctx, cmd.ErrOrStderr(), s.quiet, p, o)
	failed := end()
	if err != nil {
		return nil, err
	}
	return r, cmp.Or(failed, c.finish(r))
}

// checkKind refuses flags that do not go with what is planned.
func (s *solveFlags) checkKind(file *format.File) error {
	if file.Family != nil {
		return s.checkFamily(file)
	}
	if s.orders != 1 {
		return usagef("--orders is for sizes that vary: %s has one size for each buffer", nameOf(s.input))
	}
	if file.Problem.Ruled() {
		return s.checkRuled(file)
	}
	return nil
}

// checkRuled refuses flags that do not go with rules. Standard output gets JSON, because CSV has no rules but clocks.
// A file in CSV gets the plan alone.
func (s *solveFlags) checkRuled(file *format.File) error {
	switch {
	case s.certificate != "":
		return usagef("--certificate does not go with rules")
	case s.start != "":
		return usagef("--start does not go with rules")
	case s.checkpoint != "":
		return usagef("--checkpoint does not go with rules")
	}
	for k := range s.outputs {
		if o := &s.outputs[k]; o.kind == "csv" && toStdout(o.path) && s.format == "" && file.Kind != format.CSV {
			o.kind = "json"
		} else if o.kind == "h" || o.kind == "c" {
			return usagef("a plan with rules is written as JSON: %s has no room for pools", o.kind)
		}
	}
	return nil
}

// late ends a run that was still waiting for its input at the timeout.
func (s *solveFlags) late(cmd *cobra.Command, late *format.LateError, planner string, began time.Time) error {
	r := &stowage.Result{Status: stowage.Unknown, Planner: planner, Stopped: plan.StopTimeout}
	r.Stats.Elapsed = time.Since(began)
	if !s.quiet {
		sayLate(cmd, late)
	}
	if err := s.writeStats(cmd, r, &stowage.Problem{Capacity: max(int64(s.capacity), 0)}, times.Read{}); err != nil {
		return err
	}
	return outcome(exitUndecided)
}

// writes reports whether any output has one of the formats.
func (s *solveFlags) writes(formats ...string) bool {
	return slices.ContainsFunc(s.outputs, func(o output) bool { return slices.Contains(formats, o.kind) })
}

// writePlan writes the plan to all outputs.
func (s *solveFlags) writePlan(cmd *cobra.Command, file *format.File, r *stowage.Result,
	steps *viewdata.Recorder,
) error {
	p := file.Problem
	d := &document{
		problem: p, header: file.Header, extra: file.Extra, times: file.Times, offsets: r.Offsets, pools: r.Pools,
		parts: r.Parts, height: r.Height, lowerBound: r.LowerBound, result: r,
	}
	if !s.ignoreOffsets && s.capacity == 0 && len(s.pools.given) == 0 { // the problem is the file's, unchanged
		d.dsa = file.DSA
	}
	if s.varied != nil && s.varied.Order != nil {
		d.family, d.below, d.points = file.Family, s.varied.Order.Below(), s.varied.Points
		d.switched = s.varied.Switched
	}
	d.head = file.Head || s.head // the tail of the runtime's arena comes on top
	for _, o := range s.outputs {
		if d.head && !s.quiet && (o.kind == "h" || o.kind == "c") {
			into := o.path
			if toStdout(into) {
				into = "stdout"
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"%s: note: the size in this file is that of the head, which is only a part of the runtime's arena; "+
					"'stowage plan -o' writes the arena's size too [head]\n", into)
		}
	}
	if s.writes("html") && !p.Ruled() {
		for _, s := range steps.Finish(r) {
			d.steps = append(d.steps, html.Step(s))
		}
		d.moves, d.movesTold = steps.Moves()
		if s.steps > 0 && d.movesTold == 0 && !s.quiet {
			fmt.Fprintln(cmd.ErrOrStderr(),
				"no steps: no search was needed, or none that tells of what it tries; --planner exact does")
		}
	}
	s.warnComments(cmd, file)
	return writeAll(cmd, s.outputs, func(w io.Writer, o output) error {
		d.comments = d.extra != nil && len(d.extra.Comments) > 0 && replaces(o.path, s.input)
		return writerOf(o.kind)(w, d)
	})
}

// warnComments says that a file is replaced by one without its comments. A plan in CSV that replaces INPUT has them.
func (s *solveFlags) warnComments(cmd *cobra.Command, file *format.File) {
	for _, o := range s.outputs {
		lost := replaces(o.path, s.start) && s.start != "" && !replaces(o.path, s.input)
		if file.Extra != nil && len(file.Extra.Comments) > 0 && (o.kind != "csv" || file.Extra.Silent) {
			lost = lost || replaces(o.path, s.input)
		}
		if lost {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: it is replaced, and comments in it are lost [comments]\n", o.path)
		}
	}
}

// writeStats writes the file of --stats.
func (s *solveFlags) writeStats(cmd *cobra.Command, r *stowage.Result, p *stowage.Problem, read times.Read) error {
	if s.stats == "" {
		return nil
	}
	stats := figures.Of(r, p, s.minimize)
	stats.Read(string(read.Ends), read.Scale())
	// Writing to a closed pipe is an error like others. It must not kill the program, because a
	// certificate may still have to be written.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	return writeTo(cmd, s.stats, func(w io.Writer) error { return writeIndented(w, stats) })
}

// read reads the problem and, if --start names one, the plan to start from.
func (s *solveFlags) read(cmd *cobra.Command, input string, o *stowage.Options,
	deadline time.Time,
) (*format.File, error) {
	file, err := s.readProblem(input, deadline)
	if err != nil {
		return nil, err
	}
	switch {
	case s.start != "":
		if o.Start, err = readStart(s.start, input, file, deadline); err != nil {
			return nil, err
		}
	case s.brief:
		if !s.quiet {
			noteRead(cmd, input, file)
		}
		if s.own = ownPlan(file); s.own.offsets != nil {
			return file, nil
		}
	case !s.quiet:
		notePlan(cmd, input, file)
	}
	warnRead(cmd, input, file)
	return file, nil
}

// startFault adds the file name to errors about the plan to start from.
func (s *solveFlags) startFault(err error) error {
	var input *stowage.InputError
	if errors.As(err, &input) {
		for k := range input.Issues {
			if issue := &input.Issues[k]; issue.Field == "start" {
				issue.File, issue.Field = nameOf(s.start), ""
			}
		}
	}
	return err
}

// solve calls stowage.Solve, with a progress line if there is a terminal. A callback that is
// already in the options is still called.
func solve(ctx context.Context, stderr io.Writer, quiet bool, p *stowage.Problem,
	o stowage.Options,
) (*stowage.Result, error) {
	defer showProgress(stderr, quiet, &o)()
	return stowage.Solve(ctx, p, o)
}

// startProfile starts a CPU profile if a file is named.
func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, outputError{path, err}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, internalError{err}
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
