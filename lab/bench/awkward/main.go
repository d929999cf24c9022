// Command awkward asks an exact planner about thousands of small problems that are hard out of proportion: 10 to 16
// buffers with alignments that do not divide each other, windows that interlock and buffers that are fixed
// (drawn.Awkward), at the boundary of what fits.
//
//	go run ./lab/bench/awkward -problems 10000
//	go run ./lab/bench/awkward -problems 500 -ortools 1        each answer held against CP-SAT
//	go run ./lab/bench/awkward -planner auto -without learning
//
// There are four questions about each problem: its lowest height, and whether it fits that height, a byte less, and a
// drawn capacity near by. In one problem of five, some offsets of the plan are pinned first. A question that takes
// longer than -answer is undecided. Times are of Solve in this process, bounds and check of the plan included.
//
// CP-SAT (-ortools N: one in N problems) minimises the problem, with and without the pins; every answer follows from
// its height. It needs Python with ortools; STOWAGE_PYTHON names the interpreter. With -heights FILE it is asked only
// about problems of which the file has no answer: a line for each, with the name, a hash of the problem's text, the
// status, the height, the time it had and the model. Exit code 1 if an answer is false or undecided.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/model"
)

func main() {
	j := job{models: map[string]int{}}
	problems := flag.Uint64("problems", 1000, "how many problems")
	from := flag.Uint64("from", 0, "seed of the first")
	flag.StringVar(&j.planner, "planner", "exact", "who is asked")
	without := flag.String("without", "", "techniques to switch off, separated by commas")
	flag.DurationVar(&j.answer, "answer", 10*time.Second, "how long a question may take")
	flag.Uint64Var(&j.ortools, "ortools", 0, "hold one in so many problems against CP-SAT; 0 for none")
	worst := flag.Int("worst", 10, "how many of the slowest questions to list")
	flag.DurationVar(&j.peer, "peer", time.Minute, "how long CP-SAT has for a problem")
	flag.BoolVar(&j.cpu, "cpu", false,
		"give processor time in place of the clock's, for a machine that has other things to do")
	flag.StringVar(&j.said.path, "heights", "", "`FILE` of what CP-SAT has said before")
	flag.StringVar(&j.keep, "keep", "", "folder for the slowest problems and all that are undecided, as CSV")
	flag.Parse()
	if *without != "" {
		j.without = strings.Split(*without, ",")
	}
	if err := j.work(*from, *problems, *worst); err != nil {
		fmt.Fprintln(os.Stderr, "awkward:", err)
		os.Exit(1)
	}
}

// job is a run.
type job struct {
	planner string
	without []string
	answer  time.Duration
	ortools uint64
	peer    time.Duration
	cpu     bool
	keep    string
	said    said

	asked   []asked
	batch   []*model.Problem // to be held against CP-SAT
	heights []int64          // what the planner said of them: -1 infeasible, 0 nothing
	checked int
	models  map[string]int // how many each model of CP-SAT decided
	silent  int            // CP-SAT had not decided them in its time
	faults  []string
}

// asked is a question and how it went.
type asked struct {
	seed      uint64
	what      string
	problem   *model.Problem
	capacity  int64
	seconds   float64
	nodes     int64
	undecided bool
}

func (j *job) work(from, problems uint64, worst int) error {
	for seed := from; seed < from+problems; seed++ {
		if err := j.problem(seed); err != nil {
			return err
		}
		if len(j.batch) >= 200 || seed+1 == from+problems {
			if err := j.compare(); err != nil {
				return err
			}
		}
	}
	return j.report(worst)
}

// problem asks all that there is to ask of one problem.
func (j *job) problem(seed uint64) error {
	p := drawn.Awkward(seed)
	r, err := j.ask(seed, "minimize", p, 0)
	if err != nil {
		return err
	}
	j.hold(seed, p, r)
	if r.Offsets != nil && seed%5 == 0 {
		p = drawn.Pinned(p, r.Offsets, seed)
		if r, err = j.ask(seed, "minimize pinned", p, 0); err != nil {
			return err
		}
		j.hold(seed, p, r)
	}
	if r.Status != stowage.Optimal {
		return nil
	}
	near := drawn.Boundary(p, r.Height, seed)
	for _, q := range [...]struct {
		what     string
		capacity int64
	}{{"height", r.Height}, {"height - 1", r.Height - 1}, {"near", near}} {
		if q.capacity < 1 {
			continue
		}
		s, err := j.ask(seed, q.what, p, q.capacity)
		if err != nil {
			return err
		}
		if s.Status == stowage.Infeasible && q.capacity >= r.Height || s.Status.HasPlan() && q.capacity < r.Height {
			j.faults = append(j.faults, fmt.Sprintf("seed %d: %v at %d, though %d is optimal", seed, s.Status,
				q.capacity, r.Height))
		}
	}
	return nil
}

// hold keeps the answers about a problem if CP-SAT is to check them.
func (j *job) hold(seed uint64, p *model.Problem, r *stowage.Result) {
	if j.ortools == 0 || seed%j.ortools != 0 {
		return
	}
	height := r.Height
	switch r.Status {
	case stowage.Optimal:
	case stowage.Infeasible:
		height = -1
	default:
		height = 0
	}
	j.batch, j.heights = append(j.batch, p), append(j.heights, height)
}

// ask puts one question; no capacity is a minimisation.
func (j *job) ask(seed uint64, what string, p *model.Problem, capacity int64) (*stowage.Result, error) {
	q := *p
	q.Capacity = capacity
	o := stowage.Options{Planner: j.planner, Timeout: j.answer, Without: j.without}
	solve := stowage.Solve
	if capacity == 0 {
		solve = stowage.Minimize
	}
	began := j.now()
	r, err := solve(context.Background(), &q, o)
	a := asked{seed: seed, what: what, problem: &q, capacity: capacity, seconds: (j.now() - began).Seconds()}
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", seed, err)
	}
	a.nodes = r.Stats.Nodes
	a.undecided = r.Status == stowage.Unknown || capacity == 0 && r.Status == stowage.Feasible
	j.asked = append(j.asked, a)
	return r, nil
}

// now is the clock, or the processor time of this process on all cores.
func (j *job) now() time.Duration {
	if !j.cpu {
		return time.Since(start)
	}
	return processor.Used()
}

var start = time.Now()

// compare holds what has been said against CP-SAT.
func (j *job) compare() error {
	if len(j.batch) == 0 {
		return nil
	}
	outcomes, err := j.said.ask(j.batch, j.peer)
	if err != nil {
		return err
	}
	for k, o := range outcomes {
		said := j.heights[k]
		if !decided(o) {
			j.silent++
			if o.Status == "feasible" && (said < 0 || o.Height < said) {
				j.faults = append(j.faults, fmt.Sprintf("%s: height %d; CP-SAT has a plan of %d", j.batch[k].Name, said, o.Height))
			}
			continue
		}
		if said == 0 {
			continue
		}
		j.checked++
		j.models[o.Model]++
		if o.Status == "infeasible" && said > 0 || o.Status == "optimal" && said != o.Height {
			j.faults = append(j.faults, fmt.Sprintf("%s: height %d; CP-SAT says %s, %d", j.batch[k].Name, said,
				o.Status, o.Height))
		}
	}
	j.batch, j.heights = nil, nil
	return nil
}

// report prints the figures.
func (j *job) report(worst int) error {
	slices.SortFunc(j.asked, func(a, b asked) int {
		if a.seconds > b.seconds {
			return -1
		}
		return 1
	})
	undecided, sum := 0, 0.0
	for _, a := range j.asked {
		sum += a.seconds
		if a.undecided {
			undecided++
		}
	}
	n := len(j.asked)
	at := func(share float64) float64 { return 1000 * j.asked[int(float64(n-1)*(1-share))].seconds }
	fmt.Printf("%d questions, %d undecided within %v; %.2f s in sum\n", n, undecided, j.answer, sum)
	fmt.Printf("ms: median %.3f, 90%% %.3f, 99%% %.3f, 99.9%% %.2f, 99.99%% %.2f, most %.1f\n", at(0.5), at(0.9), at(0.99),
		at(0.999), at(0.9999), at(1))
	for k, a := range j.asked[:min(worst, n)] {
		fmt.Printf("  seed %d, %s, capacity %d: %.1f ms, %d nodes%s\n", a.seed, a.what, a.capacity, 1000*a.seconds, a.nodes,
			map[bool]string{true: ", undecided"}[a.undecided])
		if j.keep != "" {
			if err := keep(j.keep, k, a); err != nil {
				return err
			}
		}
	}
	if j.ortools > 0 {
		fmt.Printf("%d problems held against CP-SAT, which did not decide %d in %v\n", j.checked, j.silent,
			j.peer)
		for _, name := range slices.Sorted(maps.Keys(j.models)) {
			fmt.Printf("  %s: %d\n", name, j.models[name])
		}
	}
	for _, f := range j.faults {
		fmt.Println("FALSE:", f)
	}
	if undecided > 0 || len(j.faults) > 0 {
		return errors.New("not all is decided and true")
	}
	return nil
}

// keep writes a problem, with the capacity in its name.
func keep(folder string, k int, a asked) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%03d-%s.%d.csv", k, a.problem.Name, a.capacity)))
	if err != nil {
		return err
	}
	if err := csv.Write(f, a.problem, nil); err != nil {
		return err
	}
	return f.Close()
}
