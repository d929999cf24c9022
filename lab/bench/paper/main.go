// Command paper measures what the papers on static memory planning measured, and
// sets it beside their own figures, in one report: MiniMalloc and TelaMalloc (both
// ASPLOS 2023), idealloc (CONVOLVE D5.5, 2024), IREE Wave's worked example, and
// slides about MiniMalloc.
//
//	go run ./lab/bench/paper --quick               five minutes on two cores: samples, limits of a second
//	go run ./lab/bench/paper --full                a night: whole suites, limits of a minute
//	go run ./lab/bench/paper --full -processor     the same on a machine with other work
//	go run ./lab/bench/paper -list                 the sections
//	go run ./lab/bench/paper -section ID[,ID]      these alone
//
// The report is one HTML file, -o. Every run is kept in the file -runs as soon as it is
// made. What is no run of a planner on a problem is kept beside it, as NAME-facts.jsonl.
// The same command goes on from there; with the name of a new file it begins afresh. Each
// section has a share of the time (-budget) and says what it had no time for.
//
// No verdict and no sentence about a result is written into the source: judge.go and
// say_*.go make them from the figures of the run, and say nothing of what was not run.
//
// The public instances are in the folder STOWAGE_DATA, or in shared/data here or above. If
// there are none, generated inputs stand for them. google/minimalloc's program is a peer if
// -minimalloc names it, and CP-SAT if Python has OR-Tools (lab/bench/ortools). The report says
// what is absent.
//
// With -into FILE the first table of each section asked for goes into the block
// <!-- bench:paper-ID --> of a document.
//
//	main.go      flags, files, the sections in turn
//	section.go   what a section is, and the list of them
//	env.go       what sections measure with: sweeps, facts, time
//	facts.go     the file of what is no run
//	inputs.go    the problems
//	tables.go    a sweep as tables
//	judge.go     a figure beside the paper's: the verdict
//	report.go    the page
//
//	minimalloc.go suites.go orders.go worked.go say_minimalloc.go       the sections of MiniMalloc
//	telamalloc.go strategies.go learned.go memory.go leastmemory.go
//	say_telamalloc.go                                                   of TelaMalloc
//	idealloc.go say_idealloc.go others.go say_others.go                 of the others
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	_ "github.com/stowage-go/stowage/lab/milp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes, as the command has them.
const (
	ok       = 0
	failed   = 1 // a plan is invalid, a measurement failed, a file cannot be written
	badUsage = 2
)

// flags are those of the command.
type flags struct {
	*flag.FlagSet
	quick, full, list, processor      bool
	only, out, runs, minimalloc, into string
	budget                            time.Duration
	jobs                              int
	steps                             int64
}

func newFlags(stderr io.Writer) *flags {
	f := &flags{FlagSet: flag.NewFlagSet("paper", flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.BoolVar(&f.quick, "quick", false, "samples, in five minutes on two cores [default]")
	f.BoolVar(&f.full, "full", false, "whole suites, in a night")
	f.BoolVar(&f.list, "list", false, "list the sections")
	f.StringVar(&f.only, "section", "", "the sections `ID,ID` [default: all]")
	f.StringVar(&f.out, "o", filepath.Join("lab", "bench", "out", "paper.html"), "write the report to `FILE`")
	f.StringVar(&f.runs, "runs", "", "keep the runs in `FILE` [default: lab/bench/out/paper-quick.jsonl; of --full lab/bench/results/paper.jsonl]")
	f.DurationVar(&f.budget, "budget", 0, "take `D` in all, shared out among the sections [default: 4m40s; of --full 9h]")
	f.IntVar(&f.jobs, "jobs", 2, "run `N` problems at a time in sections that count shares and not times")
	f.StringVar(&f.minimalloc, "minimalloc", os.Getenv("MINIMALLOC"), "the `PATH` of google/minimalloc's program [$MINIMALLOC]")
	f.Int64Var(&f.steps, "steps", 0, "give figures 14 and 15 of TelaMalloc `N` steps at most [default: 2000 and 20,000; of --full 500,000]")
	f.BoolVar(&f.processor, "processor", false, "time and limit runs by the processor time they take and not by the clock, one run at a time; for a machine with other work")
	f.StringVar(&f.into, "into", "", "put the first table of each section into its block of the document `FILE`")
	return f
}

// check refuses what cannot be, and returns the sections that are asked for.
func (f *flags) check() ([]section, error) {
	var names []string
	if f.only != "" {
		names = strings.Split(f.only, ",")
	}
	chosen, err := choose(names)
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("%q: the command takes flags alone", f.Arg(0))
	case f.quick && f.full:
		err = errors.New("--quick and --full are one or the other")
	case f.jobs < 1:
		err = fmt.Errorf("-jobs %d: at least 1", f.jobs)
	case f.processor && f.jobs > 1 && set(f.FlagSet, "jobs"):
		err = fmt.Errorf("-jobs %d: with -processor runs are made one at a time", f.jobs)
	case f.steps < 0:
		err = fmt.Errorf("-steps %d: at least 1", f.steps)
	case f.budget < 0:
		err = fmt.Errorf("-budget %v: no time at all", f.budget)
	case f.into != "" && len(names) == 0:
		err = errors.New("-into wants -section")
	case f.minimalloc != "":
		if _, stat := os.Stat(f.minimalloc); stat != nil {
			err = fmt.Errorf("-minimalloc: %w", stat)
		}
	}
	return chosen, err
}

// setup says what the flags ask for, in files of the repository where they name none.
func (f *flags) setup(root string, progress io.Writer) setup {
	s := setup{
		size: quickSize, root: root, runs: f.runs, out: f.out, into: f.into,
		minimalloc: f.minimalloc, jobs: f.jobs, processor: f.processor, tools: true, progress: progress, begin: time.Now(),
	}
	if f.full {
		s.size = fullSize
	}
	if s.runs == "" {
		s.runs = filepath.Join(root, s.size.runs)
	}
	if !filepath.IsAbs(s.out) && s.out == f.Lookup("o").DefValue {
		s.out = filepath.Join(root, s.out)
	}
	if s.processor {
		s.jobs = 1
	}
	if f.steps > 0 {
		s.size.steps, s.size.nodes = f.steps, f.steps
	}
	if f.budget > 0 {
		s.size.budget = f.budget
	}
	return s
}

// run is the whole command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(stderr, "lab/bench/paper:", err)
		return code
	}
	f := newFlags(stderr)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return ok
		}
		return badUsage
	}
	chosen, err := f.check()
	if err != nil {
		return fail(badUsage, err)
	}
	if f.list {
		for _, s := range chosen {
			fmt.Fprintf(stdout, "%-22s  %s\n", s.id, s.title)
		}
		return ok
	}
	root, err := repository()
	if err != nil {
		return fail(failed, err)
	}
	s := f.setup(root, stderr)
	if err := measure(ctx, s, chosen); err != nil {
		return fail(failed, err)
	}
	fmt.Fprintln(stdout, s.out)
	return ok
}

// set reports whether a flag was given.
func set(fs *flag.FlagSet, name string) (given bool) {
	fs.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// repository is the folder of the source: the tools of bench are built from there.
func repository() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.work")); err == nil {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", errors.New("run it in a clone of the repository: there is no go.work here or above")
		}
		at = up
	}
}

// A setup is what a report is made with.
type setup struct {
	size       size
	root       string
	runs       string // the file of runs
	out        string
	into       string
	minimalloc string
	jobs       int
	processor  bool // runs are timed and limited by the processor time that they take
	tools      bool // go run is called for what other tools of bench measure
	progress   io.Writer
	begin      time.Time
	invent     *invention // in tests: results that are made up; nil is none
}

// measure runs the sections and writes the report. It is written where a section has
// failed too, and the error then says which.
func measure(ctx context.Context, s setup, chosen []section) error {
	for _, path := range []string{s.runs, s.out} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	}
	cache, err := comparison.Open(s.runs)
	if err != nil {
		return err
	}
	defer cache.Close()
	facts, err := openFacts(factsBeside(s.runs))
	if err != nil {
		return err
	}
	defer facts.close()
	loadavg, _ := os.ReadFile("/proc/loadavg") // none where it is not Linux
	e := newEnv(s, cache, facts)
	r := report{setup: s, machine: record.ThisMachine().String(), day: record.Today(), revision: e.revision, absent: e.absent, busy: busy(string(loadavg), runtime.NumCPU(), s.processor)}
	left, aside := 0.0, time.Duration(0) // shares, and what is set aside for sections to come
	for _, one := range chosen {
		left += one.share(s.size)
		aside += one.least(s.size)
	}
	var failures []error
	spent := time.Duration(0)
	for k, one := range chosen {
		began := time.Now()
		share := time.Duration(float64(max(s.size.budget-spent-aside, 0))*one.share(s.size)/left) + one.least(s.size)
		left -= one.share(s.size)
		aside -= one.least(s.size)
		fmt.Fprintf(s.progress, "lab/bench/paper: %d of %d: %s, up to %v\n", k+1, len(chosen), one.id, share.Round(time.Second/10))
		c, err := e.section(ctx, one, share)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; what was run is kept, and the same command goes on from it: %w", context.Cause(ctx))
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", one.id, err))
		}
		r.parts = append(r.parts, part{section: one, content: c, err: err, took: time.Since(began)})
		spent += time.Since(began)
	}
	if err := errors.Join(cache.Close(), facts.close()); err != nil {
		return err
	}
	if err := format.WriteFile(s.out, func(w io.Writer) error {
		_, err := io.WriteString(w, r.html())
		return err
	}); err != nil {
		return err
	}
	if s.into != "" {
		for _, p := range r.parts {
			if p.err == nil {
				failures = append(failures, record.ReplaceBlock(s.into, "bench:paper-"+p.id, p.content.markdown()))
			}
		}
	}
	return errors.Join(failures...)
}
