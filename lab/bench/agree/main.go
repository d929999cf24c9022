// Command agree asks every planner about random problems whose answer brute force knows, without limits and with
// limits at every node and look. It fails if an answer is false. See lab/agree for the questions.
//
//	go run ./lab/bench/agree -problems 1000000
//	go run ./lab/bench/agree -problems 1000000 -planners exact:1:1,auto:1:0
//	go run ./lab/bench/agree -every -problems 1000 -planners '*'    a limit at every node and look
//	go run ./lab/bench/agree -rules -problems 200000    problems with rules: auto and exact on all, the others on one in 16
//	go run ./lab/bench/agree -banked -problems 100000   up to 7 buffers in 3 to 5 pools: all measures at their best values, without a limit
//	go run ./lab/bench/agree -banks -problems 100000    as -rules, with rules of banks: objects, lists of pools
//	go run ./lab/bench/agree -each 500                  as -banks, until each pair of rules is in so many problems
//	go run ./lab/bench/agree -banks -problems 100000 -from 500000000 -into lab/bench/agree/README.md
//	go run ./lab/bench/agree -from SEED -problems 1 -planners NAME    again, one problem
//
// A line on standard error shows the progress. A stopped run goes on with -from. Each fault is shrunk and printed as
// CSV, with the question that was answered falsely. The exit code is 1 if there is a fault. Questions that an exact
// planner leaves undecided within its time are counted and listed; they are no faults.
package main

import (
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/stowage-go/stowage" // the planners of the product
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/lab/agree"
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/milp"
)

// shares has defaults for each planner: it is asked about one in so many problems, with so many limits of each kind.
// Planners that take microseconds are asked about all problems, slower ones about fewer.
const shares = "exact:1:1,auto:1:0,auto:200,tela:20,cp:50,csp:50,meta-csp:50,milp:5000,climb:1000,first-fit:20,boxing:100,*:100"

func main() {
	problems := flag.Uint64("problems", 1_000_000, "how many problems")
	from := flag.Uint64("from", 0, "seed of the first")
	names := flag.String("planners", shares,
		"planners by name, each with :N where one in N problems is its share, and :N:L for L limits in place of -limits; * for all others")
	limits := flag.Int("limits", 3, "how many limits of each kind fall on each search")
	workers := flag.Int("workers", runtime.NumCPU(), "how many problems at a time")
	patience := flag.Duration("patience", time.Minute, "how long a call may take before the run is given up")
	answer := flag.Duration("answer", 2*time.Second,
		"how long an exact planner has for an answer before it counts as undecided")
	most := flag.Int("most", 20, "faults printed; the rest are counted by planner")
	every := flag.Bool("every", false, "let a limit fall at every node and every look, in place of at some")
	show := flag.Bool("show", false, "print the problems and their lowest heights, and ask nobody")
	rules := flag.Bool("rules", false,
		"ask about problems with rules; only -problems, -from, -share and -workers count then")
	banks := flag.Bool("banks", false, "as -rules, about problems with rules of banks")
	each := flag.Int("each", 0, "as -banks, until each pair of rules is in so many problems, in place of -problems; its seeds are not below -from")
	share := flag.Uint64("share", 16,
		"with -rules: one in how many problems each planner but auto and exact is asked about")
	pools := flag.Bool("banked", false,
		"ask auto about small problems in several pools, each of which it must decide; only -problems, -from and -workers count then")
	into := flag.String("into", "", "with -rules, -banks or -each: put a table into the block of that name in `FILE`")
	enough := flag.Duration("for", 24*time.Hour, "with -rules, -banks or -each: begin no problem after so long")
	flag.Parse()
	r := ruling{seeds: &seeds{from: *from, end: *from + *problems}, share: max(*share, 1), workers: *workers, into: *into, enough: *enough}
	all := r.seeds
	all.next.Store(*from)
	var err error
	switch {
	case *pools:
		err = banked(all, *workers)
	case *rules:
		err = r.ask("rules", nil, agree.RuledCaseOf)
	case *each > 0:
		err = r.ask("each", agree.NewEven(*from, *each), agree.BankCaseOf)
	case *banks:
		err = r.ask("banks", nil, agree.BankCaseOf)
	case *show:
		for seed := range all.taken() {
			fmt.Println(agree.CaseOf(seed, new(oracle.Orders)))
		}
	default:
		err = work(all, *names, *limits, *every, *workers, *patience, *answer, *most)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
}

// seeds are those of a run, which its goroutines take one after the other.
type seeds struct {
	from, end uint64
	next      atomic.Uint64
}

// taken yields the seeds that the caller takes, until none is left.
func (s *seeds) taken() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for seed := s.next.Add(1) - 1; seed < s.end && yield(seed); seed = s.next.Add(1) - 1 {
		}
	}
}

// verdict is the last line of a run, or its error.
func verdict(faults int) error {
	if faults > 0 {
		return fmt.Errorf("%d faults", faults)
	}
	fmt.Println("no disagreement")
	return nil
}

// A sharer is a planner that is asked about one in so many problems.
type sharer struct {
	run.Planner
	every  uint64
	limits int
}

// parse reads the planners, their shares and limits.
func parse(text string, limits int) ([]sharer, error) {
	var all []sharer
	taken := map[string]bool{}
	var rest *sharer
	for field := range strings.SplitSeq(text, ",") {
		name, numbers, _ := strings.Cut(field, ":")
		share, most, _ := strings.Cut(numbers, ":")
		s := sharer{every: 1, limits: limits}
		var err error
		if share != "" {
			if s.every, err = strconv.ParseUint(share, 10, 64); err != nil || s.every == 0 {
				return nil, fmt.Errorf("%q: the share is no number from 1", field)
			}
		}
		if most != "" {
			if s.limits, err = strconv.Atoi(most); err != nil || s.limits < 0 {
				return nil, fmt.Errorf("%q: the limits are no number", field)
			}
		}
		if name == "*" {
			rest = &s
			continue
		}
		if s.Planner, err = run.Lookup(name); err != nil {
			return nil, err
		}
		taken[name] = true
		all = append(all, s)
	}
	if rest != nil {
		for _, p := range run.All() {
			if !taken[p.Info().Name] {
				all = append(all, sharer{p, rest.every, rest.limits})
			}
		}
	}
	return all, nil
}

// A job is the work of one run, shared by its goroutines.
type job struct {
	*seeds
	planners []sharer

	mu       sync.Mutex
	sum      agree.Counts
	faults   map[string]int      // by planner and what is false
	left     map[string][]uint64 // by planner: the seeds of what it left undecided
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

func work(all *seeds, names string, limits int, every bool, workers int, patience, answer time.Duration, most int) error {
	planners, err := parse(names, limits)
	if err != nil {
		return err
	}
	j := &job{
		seeds: all, planners: planners, faults: map[string]int{}, left: map[string][]uint64{}, most: most,
		patience: patience, asking: make([]question, workers),
	}
	began := time.Now()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { j.ask(w, answer, every) })
	}
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
			j.report(began)
			if err := j.stuck(); err != nil {
				return err
			}
		}
	}
	return j.result(began)
}

// ask takes seeds until none is left.
func (j *job) ask(worker int, answer time.Duration, every bool) {
	at := &j.asking[worker]
	a := agree.Asker{Every: every, Patience: answer, OnFault: j.fault, OnUndecided: j.undecided}
	a.OnAsk = func(seed uint64, q agree.Question) {
		at.mu.Lock()
		at.seed, at.asked, at.since = seed, q, time.Now()
		at.mu.Unlock()
	}
	for seed := range j.taken() {
		a.Begin(seed)
		for _, p := range j.planners {
			if seed%p.every == 0 {
				a.Limits = p.limits
				a.Ask(p.Planner)
			}
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
	fmt.Printf("%sagain: go run ./lab/bench/agree -from %d -problems 1 -planners %s\n\n", f, f.Seed, f.Question.Planner)
}

// undecided counts what a planner has left undecided.
func (j *job) undecided(f agree.Fault) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.left[f.Question.Planner] = append(j.left[f.Question.Planner], f.Seed)
}

func (j *job) report(began time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seconds := time.Since(began).Seconds()
	fmt.Fprintf(os.Stderr, "%d problems, %d calls, %d faults, %.0f s, %.0f problems a second; goes on with -from %d\n",
		j.sum.Problems, j.sum.Calls, j.sum.Faults, seconds, float64(j.sum.Problems)/seconds, j.from+uint64(j.sum.Problems))
}

// stuck returns an error if an answer takes too long.
func (j *job) stuck() error {
	for k := range j.asking {
		q := &j.asking[k]
		q.mu.Lock()
		late := !q.since.IsZero() && time.Since(q.since) > j.patience
		seed, asked := q.seed, q.asked
		q.mu.Unlock()
		if late {
			return fmt.Errorf("no answer for %v to %s; again: go run ./lab/bench/agree -from %d -problems 1 -planners %s",
				j.patience, asked, seed, asked.Planner)
		}
	}
	return nil
}

func (j *job) result(began time.Time) error {
	s := j.sum
	fmt.Printf("seeds %d to %d: %d problems, of which %d have no plan at any height and %d a lowest height above the bound of the load\n",
		j.from, j.end-1, s.Problems, s.Collide, s.AboveLoad)
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
	for _, name := range slices.Sorted(maps.Keys(j.left)) {
		seeds := j.left[name]
		slices.Sort(seeds)
		fmt.Printf("%6d  calls that %s left undecided, the first on seeds %d\n", len(seeds), name,
			slices.Compact(seeds[:min(20, len(seeds))]))
	}
	var keys []string
	for key := range j.faults {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Printf("%6d  %s\n", j.faults[key], key)
	}
	return verdict(int(s.Faults))
}

// banked asks auto about small problems in several pools.
func banked(all *seeds, workers int) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var sum agree.BankedTally
	faults, began := 0, time.Now()
	for range workers {
		wg.Go(func() {
			for seed := range all.taken() {
				var tally agree.BankedTally
				p, fault := tally.Banked(seed, "auto")
				mu.Lock()
				if fault != "" {
					faults++
					fmt.Printf("seed %d: %s\n%s\n", seed, fault, drawn.DescribeRuled(p))
				}
				if sum.Add(tally); sum.Problems%1_000 == 0 {
					fmt.Fprintf(os.Stderr, "%s, %d faults, %.0f s\n", sum, faults, time.Since(began).Seconds())
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Printf("seeds %d to %d: %s\n", all.from, all.end-1, sum)
	return verdict(faults)
}
