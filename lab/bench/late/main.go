// Command late measures by how much planners outlive their limit on problems of
// up to a million buffers.
//
//	go run ./lab/bench/late [-planners auto,exact] [-problems training,dense] \
//	    [-limits 1s,50ms] [-signal] [-scale 0.1] [-stacks] [-profiles DIR] [-into FILE]
//
// Each planner is called in this process, one after the other, on problems that
// are made once. Late is what lies between the limit and the return of Solve, in
// seconds of wall clock and of the process's own time on all cores. Where other
// programs share the machine the second is the one to judge by. It counts the
// garbage collector, which may work beside the planner.
//
// Where a limit is shorter than the preparation of a large problem Solve answers
// unknown. The rows of the planner “stack”, which does nothing but stack, show what
// checking, preparing, stacking and checking the plan take alone.
//
// With -signal the context is cancelled instead, as the command does at a signal;
// then the planner alone is timed, without preparation and check. -stacks prints
// what runs 100 ms after the limit and later; -profiles leaves a CPU profile of what
// each planner does after it, which go tool pprof adds up.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/timeline"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	_ "github.com/stowage-go/stowage/lab/milp"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// problems are what to plan, by name.
var problems = []struct {
	name, kind string
	options    gen.Options
	// make makes the problem, if it is of no kind that internal/gen has.
	make func(scale float64) *model.Problem
}{
	{name: "training", kind: "training", options: gen.Options{Buffers: 1_000_000, Seed: 1}},
	{name: "sparse", kind: "random", options: gen.Options{Buffers: 1_000_000, Horizon: 1_000_000, MinLife: 1, MaxLife: 8}},
	{name: "dense", kind: "random", options: gen.Options{Buffers: 140_000, Horizon: 1000}},
	{name: "crowded", kind: "random", options: gen.Options{Buffers: 1_000_000, Horizon: 10_000}},
	{name: "gaps", kind: "random", options: gen.Options{Buffers: 200_000, Horizon: 100_000, MaxLife: 200, Gaps: 0.3, Windows: 0.5, Alignment: 4}},
	{name: "few", kind: "random", options: gen.Options{Buffers: 4000, Horizon: 1000}},
	{name: "comb", make: func(scale float64) *model.Problem { return comb(700, int64(20_000*scale), 7, false) }},
	{name: "windows", make: func(scale float64) *model.Problem { return comb(4000, int64(3000*scale), 6, true) }},
	{name: "pins", make: func(scale float64) *model.Problem { return pins(int(200_000 * scale)) }},
}

// A result is what one call took.
type result struct {
	Problem, Planner string
	Buffers          int
	Limit            float64 // seconds
	Took             float64 // seconds, of wall clock
	Late, LateCPU    float64 // seconds after the limit; 0 where it ended before
	Status, Stopped  string
	Error            string  `json:",omitempty"`
	Above            float64 // the height above the load, as a share
}

// patience is how long after its limit a planner is given up, with all that follow.
const patience = 30 * time.Second

func main() {
	planners := flag.String("planners", "", "planners, or all that are registered")
	names := flag.String("problems", "", "of training, sparse, dense, crowded, gaps, few, comb, windows and pins; or all")
	limits := flag.String("limits", "1s,50ms", "limits")
	signal := flag.Bool("signal", false, "cancel the context rather than set a timeout")
	scale := flag.Float64("scale", 1, "share of the buffers and of the time slots")
	capacity := flag.Float64("capacity", 0, "ask for any plan that fits this many times the load, rather than for the lowest")
	stacks := flag.Bool("stacks", false, "print what is running after the limit")
	profiles := flag.String("profiles", "", "write a CPU profile of each call from its limit on into the folder `DIR`")
	into := flag.String("into", "", "write every run and the machine as JSON to `FILE`")
	flag.Parse()
	run.Register(stack{})
	b := bench{signal: *signal, stacks: *stacks, capacity: *capacity, profiles: *profiles, into: *into}
	for text := range strings.SplitSeq(*limits, ",") {
		limit, err := time.ParseDuration(text)
		b.check(err)
		b.limits = append(b.limits, limit)
	}
	for _, info := range stowage.Planners() {
		if *planners == "" || slices.Contains(strings.Split(*planners, ","), info.Name) {
			b.planners = append(b.planners, info.Name)
		}
	}
	fmt.Println("| problem | buffers | planner | limit | took | late | late, CPU | status | stopped | above the load |")
	fmt.Println("|---|--:|---|--:|--:|--:|--:|---|---|--:|")
	for _, p := range problems {
		if *names != "" && !slices.Contains(strings.Split(*names, ","), p.name) {
			continue
		}
		if p.make != nil {
			made := p.make(*scale)
			b.check(model.Validate(made))
			b.problem(p.name, made)
			continue
		}
		o := p.options
		o.Buffers = int(float64(o.Buffers) * *scale)
		o.Horizon = int64(float64(o.Horizon) * *scale)
		in, err := gen.New(p.kind, o)
		b.check(err)
		b.problem(p.name, in.Problem)
	}
	b.write()
}

type bench struct {
	planners       []string
	limits         []time.Duration
	signal, stacks bool
	capacity       float64
	profiles, into string
	results        []result
}

func (b *bench) check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/late:", err)
		os.Exit(1)
	}
}

func (b *bench) problem(name string, p *model.Problem) {
	tl := timeline.New(p)
	for _, limit := range b.limits {
		for _, planner := range b.planners {
			r := b.once(tl, planner, limit)
			r.Problem, r.Planner, r.Buffers, r.Limit = name, planner, len(p.Buffers), limit.Seconds()
			b.results = append(b.results, r)
			fmt.Println(row(&r))
			if r.Status == "running" {
				b.write()
				os.Exit(1)
			}
		}
	}
}

// once calls a planner and waits until it ends, or for patience.
func (b *bench) once(tl *timeline.Timeline, planner string, limit time.Duration) result {
	o := stowage.Options{Planner: planner, Timeout: limit, Capacity: int64(b.capacity * float64(tl.MaxLoad))}
	runtime.GC()
	type answer struct {
		r   *stowage.Result
		err error
		at  time.Time
		cpu time.Duration
	}
	answers := make(chan answer, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := time.Now()
	go func() {
		var a answer
		if b.signal {
			a.r, a.err = interrupted(ctx, tl, o)
		} else {
			a.r, a.err = stowage.Solve(ctx, tl.Problem, o)
		}
		a.at, a.cpu = time.Now(), processor.Used()
		answers <- a
	}()
	var a answer
	var atLimit time.Duration
	select {
	case a = <-answers:
		atLimit = a.cpu
	case <-time.After(limit):
		stop := b.profile(fmt.Sprintf("%s-%d-%v", planner, len(tl.Problem.Buffers), limit))
		defer stop()
		atLimit = processor.Used()
		if b.signal {
			cancel()
		}
		for _, wait := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, patience} {
			select {
			case a = <-answers:
			case <-time.After(wait):
				if b.stacks {
					fmt.Fprintf(os.Stderr, "=== %s, %v after %v of limit %v\n", planner, wait, time.Since(began), limit)
					_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
				}
				continue
			}
			break
		}
	}
	if a.at.IsZero() {
		return result{Status: "running", Took: time.Since(began).Seconds(), Late: (time.Since(began) - limit).Seconds(), LateCPU: (processor.Used() - atLimit).Seconds()}
	}
	r := result{Took: a.at.Sub(began).Seconds(), Late: max(0, a.at.Sub(began.Add(limit))).Seconds(), LateCPU: max(0, a.cpu-atLimit).Seconds()}
	if a.err != nil {
		r.Status, r.Error = "error", a.err.Error()
		return r
	}
	r.Status, r.Stopped = a.r.Status.String(), string(a.r.Stopped)
	if a.r.Status.HasPlan() {
		r.Above = float64(a.r.Height)/float64(tl.MaxLoad) - 1
	}
	return r
}

// profile begins a profile and returns what ends it.
func (b *bench) profile(name string) (end func()) {
	if b.profiles == "" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(b.profiles, name+".pprof"))
	b.check(err)
	b.check(pprof.StartCPUProfile(f))
	return func() {
		pprof.StopCPUProfile()
		b.check(f.Close())
	}
}

// interrupted runs a planner alone, without a timeout.
func interrupted(ctx context.Context, tl *timeline.Timeline, o stowage.Options) (*stowage.Result, error) {
	o.Timeout = 0
	p, err := run.Lookup(o.Planner)
	if err != nil {
		return nil, err
	}
	r, err := run.Run(ctx, p, tl, o)
	return &r, err
}

func row(r *result) string {
	seconds := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	above := ""
	if r.Above > 0 || r.Status == stowage.Optimal.String() {
		above = fmt.Sprintf("%.2f%%", 100*r.Above)
	}
	cells := []string{
		r.Problem, strconv.Itoa(r.Buffers), r.Planner, seconds(r.Limit), seconds(r.Took), seconds(r.Late), seconds(r.LateCPU),
		r.Status, r.Stopped, above,
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func (b *bench) write() {
	var late []float64
	for _, r := range b.results {
		late = append(late, r.LateCPU)
	}
	if len(late) > 0 {
		fmt.Printf("\nMedian late, CPU: %.3f s; the latest: %.3f s; %d of %d by more than 0.1 s.\n", comparison.Median(late), slices.Max(late),
			len(late)-len(slices.DeleteFunc(slices.Clone(late), func(x float64) bool { return x > 0.1 })), len(late))
	}
	if b.into == "" {
		return
	}
	b.check(record.WriteJSON(filepath.Clean(b.into), struct {
		Machine record.Machine
		Date    string
		Signal  bool
		Runs    []result
	}{record.ThisMachine(), record.Today(), b.signal, b.results}))
}

// stack is the planner that has no time: it stacks.
type stack struct{}

func (stack) Name() string { return "stack" }

func (p stack) Info() plan.Info {
	return plan.Info{Name: p.Name(), Summary: "what a run takes without a planner"}
}

func (stack) Plan(_ context.Context, tl *timeline.Timeline, _ plan.Options) (plan.Result, error) {
	offsets := make([]int64, len(tl.Problem.Buffers))
	for i := range offsets {
		offsets[i] = -1
	}
	place.Finish(tl, offsets)
	return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: offsets}}, nil
}
