// Command idealloc measures the planner boxing against idealloc's own build.
//
//	go run ./lab/bench/idealloc -idealloc PATH
//
// The table goes to standard output, and with -into FILE into the block bench:idealloc-peer of a document; the raw runs
// go into lab/bench/results.
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
	out      result
}

func main() {
	b := &bench{out: result{Machine: record.ThisMachine(), Date: record.Today()}}
	flag.StringVar(&b.data, "data", os.Getenv("STOWAGE_DATA"), "`FOLDER` with challenging and idealloc")
	flag.StringVar(&b.idealloc, "idealloc", os.Getenv("IDEALLOC"), "idealloc's `PROGRAM`")
	flag.IntVar(&b.runs, "runs", 3, "runs of each problem and setting")
	into := flag.String("into", "", "put the table into the document `FILE`")
	results := flag.String("results", "lab/bench/results", "`FOLDER` of the raw runs; empty for none")
	flag.Parse()
	text, err := b.peer()
	if err == nil {
		text += fmt.Sprintf("\n%s; %s.\n", b.out.Machine, b.out.Date)
		fmt.Print(text)
		if *results != "" {
			err = record.WriteJSON(filepath.Join(*results, "idealloc-peer-"+b.out.Date+".json"), b.out)
		}
		if err == nil && *into != "" {
			err = record.ReplaceBlock(*into, "bench:idealloc-peer", text)
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
	one := run{
		Problem: name, Setting: setting, Seed: o.Seed, Height: r.Height, Bound: comparison.NewInstance(name, p, 0).Load,
		Seconds: r.Stats.Elapsed.Seconds(), Nodes: r.Stats.Nodes,
	}
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
				comparison.Milliseconds(least(ours)), comparison.Milliseconds(least(theirs)),
				fmt.Sprintf("%.1f×", least(theirs)/least(ours)),
			})
		}
	}
	return comparison.NewTable([]string{
		"problem", "buffers", "tries", "boxing, over the load", "idealloc, over the load", "boxing, ms", "idealloc, ms",
		"faster by",
	}, rows).Markdown() +
		fmt.Sprintf("\nHeights: median (best) of %d runs; times: the least. One thread each.\n", b.runs), nil
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

// least is the least time.
func least(runs []run) float64 {
	var all []float64
	for _, r := range runs {
		all = append(all, r.Seconds)
	}
	return slices.Min(all)
}
