// Command idealloc measures the planners boxing and climb.
//
//	go run ./lab/bench/idealloc -table peer -idealloc PATH   boxing against idealloc's own build
//	go run ./lab/bench/idealloc -table search                tree search against restarts
//	go run ./lab/bench/idealloc -table climb                 climb without each of its techniques
//
// Each table goes to standard output, and with -into FILE into the block
// "bench:idealloc-TABLE" of a document; the raw runs go into lab/bench/results.
//
// idealloc is github.com/cappadokes/idealloc (a21f84d), built with
// `cargo build --release -p coreba`. Its main thread wants a large stack
// (`ulimit -s unlimited`). Both programs report their own time, from the parsed
// problem to the plan, and make the same number of tries on one thread each
// (RAYON_NUM_THREADS=1); idealloc's choices are not seeded, so its runs differ.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/comparison"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// A run is one plan.
type run struct {
	Problem string
	Setting string
	Seed    uint64
	Height  int64
	Bound   int64 // the load
	Seconds float64
	Nodes   int64
}

// A result is what the raw file holds.
type result struct {
	Machine record.Machine
	Date    string
	Runs    []run
}

// bench is one invocation.
type bench struct {
	data     string
	idealloc string
	runs     int
	timeout  time.Duration
	nodes    int64
	out      result
}

func main() {
	b := &bench{out: result{Machine: record.ThisMachine(), Date: record.Today()}}
	table := flag.String("table", "peer", "peer, search or climb")
	flag.StringVar(&b.data, "data", os.Getenv("STOWAGE_DATA"), "`FOLDER` with challenging and idealloc")
	flag.StringVar(&b.idealloc, "idealloc", os.Getenv("IDEALLOC"), "idealloc's `PROGRAM`")
	flag.IntVar(&b.runs, "runs", 3, "runs of each problem and setting")
	flag.DurationVar(&b.timeout, "timeout", 3*time.Second, "time for a run of search")
	flag.Int64Var(&b.nodes, "nodes", 4_000_000, "nodes for a run of climb")
	into := flag.String("into", "", "put the table into the document `FILE`")
	results := flag.String("results", "lab/bench/results", "`FOLDER` of the raw runs; empty for none")
	flag.Parse()
	tables := map[string]func() (string, error){"peer": b.peer, "search": b.search, "climb": b.climb}
	measure := tables[*table]
	if measure == nil {
		measure = func() (string, error) { return "", errors.New("the tables are peer, search and climb") }
	}
	text, err := measure()
	if err == nil {
		text += fmt.Sprintf("\n%s; %s.\n", b.out.Machine, b.out.Date)
		fmt.Print(text)
		if *results != "" {
			err = record.WriteJSON(filepath.Join(*results, "idealloc-"+*table+"-"+b.out.Date+".json"), b.out)
		}
		if err == nil && *into != "" {
			err = record.ReplaceBlock(*into, "bench:idealloc-"+*table, text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/idealloc:", err)
		os.Exit(1)
	}
}

// read reads a problem of the data.
func (b *bench) read(name string) (*stowage.Problem, error) {
	path := filepath.Join(b.data, name+".csv")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.Read(f, path)
}

// plan makes one plan, which stowage verifies.
func (b *bench) plan(p *stowage.Problem, name, setting string, o stowage.Options) (run, error) {
	r, err := stowage.Minimize(context.Background(), p, o)
	if err != nil {
		return run{}, err
	}
	one := run{Problem: name, Setting: setting, Seed: o.Seed, Height: r.Height, Bound: comparison.NewInstance(name, p, 0).Load, Seconds: r.Stats.Elapsed.Seconds(), Nodes: r.Stats.Nodes}
	b.out.Runs = append(b.out.Runs, one)
	fmt.Fprintf(os.Stderr, "%s %s: %d, %.3f s\n", name, setting, r.Height, one.Seconds)
	return one, nil
}

var (
	makespan = regexp.MustCompile(`Makespan:\s+(\d+)`)
	taken    = regexp.MustCompile(`Total allocation time: (\d+)`)
)

// theirs runs idealloc.
func (b *bench) theirs(name string, tries int) (run, error) {
	cmd := exec.Command(b.idealloc, "-i", filepath.Join(b.data, name+".csv"), "-l", strconv.Itoa(tries), "ex-csv")
	cmd.Env = append(os.Environ(), "RAYON_NUM_THREADS=1")
	text, err := cmd.Output()
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", name, err)
	}
	height, time := makespan.FindSubmatch(text), taken.FindSubmatch(text)
	if height == nil || time == nil {
		return run{}, errors.New("idealloc says neither height nor time")
	}
	one := run{Problem: name, Setting: fmt.Sprintf("idealloc, %d tries", tries)}
	one.Height, _ = strconv.ParseInt(string(height[1]), 10, 64)
	micros, _ := strconv.ParseFloat(string(time[1]), 64)
	one.Seconds = micros / 1e6
	b.out.Runs = append(b.out.Runs, one)
	fmt.Fprintf(os.Stderr, "%s %s: %d, %.3f s\n", name, one.Setting, one.Height, one.Seconds)
	return one, nil
}

// peer compares boxing with idealloc at equal tries: the median height of the
// runs, the best height, and the least time.
func (b *bench) peer() (string, error) {
	if b.idealloc == "" {
		return "", errors.New("the peer needs -idealloc or IDEALLOC")
	}
	var rows [][]string
	for _, name := range []string{
		"idealloc/G_1", "idealloc/resnet50", "idealloc/pangu_2.6B", "idealloc/S_1",
		"challenging/A.1048576", "challenging/D.1048576", "challenging/K.1048576",
	} {
		p, err := b.read(name)
		if err != nil {
			return "", err
		}
		for _, tries := range []int{1, 10, 100} {
			if tries > 10 && len(p.Buffers) > 10000 {
				continue
			}
			var ours, theirs []run
			for seed := range b.runs {
				o := stowage.Options{Planner: "boxing", Seed: uint64(seed), Params: map[string]string{"tries": strconv.Itoa(tries)}}
				one, err := b.plan(p, name, fmt.Sprintf("boxing, %d tries", tries), o)
				if err != nil {
					return "", err
				}
				ours = append(ours, one)
				if one, err = b.theirs(name, tries); err != nil {
					return "", err
				}
				theirs = append(theirs, one)
			}
			bound := float64(ours[0].Bound)
			rows = append(rows, []string{
				base(name), strconv.Itoa(len(p.Buffers)), strconv.Itoa(tries),
				ratio(heights(ours), bound), ratio(heights(theirs), bound),
				comparison.Milliseconds(least(ours)), comparison.Milliseconds(least(theirs)), fmt.Sprintf("%.1f×", least(theirs)/least(ours)),
			})
		}
	}
	return comparison.NewTable([]string{"problem", "buffers", "tries", "boxing, over the load", "idealloc, over the load", "boxing, ms", "idealloc, ms", "faster by"}, rows).Markdown() +
		fmt.Sprintf("\nHeights: median (best) of %d runs; times: the least. One thread each.\n", b.runs), nil
}

// search compares tree search with restarts at equal time.
func (b *bench) search() (string, error) {
	settings := []string{"restarts", "mcts without follow", "mcts"}
	wins, losses, count := 0, 0, 0
	var rows [][]string
	for _, name := range []string{
		"challenging/A.1048576", "challenging/B.1048576", "challenging/C.1048576", "challenging/D.1048576", "challenging/E.1048576",
		"challenging/F.1048576", "challenging/G.1048576", "challenging/H.1048576", "challenging/I.1048576", "challenging/J.1048576",
		"challenging/K.1048576", "idealloc/G_1", "idealloc/resnet50", "idealloc/S_1", "idealloc/pangu_2.6B",
	} {
		p, err := b.read(name)
		if err != nil {
			return "", err
		}
		row := []string{base(name), strconv.Itoa(len(p.Buffers))}
		mean := make([]float64, len(settings))
		for k, setting := range settings {
			how, without, _ := strings.Cut(setting, " without ")
			o := stowage.Options{Planner: "boxing", Timeout: b.timeout, Params: map[string]string{"search": how}}
			if without != "" {
				o.Without = []string{without}
			}
			var all []run
			for seed := range b.runs {
				o.Seed = uint64(seed)
				one, err := b.plan(p, name, setting, o)
				if err != nil {
					return "", err
				}
				all = append(all, one)
			}
			mean[k] = overBound(all)
			row = append(row, fmt.Sprintf("%.4f", mean[k]), strconv.FormatInt(all[0].Nodes/int64(len(p.Buffers)), 10))
		}
		count++
		switch d := mean[2] - mean[0]; {
		case d < -1e-9:
			wins++
		case d > 1e-9:
			losses++
		}
		rows = append(rows, row)
	}
	return comparison.NewTable([]string{"problem", "buffers", "restarts", "tries", "mcts, random below the tree", "tries", "mcts", "tries"}, rows).Markdown() +
		fmt.Sprintf("\nHeight over the load, mean of %d seeds, %v each. Tree search ends lower on %d, higher on %d, equal on %d.\n",
			b.runs, b.timeout, wins, losses, count-wins-losses), nil
}

// climb measures what each technique is worth.
func (b *bench) climb() (string, error) {
	settings := []string{"all"}
	for _, p := range stowage.Planners() {
		if p.Name == "climb" {
			for _, t := range p.Techniques {
				settings = append(settings, t.Name)
			}
		}
	}
	problems := []string{
		"challenging/A.1048576", "challenging/D.1048576", "challenging/E.1048576", "challenging/G.1048576",
		"challenging/I.1048576", "challenging/J.1048576", "challenging/K.1048576",
	}
	rows := make([][]string, len(settings))
	for k, setting := range settings {
		rows[k] = []string{setting}
		if k > 0 {
			rows[k][0] = "without " + setting
		}
	}
	header := []string{""}
	for _, name := range problems {
		p, err := b.read(name)
		if err != nil {
			return "", err
		}
		header = append(header, base(name))
		for k, setting := range settings {
			o := stowage.Options{Planner: "climb", NodeLimit: b.nodes}
			if k > 0 {
				o.Without = []string{setting}
			}
			var all []run
			for seed := range b.runs {
				o.Seed = uint64(seed)
				one, err := b.plan(p, name, rows[k][0], o)
				if err != nil {
					return "", err
				}
				all = append(all, one)
			}
			rows[k] = append(rows[k], fmt.Sprintf("%.4f", overBound(all)))
		}
	}
	return comparison.NewTable(header, rows).Markdown() + fmt.Sprintf(
		"\nHeight over the load, mean of %d seeds; %s nodes each, one worker: the same on every machine.\n", b.runs, comparison.Grouped(b.nodes)), nil
}

// base is the name of a problem without its folder and capacity.
func base(name string) string {
	return strings.TrimSuffix(filepath.Base(name), ".1048576")
}

// heights returns the heights in ascending order.
func heights(runs []run) []float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, float64(r.Height))
	}
	slices.Sort(all)
	return all
}

// ratio shows the median and the best of heights over the load.
func ratio(heights []float64, bound float64) string {
	return fmt.Sprintf("%.4f (%.4f)", comparison.Median(heights)/bound, heights[0]/bound)
}

// overBound is the mean of the heights over their bounds.
func overBound(runs []run) float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, float64(r.Height)/float64(r.Bound))
	}
	return comparison.Mean(all)
}

// least is the least time.
func least(runs []run) float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, r.Seconds)
	}
	return slices.Min(all)
}
