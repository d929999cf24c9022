// Command outside minimises problems by planners of others that have a script in Python in
// front of them, and by Stowage's auto, one after the other on each problem.
//
//	go run ./lab/bench/outside [-stalloc CLONE] [-timeout 10s] [-seeds 3] [-name NAME] [-into FILE] [FILE…]
//
// Without files it takes the challenging suite from STOWAGE_DATA. The planners are
//
//	cp-sat       OR-Tools CP-SAT, one no-overlap for each section (lab/bench/ortools)
//	cp-sat-2d    the same, one no-overlap of rectangles in time and space
//	supermalloc  OmniMalloc's, omnimalloc of PyPI (lab/bench/omnimalloc/peer.py)
//	stalloc      STAlloc's planner of training steps, from a clone of
//	             https://github.com/infinigence/STAlloc that -stalloc names (lab/bench/stalloc/peer.py)
//	auto         Stowage's, once for each seed
//
// The first three run in the Python of STOWAGE_PYTHON, stalloc in that of -stalloc-python. What
// is absent is left out, and said so. All have two threads but stalloc, which has one and no
// limit. A time is that of the call that plans, by the clock, without starting Python; of
// CP-SAT with its model. Every plan is verified here.
//
// Every run is written to lab/bench/results as JSON, and the table to standard output and, with
// -into, to the block <!-- bench:outside-NAME --> of a document.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/internal/script"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/lab/experiment"
)

func main() { record.Main("lab/bench/outside", compare) }

// A planner plans a problem that has no capacity.
type planner struct {
	name string
	plan func(ctx context.Context, p *stowage.Problem) (script.Outcome, error)
}

// A one is a run.
type one struct {
	Planner string  `json:"planner"`
	Status  string  `json:"status"`
	Height  int64   `json:"height"` // 0 without a plan
	Seconds float64 `json:"seconds"`
}

// A problem is one with its runs.
type problem struct {
	Name    string `json:"name"`
	Buffers int    `json:"buffers"`
	Load    int64  `json:"load"`
	Runs    []one  `json:"runs"`
}

// A result is the file of raw runs.
type result struct {
	Tool     string         `json:"tool"`
	Date     string         `json:"date"`
	Machine  record.Machine `json:"machine"`
	Load     string         `json:"load"`    // of the machine, as /proc/loadavg has it at the beginning
	Timeout  float64        `json:"timeout"` // seconds
	Planners []string       `json:"planners"`
	Notes    []string       `json:"notes"`
	Problems []problem      `json:"problems"`
}

func compare(ctx context.Context) error {
	var (
		stalloc = flag.String("stalloc", os.Getenv("STALLOC"), "a `CLONE` of STAlloc [$STALLOC]")
		python  = flag.String("stalloc-python", cmp.Or(os.Getenv("STALLOC_PYTHON"), ortools.Python()),
			"the `PATH` of a Python with numpy, scikit-learn and matplotlib, for STAlloc [$STALLOC_PYTHON]")
		timeout = flag.Duration("timeout", 10*time.Second, "end a run after `D`")
		seeds   = flag.Int("seeds", 3, "run auto with `N` seeds")
		name    = flag.String("name", "challenging", "the `NAME` of the problems, for the file of results")
		note    = flag.String("note", "", "what to record about the planners, such as their versions")
		into    = flag.String("into", "", "put the table into the document `FILE`")
		out     = flag.String("results", "lab/bench/results", "write the runs as JSON to the folder `DIR`; none if empty")
	)
	flag.Parse()
	if *timeout <= 0 || *seeds < 1 {
		return errors.New("-timeout and -seeds must be above 0")
	}
	instances, err := experiment.Load("challenging", flag.Args())
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg") // none if it is not Linux
	r := result{
		Tool: "lab/bench/outside", Date: record.Today(), Machine: record.ThisMachine(),
		Load: strings.TrimSpace(string(load)), Timeout: timeout.Seconds(),
	}
	if *note != "" {
		r.Notes = append(r.Notes, *note)
	}
	planners, absent := outside(*stalloc, *python, *timeout)
	for _, a := range absent {
		fmt.Fprintln(os.Stderr, "lab/bench/outside:", a)
	}
	r.Notes = append(r.Notes, absent...)
	for seed := range *seeds {
		planners = append(planners, auto(uint64(seed), *timeout))
	}
	for _, p := range planners {
		r.Planners = append(r.Planners, p.name)
	}
	for _, in := range instances {
		p := *in.Problem
		p.Capacity = 0
		q := problem{Name: in.Name, Buffers: len(p.Buffers), Load: in.Load}
		for _, who := range planners {
			o, err := who.plan(ctx, &p)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", who.name, in.Name, err)
			}
			q.Runs = append(q.Runs, one{who.name, o.Status, o.Height, o.Seconds})
			fmt.Fprintf(os.Stderr, "%s: %s %s %d after %.3f s\n", in.Name, who.name, o.Status, o.Height, o.Seconds)
		}
		r.Problems = append(r.Problems, q)
	}
	table := r.markdown()
	fmt.Print(table)
	if *out != "" {
		if err := record.WriteJSON(filepath.Join(*out, "outside-"+*name+"-"+r.Date+".json"), r); err != nil {
			return err
		}
	}
	if *into != "" {
		return record.ReplaceBlock(*into, "bench:outside-"+*name, table)
	}
	return nil
}

// outside are the planners of others that can be run here, and what is absent.
func outside(stalloc, python string, timeout time.Duration) (planners []planner, absent []string) {
	limit := fmt.Sprint(timeout.Seconds())
	scripted := func(name, python, path string, args ...string) {
		planners = append(planners, planner{name, func(ctx context.Context, p *stowage.Problem) (script.Outcome, error) {
			all, err := script.Run(ctx, python, path, []*stowage.Problem{p}, args...)
			if err != nil {
				return script.Outcome{}, err
			}
			return all[0], nil
		}})
	}
	if err := ortools.Missing(); err != nil {
		absent = append(absent, "cp-sat is not here: "+err.Error())
	} else {
		peer := filepath.Join("lab", "bench", "ortools", "peer.py")
		scripted("cp-sat", ortools.Python(), peer, "--minimize", "--workers", "2", "--timeout", limit)
		scripted("cp-sat-2d", ortools.Python(), peer, "--minimize", "--workers", "2", "--timeout", limit, "--boxes")
	}
	if err := exec.Command(ortools.Python(), "-c", "import omnimalloc").Run(); err != nil {
		absent = append(absent, "supermalloc is not here: "+ortools.Python()+
			" has no omnimalloc (pip install omnimalloc==1.0.0)")
	} else {
		scripted("supermalloc", ortools.Python(), filepath.Join("lab", "bench", "omnimalloc", "peer.py"), "--threads", "2",
			"--timeout", limit)
	}
	switch {
	case stalloc == "":
		absent = append(absent, "stalloc is not here: -stalloc names no clone of https://github.com/infinigence/STAlloc")
	case exec.Command(python, "-c", "import numpy, sklearn, matplotlib").Run() != nil:
		absent = append(absent, "stalloc cannot run: "+python+" has no numpy, scikit-learn or matplotlib")
	default:
		scripted("stalloc", python, filepath.Join("lab", "bench", "stalloc", "peer.py"), "--stalloc", stalloc)
	}
	return planners, absent
}

// auto is Stowage's with a seed.
func auto(seed uint64, timeout time.Duration) planner {
	return planner{fmt.Sprintf("auto, seed %d", seed), func(ctx context.Context,
		p *stowage.Problem,
	) (script.Outcome, error) {
		r, err := stowage.Minimize(ctx, p, stowage.Options{Workers: 2, Seed: seed, Timeout: timeout})
		if err != nil {
			return script.Outcome{}, err
		}
		if report := verify.CheckHeight(p, r.Offsets, 0, r.Height); !report.OK() {
			return script.Outcome{}, fmt.Errorf("the plan: %v", report.Violations)
		}
		return script.Outcome{Status: r.Status.String(), Height: r.Height, Seconds: r.Stats.Elapsed.Seconds()}, nil
	}}
}

// markdown returns the table: heights over the load and seconds, the seeds of auto together.
func (r *result) markdown() string {
	header := []string{"problem", "load"}
	var columns [][]int // which runs
	for k, name := range r.Planners {
		base, _, _ := strings.Cut(name, ", seed ")
		if n := len(header); n > 2 && header[n-1] == base {
			columns[len(columns)-1] = append(columns[len(columns)-1], k)
			continue
		}
		header, columns = append(header, base), append(columns, []int{k})
	}
	lowest := make([]int, len(columns))
	var rows [][]string
	for i := range r.Problems {
		q := &r.Problems[i]
		row := []string{q.Name, comparison.Grouped(q.Load)}
		least := int64(0)
		for _, run := range q.Runs {
			if run.Height > 0 && (least == 0 || run.Height < least) {
				least = run.Height
			}
		}
		for c, runs := range columns {
			worst, times := int64(0), []float64{}
			for _, k := range runs {
				times = append(times, q.Runs[k].Seconds)
				if q.Runs[k].Height == 0 {
					worst = -1
				} else if worst >= 0 {
					worst = max(worst, q.Runs[k].Height)
				}
			}
			if worst <= 0 {
				row = append(row, fmt.Sprintf("no plan (%.2f s)", comparison.Median(times)))
				continue
			}
			star := ""
			if worst == least {
				lowest[c]++
				star = "*"
			}
			row = append(row, fmt.Sprintf("%.3f%s (%s s)", float64(worst)/float64(q.Load), star, times3(times)))
		}
		rows = append(rows, row)
	}
	last := []string{"* as low as any", ""}
	for _, n := range lowest {
		last = append(last, fmt.Sprintf("%d of %d", n, len(r.Problems)))
	}
	text := comparison.NewTable(header, append(rows, last)).Markdown()
	text += fmt.Sprintf("\nHeight over the load, and seconds; of auto the highest plan of its seeds, and the median. Limit %g s; %s; %s.", r.Timeout, r.Machine, r.Date)
	for _, note := range r.Notes {
		text += " " + strings.TrimSuffix(note, ".") + "."
	}
	return text + "\n"
}

// times3 is the median of some times, and how far they are apart.
func times3(times []float64) string {
	if len(times) == 1 {
		return fmt.Sprintf("%.2f", times[0])
	}
	return fmt.Sprintf("%.3f, %.3f–%.3f", comparison.Median(times), slices.Min(times), slices.Max(times))
}
