// Command agree asks every planner about random problems whose answer brute force
// knows, without limits and with limits at every node and look, and fails where
// one of them says something false. See internal/agree for what is asked.
//
//	go run ./bench/agree -problems 1000000
//	go run ./bench/agree -from SEED -problems 1 -planners NAME    again, one problem
//
// A line on standard error says how far it is; a run that was stopped goes on with
// -from. Each fault is shrunk and printed as CSV with the question that it answers
// falsely. Exit code 1 where there is one.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stowage-go/stowage/internal/agree"
	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	_ "github.com/stowage-go/stowage/planner/baselines"
	_ "github.com/stowage-go/stowage/planner/milp"
)

// shares is one in how many problems a planner is asked about by default: what
// takes microseconds on all, what takes longer on fewer, so that each has some of
// the time.
const shares = "exact,auto,tela:20,cp:20,csp:20,meta-csp:20,milp:2000,climb:20,first-fit:20,boxing:100,*:100"

func main() {
	problems := flag.Uint64("problems", 1_000_000, "how many problems")
	from := flag.Uint64("from", 0, "seed of the first")
	names := flag.String("planners", shares, "planners by name, each with :N where one in N problems is its share; * for all others")
	limits := flag.Int("limits", 3, "how many limits of each kind fall on each search")
	workers := flag.Int("workers", runtime.NumCPU(), "how many problems at a time")
	patience := flag.Duration("patience", time.Minute, "how long an answer may take before the run is given up")
	most := flag.Int("most", 20, "faults printed; the rest are counted by planner")
	show := flag.Bool("show", false, "print the problems and their lowest heights, and ask nobody")
	flag.Parse()
	if *show {
		for seed := *from; seed < *from+*problems; seed++ {
			fmt.Println(agree.CaseOf(seed, new(suite.Orders)))
		}
		return
	}
	if err := work(*problems, *from, *names, *limits, *workers, *patience, *most); err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
}

// A sharer is a planner and one in how many problems it is asked about.
type sharer struct {
	run.Planner
	every uint64
}

// parse reads the planners and their shares.
func parse(text string) ([]sharer, error) {
	var all []sharer
	taken := map[string]bool{}
	rest := uint64(0)
	for field := range strings.SplitSeq(text, ",") {
		name, share, _ := strings.Cut(field, ":")
		every := uint64(1)
		if share != "" {
			n, err := strconv.ParseUint(share, 10, 64)
			if err != nil || n == 0 {
				return nil, fmt.Errorf("%q: the share is no number from 1", field)
			}
			every = n
		}
		if name == "*" {
			rest = every
			continue
		}
		p, err := run.Lookup(name)
		if err != nil {
			return nil, err
		}
		taken[name] = true
		all = append(all, sharer{p, every})
	}
	if rest > 0 {
		for _, p := range run.All() {
			if !taken[p.Info().Name] {
				all = append(all, sharer{p, rest})
			}
		}
	}
	return all, nil
}

// A job is the work of one run, shared by its goroutines.
type job struct {
	planners []sharer
	next     atomic.Uint64
	end      uint64

	mu       sync.Mutex
	sum      agree.Counts
	faults   map[string]int // by planner and what is false
	printed  int
	most     int
	patience time.Duration
	asking   []question // by goroutine
}

// A question is what a goroutine waits for.
type question struct {
	mu    sync.Mutex
	seed  uint64
	asked agree.Question
	since time.Time
}

func work(problems, from uint64, names string, limits, workers int, patience time.Duration, most int) error {
	planners, err := parse(names)
	if err != nil {
		return err
	}
	j := &job{planners: planners, end: from + problems, faults: map[string]int{}, most: most, patience: patience, asking: make([]question, workers)}
	j.next.Store(from)
	began := time.Now()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { j.ask(w, limits) })
	}
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
			j.report(began, from)
			if err := j.stuck(); err != nil {
				return err
			}
		}
	}
	return j.result(began, from)
}

// block is how many seeds a goroutine takes at a time.
const block = 64

// ask takes blocks of seeds until none is left.
func (j *job) ask(worker, limits int) {
	at := &j.asking[worker]
	a := agree.Asker{Limits: limits, OnFault: j.fault}
	a.OnAsk = func(seed uint64, q agree.Question) {
		at.mu.Lock()
		at.seed, at.asked, at.since = seed, q, time.Now()
		at.mu.Unlock()
	}
	var chosen []run.Planner
	for {
		first := j.next.Add(block) - block
		if first >= j.end {
			break
		}
		for seed := first; seed < min(first+block, j.end); seed++ {
			chosen = chosen[:0]
			for _, p := range j.planners {
				if len(j.planners) == 1 || seed%p.every == 0 {
					chosen = append(chosen, p.Planner)
				}
			}
			a.Seed(seed, chosen)
		}
		j.mu.Lock()
		j.sum.Add(a.Counts)
		j.mu.Unlock()
		a.Counts = agree.Counts{}
	}
	at.mu.Lock()
	at.since = time.Time{}
	at.mu.Unlock()
}

// fault counts a fault and prints the first few, shrunk.
func (j *job) fault(f agree.Fault) {
	words := strings.Fields(f.Words)
	key := f.Question.Planner + ": " + strings.Join(words[:min(2, len(words))], " ")
	j.mu.Lock()
	j.faults[key]++
	show := j.faults[key] <= 3 && j.printed < j.most
	if show {
		j.printed++
	}
	j.mu.Unlock()
	if !show {
		return
	}
	p, err := run.Lookup(f.Question.Planner)
	if err == nil {
		f = agree.Shrink(f, p)
	}
	fmt.Printf("%sagain: go run ./bench/agree -from %d -problems 1 -planners %s\n\n", f, f.Seed, f.Question.Planner)
}

func (j *job) report(began time.Time, from uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seconds := time.Since(began).Seconds()
	fmt.Fprintf(os.Stderr, "%d problems, %d calls, %d faults, %.0f s, %.0f problems a second; goes on with -from %d\n",
		j.sum.Problems, j.sum.Calls, j.sum.Faults, seconds, float64(j.sum.Problems)/seconds, from+uint64(j.sum.Problems))
}

// stuck returns an error where an answer takes too long.
func (j *job) stuck() error {
	for k := range j.asking {
		q := &j.asking[k]
		q.mu.Lock()
		late := !q.since.IsZero() && time.Since(q.since) > j.patience
		seed, asked := q.seed, q.asked
		q.mu.Unlock()
		if late {
			return fmt.Errorf("no answer for %v to %s; again: go run ./bench/agree -from %d -problems 1 -planners %s", j.patience, asked, seed, asked.Planner)
		}
	}
	return nil
}

func (j *job) result(began time.Time, from uint64) error {
	s := j.sum
	fmt.Printf("seeds %d to %d: %d problems, of which %d have no plan at any height and %d a lowest height above the bound of the load\n",
		from, j.end-1, s.Problems, s.Collide, s.AboveLoad)
	fmt.Printf("%d calls in %.0f s: %d at a capacity that holds a plan, %d at one that does not, %d with a limit; %d problems refused by planners that cannot take them\n",
		s.Calls, time.Since(began).Seconds(), s.Fits, s.DoesNot, s.Limited, s.Refused)
	for _, p := range j.planners {
		if name := p.Info().Name; p.every == 1 {
			fmt.Printf("%s on all", name)
		} else {
			fmt.Printf("%s on one in %d", name, p.every)
		}
		fmt.Print("; ")
	}
	fmt.Println()
	var keys []string
	for key := range j.faults {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Printf("%6d  %s\n", j.faults[key], key)
	}
	if s.Faults > 0 {
		return fmt.Errorf("%d faults", s.Faults)
	}
	fmt.Println("no disagreement")
	return nil
}
