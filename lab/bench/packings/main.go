// Command packings measures planners on problems of which the optimum is known, or
// nearly so: packings without a byte to spare, with holes, and large graphs.
//
//	go run ./lab/bench/packings [-problems perfect:1000,walls:1000:100:500] [-seeds 20]
//	    [-planner auto] [-timeout 5s] [-into docs/planners/merge.md]
//
// Without -problems they are those of the table in that page; -problems hard are those
// that stay hard. A problem is KIND:BUFFERS:HORIZON:CAPACITY:HOLES of `stowage gen`, of which all but
// the kind may be left out. Each is made with the seeds from -from on, and minimised in
// this process; time is that of Solve, checks of the plan included. Solved means a
// plan as high as the optimum, or as the lower bound where that is not known.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// A run is one plan.
type run struct {
	Problem string
	Seed    uint64
	Height  int64
	Goal    int64 // the optimum, or the lower bound
	Seconds float64
}

// The problems of the page's table.
var usual = []string{
	"perfect:100", "perfect:200", "perfect:500", "perfect:1000", "perfect:5000",
	"pinwheel:200", "pinwheel:500", "pinwheel:1000",
	"walls:200", "walls:500", "walls:1000", "walls:5000",
	"cracks:200", "cracks:500", "cracks:1000", "cracks:5000",
	"perfect:500:100:1048576", "pinwheel:500:100:1048576", "walls:500:100:1048576",
}

// Those that stay hard: coarse in space as well, and with holes.
var hard = []string{
	"perfect:200:60:200", "pinwheel:200:60:200", "walls:200:60:200",
	"perfect:1000:150:500", "pinwheel:1000:150:500", "walls:1000:150:500",
	"perfect:200:0:0:0.1", "pinwheel:200:0:0:0.1", "walls:200:0:0:0.1", "cracks:200:0:0:0.1",
	"perfect:1000:0:0:0.1", "pinwheel:1000:0:0:0.1", "walls:1000:0:0:0.1", "cracks:1000:0:0:0.1",
}

func main() {
	problems := flag.String("problems", strings.Join(usual, ","), "`LIST` of problems, or hard for those that stay hard")
	from := flag.Uint64("from", 0, "the first seed")
	seeds := flag.Uint64("seeds", 20, "problems of each kind")
	planner := flag.String("planner", "auto", "planner")
	without := flag.String("without", "", "techniques to leave out")
	timeout := flag.Duration("timeout", 5*time.Second, "limit of each run, 0 for none")
	into := flag.String("into", "", "put the table into the document `FILE`")
	results := flag.String("results", "", "write every run and the machine as JSON to `FILE`")
	flag.Parse()
	if *problems == "hard" {
		*problems = strings.Join(hard, ",")
	}
	o := stowage.Options{Planner: *planner, Timeout: *timeout}
	if *without != "" {
		o.Without = strings.Split(*without, ",")
	}
	var all []run
	var rows [][]string
	for _, spec := range strings.Split(*problems, ",") {
		var runs []run
		for seed := *from; seed < *from+*seeds; seed++ {
			r, err := once(spec, seed, o)
			check(err)
			runs = append(runs, r)
		}
		all = append(all, runs...)
		rows = append(rows, row(spec, runs))
		fmt.Println(strings.Join(rows[len(rows)-1], "  "))
	}
	text := comparison.NewTable([]string{"problem", "solved", "median s", "slowest s", "above, mean", "above, most"}, rows).Markdown()
	text += fmt.Sprintf("\nSeeds %d to %d, %s, limit %v; %v; %s.\n", *from, *from+*seeds-1, *planner, *timeout, record.ThisMachine(), record.Today())
	fmt.Print("\n" + text)
	if *into != "" {
		check(record.ReplaceBlock(*into, "bench:packings", text))
	}
	if *results != "" {
		check(record.WriteJSON(*results, struct {
			Machine record.Machine
			Date    string
			Runs    []run
		}{record.ThisMachine(), record.Today(), all}))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/packings:", err)
		os.Exit(1)
	}
}

// parse returns the kind and the options of a problem.
func parse(spec string, seed uint64) (kind string, o gen.Options, err error) {
	o.Seed = seed
	parts := strings.Split(spec, ":")
	for k, text := range parts[1:] {
		var x float64
		if x, err = strconv.ParseFloat(text, 64); err != nil || k > 3 {
			return "", o, fmt.Errorf("%q: want KIND:BUFFERS:HORIZON:CAPACITY:HOLES", spec)
		}
		switch k {
		case 0:
			o.Buffers = int(x)
		case 1:
			o.Horizon = int64(x)
		case 2:
			o.Capacity = int64(x)
		case 3:
			o.Holes = x
		}
	}
	return parts[0], o, nil
}

// once makes a problem and plans it.
func once(spec string, seed uint64, o stowage.Options) (run, error) {
	kind, options, err := parse(spec, seed)
	if err != nil {
		return run{}, err
	}
	in, err := gen.New(kind, options)
	if err != nil {
		return run{}, err
	}
	p := &model.Problem{Buffers: in.Problem.Buffers} // without a capacity
	began := time.Now()
	r, err := stowage.Solve(context.Background(), p, o)
	if err != nil {
		return run{}, err
	}
	return run{Problem: spec, Seed: seed, Height: r.Height, Goal: max(in.Optimum, r.LowerBound), Seconds: time.Since(began).Seconds()}, nil
}

// row sums up the runs of a problem.
func row(spec string, runs []run) []string {
	var seconds, above []float64
	solved := 0
	for _, r := range runs {
		if r.Height <= r.Goal {
			solved++
		}
		seconds = append(seconds, r.Seconds)
		above = append(above, 100*(float64(r.Height)/float64(r.Goal)-1))
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	return []string{
		spec, fmt.Sprintf("%d of %d", solved, len(runs)), text(comparison.Median(seconds)), text(slices.Max(seconds)),
		text(comparison.Mean(above)) + "%", text(slices.Max(above)) + "%",
	}
}
