// Command papers prints the tables of the TelaMalloc and MiniMalloc papers
// (both ASPLOS 2023) as this machine makes them.
//
//	go run ./bench/papers table2       the contention heuristic's least memory
//	go run ./bench/papers models       real models at 1.1 times their least height
//	go run ./bench/papers synthetic    the synthetic suite, 525 problems
//	go run ./bench/papers challenging  A to K
//
// table2, models and challenging take files after the mode, in place of the
// public instances in STOWAGE_DATA.
//
// Planners are named by -planners; those that are not there are skipped, and
// said so. The planner cp-sat is OR-Tools, where Python has it (bench/ortools).
// Each sweep keeps its raw runs in a file, a line of JSON each, as they are done,
// and takes up where that left off: name another with -results to start afresh.
// Every plan is verified. The full sweep of the paper's figure 10, more than a day on one
// core, is
//
//	go run ./bench/papers -limit 1m synthetic
//
// and -each 2 -limit 2s is a sample of it that takes ten minutes at most.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bench/internal/record"
	"github.com/stowage-go/stowage/bench/ortools"
	"github.com/stowage-go/stowage/internal/experiment"
	_ "github.com/stowage-go/stowage/planner/baselines"
	_ "github.com/stowage-go/stowage/planner/milp"
)

// solvers are the columns of figure 10, and an outside peer.
const solvers = "exact,tela,milp,cp,csp,meta-csp," + cpSAT

type flags struct {
	planners string
	limit    time.Duration
	repeat   int
	jobs     int
	each     int
	step     int
	factor   float64
	results  string
	into     string
	files    []string
}

func main() {
	var f flags
	flag.StringVar(&f.planners, "planners", "", "the planners `P1,P2` [default: those of the paper's table]")
	flag.DurationVar(&f.limit, "limit", time.Minute, "end a run after `D`")
	flag.IntVar(&f.repeat, "repeat", 5, "take the median of `N` runs; one is enough where it reaches the limit (synthetic: 1)")
	flag.IntVar(&f.jobs, "jobs", 1, "run `N` problems at a time")
	flag.IntVar(&f.each, "each", 0, "synthetic: take `N` problems of each size [default: 25]")
	flag.IntVar(&f.step, "step", 1, "synthetic: take each `N`th size")
	flag.Float64Var(&f.factor, "factor", 1.1, "models: the capacity is `X` times the least height")
	flag.StringVar(&f.results, "results", "", "keep the raw runs in `FILE` [default: bench/results/papers-MODE.jsonl]")
	flag.StringVar(&f.into, "into", "", "put the table into the document `FILE`, block bench:papers-MODE")
	flag.Parse()
	if flag.NArg() > 1 {
		f.files = flag.Args()[1:]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, flag.Arg(0), f); {
	case errors.Is(err, experiment.ErrNoData):
		fmt.Println("bench/papers skipped:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench/papers:", err)
		os.Exit(1)
	}
}

// run runs one mode and prints its table.
func run(ctx context.Context, mode string, f flags) error {
	var text string
	var err error
	switch mode {
	case "table2":
		text, err = table2(ctx, f)
	case "models", "synthetic", "challenging":
		text, err = figure(ctx, mode, f)
	default:
		return fmt.Errorf("%q is none of table2, models, synthetic, challenging", mode)
	}
	if err != nil {
		return err
	}
	fmt.Print(text)
	if f.into != "" {
		return record.ReplaceBlock(f.into, "bench:papers-"+mode, text)
	}
	return nil
}

// known returns the planners of a list that are registered.
func known(list string) []string {
	all := stowage.Planners()
	var names []string
	for _, name := range strings.Split(list, ",") {
		if name == cpSAT {
			if err := ortools.Missing(); err != nil {
				fmt.Fprintf(os.Stderr, "bench/papers: %s: skipped: %v\n", name, err)
			} else {
				names = append(names, name)
			}
			continue
		}
		if slices.ContainsFunc(all, func(i stowage.PlannerInfo) bool { return i.Name == name }) {
			names = append(names, name)
		} else {
			fmt.Fprintf(os.Stderr, "bench/papers: planner %s is not there: skipped\n", name)
		}
	}
	return names
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
