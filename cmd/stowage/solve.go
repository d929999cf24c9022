package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
)

type solveFlags struct {
	search
	minimize   bool
	output     string
	format     string
	stats      string
	quiet      bool
	cpuProfile string
}

func newSolve() *cobra.Command {
	var s solveFlags
	cmd := &cobra.Command{
		Use:   "solve INPUT",
		Short: "Plan the buffers of a problem",
		Long: `Solve plans the buffers of INPUT, a CSV or JSON file, or - for standard input. With a capacity any plan that fits will do, unless --minimize asks for the lowest; without one it looks for the lowest plan until that is proven or a limit comes. Every plan is verified before it is written.

The CSV's header decides its columns: id, lower, upper, size and optionally alignment, gaps, hint and offset, which fixes a buffer's place. A plan that a JSON input carries is ignored.

The first SIGINT or SIGTERM stops the search and writes the best plan so far; a second one kills. An output file is replaced as a whole or not touched.`,
		Example: `  stowage solve model.csv
  stowage solve --capacity 1MiB --timeout 10s -o plan.json --stats - model.csv
  stowage solve --planner exact --without memo,dominance --nodes 100000 model.csv
  generate | stowage solve - | allocate`,
		Args:        arity(1, "INPUT"),
		Annotations: map[string]string{exitsKey: allExits},
		RunE:        func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	s.bind(cmd)
	f := cmd.Flags()
	f.BoolVar(&s.minimize, "minimize", false, "look for the lowest plan within the capacity; implied without one")
	f.StringVarP(&s.output, "output", "o", "", "write the plan to `FILE`, as .csv, .json, .svg, .html or .tex [default: CSV on standard output]")
	f.StringVar(&s.format, "format", "", "write as `NAME` (csv, json, svg, html, tex) whatever the extension")
	f.StringVar(&s.stats, "stats", "", "write status, height, lower_bound, capacity, planner, buffers, nodes, backtracks and seconds to `FILE` as JSON, plan or no plan; - is standard output where -o names a file")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no summary and no progress line on standard error")
	f.StringVar(&s.cpuProfile, "cpuprofile", "", "write a CPU profile of the search to `FILE`")
	_ = f.MarkHidden("cpuprofile")
	group(cmd, "Problem", "capacity", "minimize")
	group(cmd, "Output", "output", "format", "stats", "quiet")
	complete(cmd, "format", formatNames)
	return cmd
}

func (s *solveFlags) run(cmd *cobra.Command, input string) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	o.Minimize = s.minimize
	name, err := s.checkOutputs()
	if err != nil {
		return err
	}
	p, _, err := format.ReadProblem(input)
	if err != nil {
		return err
	}
	stopProfile, err := startProfile(s.cpuProfile)
	if err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	r, err := solve(ctx, cmd.ErrOrStderr(), s.quiet, p, o)
	stopProfile()
	if err != nil {
		return err
	}
	capacity := s.capacity.or(p)
	if r.Status.HasPlan() {
		d := &document{problem: p, offsets: r.Offsets, capacity: capacity, height: r.Height, lowerBound: r.LowerBound, result: r}
		if err := writeDocument(cmd, s.output, name, d); err != nil {
			return err
		}
	}
	if s.stats != "" {
		stats := statsOf(r, capacity, len(p.Buffers))
		if err := writeTo(cmd, s.stats, func(w io.Writer) error { return writeIndented(w, stats) }); err != nil {
			return err
		}
	}
	if !s.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), summary(r, capacity, len(p.Buffers)))
	}
	return outcomeOf(r.Status)
}

// checkOutputs settles where the output goes before any work is done.
func (s *solveFlags) checkOutputs() (name string, err error) {
	if name, err = formatOf(s.format, s.output, formatNames()); err != nil {
		return "", err
	}
	if s.stats == "-" && toStdout(s.output) {
		return "", usagef("--stats - needs -o FILE: standard output has the plan")
	}
	if s.stats == s.output && !toStdout(s.output) {
		return "", usagef("-o and --stats both name %s", s.output)
	}
	if err := checkOutput(s.output); err != nil {
		return "", err
	}
	return name, checkOutput(s.stats)
}

// solve calls stowage.Solve with a progress line where there is a terminal.
func solve(ctx context.Context, stderr io.Writer, quiet bool, p *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
	if !quiet && isTerminal(stderr) {
		line := startProgress(stderr, progressEvery)
		defer line.stop()
		o.Progress = line.update
	}
	return stowage.Solve(ctx, p, o)
}

// stats is what --stats writes. The keys are a contract; new ones go to the end.
type stats struct {
	Status     stowage.Status `json:"status"`
	Height     int64          `json:"height"` // 0 where there is no plan
	LowerBound int64          `json:"lower_bound"`
	Capacity   int64          `json:"capacity"` // 0 where there is none
	Planner    string         `json:"planner"`
	Buffers    int            `json:"buffers"`
	Nodes      int64          `json:"nodes"`
	Backtracks int64          `json:"backtracks"`
	Seconds    float64        `json:"seconds"` // in the planner, by the clock
}

func statsOf(r *stowage.Result, capacity int64, buffers int) stats {
	return stats{
		Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Capacity: capacity,
		Planner: r.Planner, Buffers: buffers,
		Nodes: r.Stats.Nodes, Backtracks: r.Stats.Backtracks, Seconds: r.Stats.Elapsed.Seconds(),
	}
}

// summary says in one line what came out.
func summary(r *stowage.Result, capacity int64, buffers int) string {
	var s string
	switch {
	case r.Status.HasPlan():
		s = fmt.Sprintf("%s: height %d, lower bound %d, gap %s", r.Status, r.Height, r.LowerBound, gap(r.Height, r.LowerBound))
	case r.Status == stowage.Infeasible:
		s = fmt.Sprintf("infeasible: no plan is lower than %d", r.LowerBound)
	default:
		s = fmt.Sprintf("unknown: a limit came before an answer; lower bound %d", r.LowerBound)
	}
	if capacity > 0 {
		s += fmt.Sprintf(", capacity %d", capacity)
	}
	return s + fmt.Sprintf("; %d buffers, %s, %d nodes, %s", buffers, r.Planner, r.Stats.Nodes, seconds(r.Stats.Elapsed))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// startProfile starts a CPU profile, where a file is named.
func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, usageError{err}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, internalError{err}
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
