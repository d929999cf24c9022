package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage/sweep/beam"
	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/spec"
)

// loop is the runner without an engine: tasks one after the other, on some processors.
const loop = "loop"

// An engine does tasks: which, and who.
type engine struct {
	runner      string
	shard       string
	index, of   int // of the shard; of is 0 for no shard
	workers     int
	verboseBeam bool
}

func (e *engine) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.runner, "runner", beam.Prism,
		"let `NAME` do the tasks: "+strings.Join(append(slices.Clone(beam.Runners), loop), ", "))
	f.StringVar(&e.shard, "shard", "", "do part `I/N` of the tasks, I from 0 to N-1, without an engine")
	f.IntVar(&e.workers, "workers", 0,
		"with --shard or --runner=loop: do `N` tasks at a time [default: one for each processor]")
	f.BoolVar(&e.verboseBeam, "beam-log", false, "show what Beam logs")
	for _, name := range beam.Flags {
		f.AddFlag(pflag.PFlagFromGoFlag(beam.Flag(name)))
	}
}

// check refuses flags that contradict each other, and an endpoint where nobody answers.
func (e *engine) check(cmd *cobra.Command) error {
	if e.shard != "" {
		if cmd.Flags().Changed("runner") && e.runner != loop {
			return usagef("--shard and --runner=%s: a shard is done without an engine", e.runner)
		}
		e.runner = loop
		first, second, ok := strings.Cut(e.shard, "/")
		index, err := strconv.Atoi(first)
		of, other := strconv.Atoi(second)
		if !ok || err != nil || other != nil || of < 1 || index < 0 || index >= of {
			return usagef("invalid argument %q for --shard: must be I/N with I from 0 to N-1, such as 0/8 and 7/8", e.shard)
		}
		e.index, e.of = index, of
	}
	if e.workers < 0 {
		return usagef("invalid argument %q for --workers: must not be negative", strconv.Itoa(e.workers))
	}
	if e.runner == loop {
		for _, name := range beam.Flags {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for a runner of Beam, and there is none", name)
			}
		}
		return nil
	}
	if !slices.Contains(beam.Runners, e.runner) {
		return usagef("no runner is named %q; there are %s", e.runner,
			strings.Join(append(slices.Clone(beam.Runners), loop), ", "))
	}
	if cmd.Flags().Changed("workers") {
		return usagef("--workers is for --shard and --runner=%s; clusters have --parallelism", loop)
	}
	if err := beam.Check(cmd.Context(), e.runner); err != nil {
		return usageError{err}
	}
	return nil
}

// remote reports whether the tasks are done by other processes.
func (e *engine) remote() bool { return e.runner != loop && e.runner != beam.Prism }

// tasks returns those of a job that are this run's to do.
func (e *engine) tasks(j *core.Job) []core.Task {
	if e.of > 0 {
		return core.Shard(j.Left, e.index, e.of)
	}
	return j.Left
}

// run does tasks.
func (e *engine) run(i *interrupt, out string, store core.Store, tasks []core.Task) error {
	if e.runner == loop {
		return core.NewWorker(store, core.Version()).Loop(i.ctx, i.stop, tasks, e.workers, nil)
	}
	if !e.verboseBeam {
		beam.Quiet()
	}
	beam.Init()
	if !spec.Remote(out) { // a worker may be in another folder
		path, err := filepath.Abs(out)
		if err != nil {
			return err
		}
		out = path
	}
	return beam.Run(i.ctx, i.stop, e.runner, out, tasks)
}

// openFolder opens the folder of a sweep.
func openFolder(ctx context.Context, out string) (core.Store, error) {
	s, err := beam.Open(ctx, out)
	if err != nil {
		return nil, usageError{fmt.Errorf("%w", err)}
	}
	return s, nil
}
