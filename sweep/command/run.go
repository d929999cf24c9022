package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/spec"
)

type runFlags struct {
	engine
	out   string
	retry bool
	quiet bool
}

func newRun() *cobra.Command {
	var r runFlags
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Run what a specification asks for and is not there yet",
		Long: `Run runs each planner on each problem with each capacity that SPEC names, and keeps what comes of it in a folder:

  runs/**.parquet   a row for each planner, problem and capacity
  dead.jsonl        tasks that were given up, and files that cannot be read
  summary.csv       figures for each planner and capacity
  report.html       the same as a page, with pictures

SPEC is a file in YAML with these keys. Paths in it are relative to its own folder.

  problems     files and generators, a list. A file pattern may have ** for folders. It takes what 'stowage
               solve' takes: CSV, JSON, models, dumps. ${NAME} is a variable of the environment. {files: P, dims: {batch: 1}} sets open dimensions, and
               {files: P, heap: NAME} chooses a heap of a dump. {generator: [random, tiles], buffers: [60, 200],
               seeds: 0..99} makes problems as 'stowage gen' does, with its options.
  orders       of the operators of models: exported, reordered; with results over operands: in-place,
               diagonal=KERNELS; or both, as in reordered+in-place [default: exported]
  capacities   bytes such as 64KiB, shares of each problem's load such as 110%, or minimize for the lowest
               plan [default: minimize]
  planners     names, or all [default: auto]. A planner may have options: exact --without fronts, tela --set
               strategy=size; exact --without each is exact without each of its techniques in turn
  nodes        the limit of each run in nodes of the search; 0 is none [default: 100000]
  timeout      the limit of each run in time, which cuts what nodes do not bound; 0 is none [default: 1m]
  seed         of random choices [default: 0]
  chunk        problems in a task and in a file [default: 1]
  out          the folder, also in an object store: gs://… or s3://… [default: sweep-out]

With nodes alone, every machine and every engine gives the same rows. A row that the clock has cut says so in its column stopped. A plan of height h answers all capacities from h on, and a proof that nothing fits all below; such rows are not run and have implied = true.

A task whose file is there is not run again. A task that kills its worker three times is given up. Interrupt a run with Ctrl-C: it finishes the tasks that it is at. The same command goes on.

Without flags the tasks are done in this process, by Apache Beam's runner Prism. Beam's options are for clusters.
` + exitsHelp,
		Example: `  stowage-sweep run spec.yaml
  stowage-sweep run spec.yaml --shard=$JOB_COMPLETION_INDEX/64
  stowage-sweep run spec.yaml --runner=flink --endpoint=HOST:8099 --parallelism=64 --environment_type=DOCKER`,
		Args: exactly("SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&r.out, "out", "o", "", "write to `FOLDER` in place of the specification's")
	f.BoolVar(&r.retry, "retry-dead", false, "try again what was given up")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print no progress")
	r.bind(cmd)
	return cmd
}

func (r *runFlags) run(cmd *cobra.Command, file string) error {
	began := time.Now()
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	s, err := spec.Read(file, plannerNames())
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("out") {
		if r.out == "" {
			return usagef("invalid argument \"\" for --out: must be a folder")
		}
		s.Out = r.out
	}
	if err := r.check(cmd); err != nil {
		return err
	}
	store, err := openFolder(ctx, s.Out)
	if err != nil {
		return err
	}
	i := listen(ctx, stderr, r.remote())
	defer i.end()
	j, err := r.prepare(i, s, store)
	if i.came.Load() {
		fmt.Fprintf(stderr, "interrupted before the first task; to go on: %s\n", again(cmd, file))
		return outcome(exitIncomplete)
	}
	if err != nil {
		return err
	}
	tasks := r.tasks(j)
	if !r.quiet {
		r.say(stderr, s, j, tasks)
	}
	var b *bar
	if !r.quiet && len(tasks) > 0 {
		b = startBar(ctx, stderr, j, store)
	}
	var failed error
	if len(tasks) > 0 {
		failed = r.engine.run(i, s.Out, store, tasks)
	}
	b.stop()
	came := i.came.Load()
	if came {
		failed = nil // whatever it was, the interrupt has caused it
	}
	st, err := j.Status(ctx, store)
	if err := errors.Join(failed, err); err != nil {
		return internalError{err}
	}
	if err := st.WriteDead(ctx, store); err != nil {
		return internalError{err}
	}
	said := fmt.Sprintf("%s: %d of %d runs", s.Out, st.RunsDone, st.Runs)
	if len(st.Dead) > 0 {
		said += fmt.Sprintf(", %s in dead.jsonl", count(len(st.Dead), "line"))
	}
	fmt.Fprintf(stderr, "%s, %v\n", said, time.Since(began).Round(10*time.Millisecond))
	if st.Complete() {
		page, err := writeReport(ctx, s.Out, store, st)
		if err = errors.Join(err, st.Tidy(ctx, store)); err != nil {
			return internalError{err}
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), page); err != nil {
			return internalError{err}
		}
	}
	switch {
	case came && r.remote():
		fmt.Fprintf(stderr, "the job goes on without this program: %s status %s\n", calledOf(cmd), s.Out)
		return outcome(exitIncomplete)
	case came && !st.Complete():
		fmt.Fprintf(stderr, "interrupted; to go on: %s\n", again(cmd, file))
		return outcome(exitIncomplete)
	case st.Complete() && len(st.Dead) > 0, !st.Complete() && r.of == 0:
		return outcome(exitIncomplete)
	}
	return nil
}

// prepare reads the problems and cuts them into tasks.
func (r *runFlags) prepare(i *interrupt, s *spec.Spec, store core.Store) (*core.Job, error) {
	ctx, cancel := i.beforeTasks()
	defer cancel()
	if r.retry {
		if err := core.Raise(ctx, store); err != nil {
			return nil, internalError{err}
		}
	}
	l, err := core.Load(ctx, s, store)
	var input *model.InputError
	if err != nil && !errors.As(err, &input) && ctx.Err() == nil {
		// Each problem may have failed in the same way: one is enough.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, internalError{fmt.Errorf("cannot write into %s: %s", s.Out, first)}
	}
	if err != nil {
		return nil, err
	}
	j, err := core.Cut(ctx, s, l, store, core.Version())
	if err != nil {
		return nil, err
	}
	if err := j.Save(ctx, store); err != nil {
		return nil, internalError{fmt.Errorf("cannot write into %s: %w", s.Out, err)}
	}
	return j, nil
}

// say tells what there is to do.
func (r *runFlags) say(w io.Writer, s *spec.Spec, j *core.Job, tasks []core.Task) {
	for _, n := range j.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, d := range j.Unread {
		fmt.Fprintf(w, "warning: left out: %s\n", d.Reason)
	}
	runs, left := 0, 0
	for _, n := range j.Runs {
		runs += n
	}
	for k := range tasks {
		left += tasks[k].Runs()
	}
	line := fmt.Sprintf("%s: %s", s.File, count(runs+j.Before, "run"))
	if j.Done > 0 {
		line += fmt.Sprintf(", %d done before", j.Done)
	}
	if r.of > 0 {
		line += fmt.Sprintf("; shard %d of %d has %d", r.index, r.of, left)
	}
	fmt.Fprintln(w, line)
}

// count says how many things there are.
func count(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, units.Plural(n, thing))
}

// again is the command line that goes on.
func again(cmd *cobra.Command, file string) string {
	line := cmd.CommandPath() + " " + file
	for _, name := range []string{"shard", "runner", "out"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			line += " --" + name + "=" + f.Value.String()
		}
	}
	return line
}
