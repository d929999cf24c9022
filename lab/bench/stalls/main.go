// Command stalls draws problems on which plans were seen to end above the load, plans them with `auto` and with others,
// and says by kind how far each plan is from its bound.
//
//	go run ./lab/bench/stalls -raw runs.jsonl -seeds 5                         all kinds
//	go run ./lab/bench/stalls -raw runs.jsonl -only random -beside heuristics  beside all planners that do not search
//	go run ./lab/bench/stalls -raw runs.jsonl -only alignments -beside cp-sat
//	go run ./lab/bench/stalls -raw runs.jsonl -only two -window 100            windows of them, alone
//	go run ./lab/bench/stalls -raw runs.jsonl -seeds 0 -into lab/bench/stalls/README.md
//
// A run has one worker, and the limit is processor time of this process, so that other programs do not count. Every
// plan is verified. The file of runs has a line for each; what it has is not run again. -seeds 0 runs nothing, and
// makes the table of the file. CP-SAT has the same limit in a process of its own (STOWAGE_PYTHON names a Python with
// ortools); where it is not there the program says so. STOWAGE_OUTSIDE makes other programs planners that -beside can
// name, such as supermalloc (package outside). Their limit is by the clock.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/lab/bench/outside"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/milp"
)

// sat is the name of CP-SAT among the planners.
const sat = "cp-sat"

// auto is the planner that the bench is about.
const auto = "auto"

// A run is a line of the file.
type run struct {
	Kind    string        `json:"kind"`
	Problem string        `json:"problem"`
	Seed    uint64        `json:"seed"`
	Planner string        `json:"planner"`
	Limit   time.Duration `json:"limit"`
	Status  string        `json:"status"` // unsupported if the planner does not take the problem
	Height  int64         `json:"height,omitempty"`
	Bound   int64         `json:"bound,omitempty"`
	Whole   int64         `json:"whole,omitempty"` // of a window: the bound of the problem that it is cut from
	Seconds float64       `json:"seconds"`         // of processor time; of the clock for a planner outside
	Version string        `json:"version,omitempty"`
	On      string        `json:"on"`
}

// unsupported is the status of a planner that does not take a problem.
const unsupported = "unsupported"

// same reports whether two runs are of one question.
func (r *run) same(q *run) bool {
	return r.Kind == q.Kind && r.Problem == q.Problem && r.Seed == q.Seed && r.Planner == q.Planner && r.Limit == q.Limit
}

func main() {
	var b bench
	flag.StringVar(&b.raw, "raw", "", "keep the runs in `FILE`, and do not run again what it has")
	flag.StringVar(&b.only, "only", "", "only kinds whose name begins with one of `NAMES`, separated by commas")
	flag.Uint64Var(&b.from, "from", 900, "the first seed")
	flag.Uint64Var(&b.seeds, "seeds", 20, "how many seeds for each kind; 0 only makes the table")
	flag.DurationVar(&b.limit, "limit", 10*time.Second, "processor time for each run")
	flag.IntVar(&b.window, "window", 0,
		"in place of the problems plan windows of them, with about `N` buffers each, and make a table of these")
	beside := flag.String("beside", "",
		"also run `PLANNERS`, separated by commas: names, all, heuristics (those that do not search), cp-sat")
	flag.StringVar(&b.version, "version", "", "note `TEXT` with each run, such as the revision")
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	record.Main("stalls", func(ctx context.Context) error {
		if err := b.read(); err != nil {
			return err
		}
		if err := b.ask(*beside); err != nil {
			return err
		}
		if err := b.work(ctx); err != nil {
			return err
		}
		text, block := b.table(), "bench:stalls"
		if b.window > 0 {
			text, block = b.windowsTable(), "bench:stalls-windows"
		}
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, block, text)
		}
		return nil
	})
}

// bench is what is asked for, and the runs.
type bench struct {
	raw, only, version string
	from, seeds        uint64
	window             int
	limit              time.Duration
	planners           []string
	runs               []run
}

// read reads the runs that there are.
func (b *bench) read() error {
	if b.raw == "" {
		return nil
	}
	file, err := os.Open(b.raw)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var r run
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s:%d: %w", b.raw, n, err)
		}
		b.runs = append(b.runs, r)
	}
	return lines.Err()
}

// ask lists the planners.
func (b *bench) ask(beside string) error {
	if err := outside.Register(os.Getenv(outside.Variable)); err != nil {
		return err
	}
	b.planners = []string{auto}
	for name := range strings.SplitSeq(beside, ",") {
		switch name = strings.TrimSpace(name); name {
		case "":
		case "heuristics":
			b.planners = append(b.planners, plantest.Heuristics()...)
		case "all":
			for _, p := range plan.All() {
				b.planners = append(b.planners, p.Info().Name)
			}
		case sat:
			if err := ortools.Missing(); err != nil {
				fmt.Fprintln(os.Stderr, "stalls: skipped cp-sat:", err)
				continue
			}
			b.planners = append(b.planners, sat)
		default:
			if _, err := plan.Lookup(name); err != nil {
				return err
			}
			b.planners = append(b.planners, name)
		}
	}
	var once []string
	for _, name := range b.planners {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	b.planners = once
	return nil
}

// wanted reports whether -only names a kind.
func (b *bench) wanted(k *kind) bool {
	return b.only == "" || slices.ContainsFunc(strings.Split(b.only, ","), func(name string) bool {
		return strings.HasPrefix(k.key(), strings.TrimSpace(name))
	})
}

// work makes the runs that are missing.
func (b *bench) work(ctx context.Context) error {
	all := kinds()
	for i := range all {
		k := &all[i]
		if !b.wanted(k) {
			continue
		}
		for seed := b.from; seed < b.from+b.seeds; seed++ {
			problems, err := k.draw(seed)
			if errors.Is(err, experiment.ErrNoData) {
				fmt.Fprintf(os.Stderr, "stalls: skipped %s: %v\n", k.key(), err)
				break
			} else if err != nil {
				return err
			}
			for _, p := range problems {
				if b.window > 0 {
					if err := b.lookAt(ctx, k, p, seed); err != nil {
						return err
					}
					continue
				}
				for _, planner := range b.planners {
					if err := b.one(ctx, k, p, seed, planner, 0); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// one makes a run if it is missing, and keeps it. whole is the bound of the problem that a window is cut from, else 0.
func (b *bench) one(ctx context.Context, k *kind, p *model.Problem, seed uint64, planner string, whole int64) error {
	r := run{
		Kind: k.key(), Whole: whole, Problem: p.Name, Seed: seed, Planner: planner,
		Limit: b.limit / time.Duration(max(k.parts, 1)), Version: b.version, On: record.Today(),
	}
	if slices.ContainsFunc(b.runs, func(q run) bool { return q.same(&r) }) || planner == sat && !k.outside {
		return nil
	}
	var err error
	if planner == sat {
		err = r.askSAT(ctx, p)
	} else {
		err = r.solve(ctx, k, p)
	}
	if ctx.Err() != nil {
		return ctx.Err() // a run that was interrupted is none
	} else if err != nil {
		return fmt.Errorf("%s, %s: %w", p.Name, planner, err)
	}
	fmt.Fprintf(os.Stderr, "%s %s: %s %d, bound %d, %.2f s\n", p.Name, planner, r.Status, r.Height, r.Bound, r.Seconds)
	b.runs = append(b.runs, r)
	return b.append(&r)
}

// append adds a run to the file.
func (b *bench) append(r *run) error {
	if b.raw == "" {
		return nil
	}
	file, err := os.OpenFile(b.raw, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(file).Encode(r), file.Close())
}

// far is a limit of the clock, so that planners know of a limit. The processor's ends the run.
const far = 24 * time.Hour

// solve asks a planner of this process.
func (r *run) solve(ctx context.Context, k *kind, p *model.Problem) error {
	o := stowage.Options{Planner: r.Planner, Timeout: far, Workers: 1, Capacity: k.capacity}
	if k.bySeed {
		o.Seed = r.Seed
	}
	limited, cancel := ctx, func() {}
	clock := slices.Contains(outside.Names(), r.Planner) // it works in a process of its own
	if clock {
		o.Timeout = r.Limit
	} else {
		limited, cancel = processor.Limit(ctx, r.Limit)
	}
	defer cancel()
	var found *stowage.Result
	var err error
	began := time.Now()
	r.Seconds = processor.Of(func() { found, err = stowage.Solve(limited, p, o) }).Seconds()
	if clock {
		r.Seconds = time.Since(began).Seconds()
	}
	if errors.Is(err, plan.ErrUnsupported) {
		r.Status = unsupported
		return nil
	} else if err != nil {
		return err
	}
	r.Status, r.Height, r.Bound = found.Status.String(), found.Height, found.LowerBound
	return nil
}

// askSAT asks CP-SAT.
func (r *run) askSAT(ctx context.Context, p *model.Problem) error {
	found, err := ortools.Run(ctx, []*stowage.Problem{p},
		"--minimize", "--boxes", "--sections", "--processor", "--timeout", fmt.Sprint(r.Limit.Seconds()))
	if err != nil {
		return err
	}
	r.Status, r.Height, r.Bound, r.Seconds = found[0].Status, found[0].Height, found[0].LowerBound, found[0].Seconds
	return nil
}
