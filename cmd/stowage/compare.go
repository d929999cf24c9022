package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pretty "github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
)

type compareFlags struct {
	planners     []string
	capacity     size
	timeout      duration
	exactTimeout duration
	nodes        int64
	workers      int
	seed         uint64
	output       string
	format       string
	resume       string
	quiet        bool
}

// comparisonNames are the formats of a comparison; the first is the default.
func comparisonNames() []string { return []string{"text", "md", "csv", "json", "svg"} }

func newCompare() *cobra.Command {
	c := compareFlags{timeout: duration(10 * time.Second), exactTimeout: duration(10 * time.Second)}
	cmd := &cobra.Command{
		Use:   "compare INPUT...",
		Short: "Run planners side by side",
		Long: `Compare runs each planner on each INPUT, a CSV or JSON file, and sets the heights, as multiples of the load, and the times side by side, the lowest planner first. Every plan is verified. Fixed offsets, gaps and the like are refused by some planners; that is an entry of the table and no failure.

Where no planner proves the lowest height, exact search is tried for it on its own time.

An interrupted comparison writes what it has. With --resume it also goes on from there: each run is a line of that file, and is not made again while the problem, the planner and the limits stay the same.`,
		Example: `  stowage compare model.csv
  stowage compare --planners first-fit,xla-heap,somas,exact --timeout 1m *.csv
  stowage compare --planners all --resume runs.jsonl -o heights.svg *.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing argument INPUT")
			}
			return nil
		},
		Annotations: map[string]string{exitsKey: "0  the table was written, whatever is in it\n1  internal failure, an invalid plan, or an output that cannot be written\n2  bad usage or input\n4  interrupted: the table has gaps"},
		RunE:        func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.planners, "planners", nil, "run the planners `P1,P2`; all is every one that there is [default: all]")
	f.Uint64Var(&c.seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	f.IntVar(&c.workers, "workers", 1, "let each planner search with `N` goroutines")
	f.Var(&c.capacity, "capacity", "fit into `SIZE` bytes [default: each input's, else none]")
	f.Var(&c.timeout, "timeout", "stop a run after `D`; 0 is never")
	f.Var(&c.exactTimeout, "exact-timeout", "spend up to `D` on the proven optimum of a problem that no planner proves; 0 is not at all")
	f.Int64Var(&c.nodes, "nodes", 0, "stop a run after `N` search nodes [default: never]")
	f.StringVarP(&c.output, "output", "o", "", "write to `FILE`, as .md, .csv, .json or .svg [default: a table on standard output]")
	f.StringVar(&c.format, "format", "", "write as `NAME` (text, md, csv, json, svg) whatever the extension")
	f.StringVar(&c.resume, "resume", "", "keep each run in `FILE`, a line of JSON each, and do not repeat those that are there")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "nothing on standard error")
	group(cmd, "Planners", "planners", "seed", "workers")
	group(cmd, "Limits", "capacity", "timeout", "exact-timeout", "nodes")
	group(cmd, "Output", "output", "format", "resume", "quiet")
	complete(cmd, "planners", func() []string { return append([]string{"all"}, plannerNames()...) })
	complete(cmd, "format", comparisonNames)
	return cmd
}

func (c *compareFlags) run(cmd *cobra.Command, inputs []string) error {
	name, err := formatOf(c.format, c.output, comparisonNames())
	if err != nil {
		return err
	}
	if err := checkOutput(c.output); err != nil {
		return err
	}
	planners, err := c.chosen()
	if err != nil {
		return err
	}
	table := &comparison{planners: planners}
	for _, path := range inputs {
		p, _, err := format.ReadProblem(path)
		if err != nil {
			return err
		}
		table.instances = append(table.instances, newInstance(path, p, c.capacity.or(p)))
	}
	distinctNames(table.instances)
	cache, err := openCache(c.resume)
	if err != nil {
		return usageError{err}
	}
	defer cache.close()

	ctx, release := interruptible(cmd.Context())
	runErr := c.runAll(ctx, cmd.ErrOrStderr(), table, cache)
	interrupted := ctx.Err() != nil
	release()
	if err := writeTo(cmd, c.output, func(w io.Writer) error { return table.write(w, name) }); err != nil {
		return err
	}
	if err := errors.Join(runErr, cache.close(), table.invalid()); err != nil {
		return internalError{err}
	}
	if interrupted {
		return outcome(exitUndecided)
	}
	return nil
}

// chosen returns the planners of the flag, each once and known.
func (c *compareFlags) chosen() ([]string, error) {
	known := plannerNames()
	if len(c.planners) == 0 {
		return known, nil
	}
	var names []string
	for _, name := range c.planners {
		switch {
		case name == "all":
			names = append(names, known...)
		case !slices.Contains(known, name):
			return nil, usagef("no planner is named %q; there are all, %s", name, strings.Join(known, ", "))
		default:
			names = append(names, name)
		}
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
	if len(names) == 0 {
		return nil, usagef("--planners names none")
	}
	return names, nil
}

// runAll makes all runs that the cache does not have. It returns when the
// context ends, with what there is.
func (c *compareFlags) runAll(ctx context.Context, stderr io.Writer, table *comparison, cache *cache) error {
	bars := startBars(stderr, !c.quiet && isTerminal(stderr), table)
	defer bars.stop()
	for k := range table.instances {
		in := &table.instances[k]
		bars.begin(k)
		for _, planner := range table.planners {
			r, err := c.one(ctx, cache, in, planner, time.Duration(c.timeout))
			if err != nil {
				return err
			}
			if r.Status != "" {
				in.runs = append(in.runs, r)
			}
			bars.tick(k)
			if ctx.Err() != nil {
				return nil
			}
		}
		if c.exactTimeout > 0 && !in.proven() {
			r, err := c.one(ctx, cache, in, "exact", time.Duration(c.exactTimeout))
			if err != nil {
				return err
			}
			in.extra = &r
		}
		bars.tick(k)
	}
	return nil
}

// one makes a run, or takes it from the cache. The error is of the cache; what a
// planner refuses is a status of the run.
func (c *compareFlags) one(ctx context.Context, cache *cache, in *instance, planner string, timeout time.Duration) (runRecord, error) {
	r := runRecord{
		Problem: in.digest, Name: in.name, Planner: planner, Capacity: in.capacity,
		Timeout: timeout.Seconds(), Nodes: c.nodes, Workers: c.workers, Seed: c.seed,
	}
	if known, ok := cache.find(r); ok {
		return known, nil
	}
	if ctx.Err() != nil {
		return r, nil
	}
	result, err := stowage.Minimize(ctx, in.problem, stowage.Options{
		Planner: planner, Capacity: in.capacity, Timeout: timeout, NodeLimit: c.nodes, Workers: c.workers, Seed: c.seed,
	})
	switch {
	case errors.Is(err, stowage.ErrInvalidPlan):
		r.Status, r.Message = "invalid", err.Error()
	case err != nil:
		r.Status, r.Message = "refused", err.Error()
	default:
		r.Status, r.Height, r.LowerBound = result.Status.String(), result.Height, result.LowerBound
		r.Seconds = result.Stats.Elapsed.Seconds()
	}
	if ctx.Err() != nil {
		// Cut short: in the table, but to be made again.
		return r, nil
	}
	return r, cache.add(r)
}

// bars are the progress bars, one for each problem; none where there is no
// terminal to draw on.
type bars struct {
	writer   pretty.Writer
	done     chan struct{}
	trackers []*pretty.Tracker
}

func startBars(w io.Writer, draw bool, table *comparison) *bars {
	b := &bars{}
	if !draw {
		return b
	}
	b.writer, b.done = pretty.NewWriter(), make(chan struct{})
	b.writer.SetOutputWriter(w)
	b.writer.SetAutoStop(false)
	b.writer.SetTrackerLength(24)
	b.writer.SetUpdateFrequency(progressEvery)
	b.writer.SetStyle(pretty.StyleBlocks)
	b.writer.Style().Visibility.Value = true
	b.writer.Style().Visibility.TrackerOverall = len(table.instances) > 1
	for k := range table.instances {
		t := &pretty.Tracker{Message: table.instances[k].name, Total: int64(len(table.planners)) + 1, DeferStart: true}
		b.trackers = append(b.trackers, t)
	}
	go func() {
		defer close(b.done)
		b.writer.Render()
	}()
	return b
}

func (b *bars) begin(k int) {
	if b.writer != nil {
		b.writer.AppendTracker(b.trackers[k])
		b.trackers[k].Start()
	}
}

func (b *bars) tick(k int) {
	if b.writer != nil {
		b.trackers[k].Increment(1)
	}
}

func (b *bars) stop() {
	if b.writer != nil {
		b.writer.Stop()
		<-b.done
	}
}

// distinctNames makes the names of the instances short and distinct: the file's
// own name, with its folders where two files share one.
func distinctNames(instances []instance) {
	count := map[string]int{}
	for _, in := range instances {
		count[in.name]++
	}
	for k := range instances {
		in := &instances[k]
		if count[in.name] > 1 {
			in.name = filepath.ToSlash(in.path)
		}
	}
	// The same path twice is a mistake that is easy to see in the table.
	seen := map[string]int{}
	for k := range instances {
		name := instances[k].name
		if seen[name]++; seen[name] > 1 {
			instances[k].name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
	}
}
