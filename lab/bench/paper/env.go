package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/bench/internal/telamalloc"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/lab/experiment"
)

// The peers' columns.
const (
	cpSAT      = "cp-sat"    // one no-overlap for each section
	cpSATBoxes = "cp-sat-2d" // one no-overlap of rectangles in time and space
	minimalloc = "minimalloc"
)

// errCut says that a section's time is over before it has come to something.
var errCut = errors.New("the section's time is over")

// An env is what sections measure with.
type env struct {
	setup
	ctx      context.Context // of the whole report: for what is quick, and never cut
	cache    *comparison.Cache
	facts    *store
	on       string
	revision string   // of the source, as the report began
	absent   []string // what the machine lacks, said in the report

	python   bool // has OR-Tools
	data     bool // the public instances are here
	warmed   map[string]bool
	used     map[string]bool // machines and days of what the section shows
	dir      string          // for files of peers
	networks []comparison.Instance
	told     time.Time
}

func newEnv(s setup, cache *comparison.Cache, facts *store) *env {
	at := revision(s.root)
	how := ""
	if s.processor {
		how = ", " + processorTime
		telamalloc.Clock = processor.Used
	}
	e := &env{
		revision: at, setup: s, cache: cache, facts: facts, warmed: map[string]bool{}, used: map[string]bool{},
		on: record.ThisMachine().String() + ", " + record.Today() + ", " + at + how,
	}
	if _, err := experiment.Load("models", nil); err != nil {
		e.absent = append(e.absent, "The public instances (STOWAGE_DATA): "+firstLine(err.Error())+". Generated networks and problems stand in for them.")
	} else {
		e.data = true
	}
	if s.minimalloc == "" {
		e.absent = append(e.absent, "google/minimalloc's program (-minimalloc). Its figures here are the paper's.")
	}
	switch err := ortools.Missing(); {
	case s.invent != nil:
		e.python = true
	case !s.tools:
		e.absent = append(e.absent, "CP-SAT and the tools of bench: not asked for.")
	case err != nil:
		e.absent = append(e.absent, "CP-SAT: "+firstLine(err.Error())+".")
	default:
		e.python = true
	}
	return e
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// revision is that of the source, with a mark where it has changes of its own.
func revision(root string) string {
	out, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*").Output()
	if err != nil {
		return "unknown revision"
	}
	return strings.TrimSpace(string(out))
}

// section runs a section within its time.
func (e *env) section(ctx context.Context, s section, share time.Duration) (*content, error) {
	clear(e.used)
	e.ctx = ctx
	limited, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	dir, err := os.MkdirTemp("", "stowage-paper-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	e.dir = dir
	c, err := s.run(limited, e)
	switch {
	case err == nil:
	case errors.Is(err, errCut) || limited.Err() != nil && errors.Is(err, limited.Err()):
		// There was no time to come to anything that could be shown.
		if c == nil {
			c = &content{}
		}
		c.note("%v: run the command again to go on.", errCut)
		err = nil
	}
	if c != nil {
		c.on = slices.Sorted(maps.Keys(e.used))
	}
	return c, err
}

// tell prints progress, twice a second at most.
func (e *env) tell(format string, args ...any) {
	if time.Since(e.told) < time.Second/2 {
		return
	}
	e.told = time.Now()
	fmt.Fprintf(e.progress, "lab/bench/paper:   %4.0f s: %s\n", time.Since(e.begin).Seconds(), fmt.Sprintf(format, args...))
}

// remember returns a fact, and makes it where it is not known. Where the time is
// over it is errCut.
func remember[T any](ctx context.Context, e *env, key string, find func(ctx context.Context) (T, error)) (value T, err error) {
	if e.invent != nil && e.invent.fact(key, &value) {
		return value, nil
	}
	if f, known := e.facts.find(key); known {
		if err := json.Unmarshal(f.Value, &value); err != nil {
			return value, fmt.Errorf("the fact %s: %w", key, err)
		}
		e.used[f.On] = true
		return value, nil
	}
	if ctx.Err() != nil {
		return value, errCut
	}
	e.tell("%s", key)
	if value, err = find(ctx); err != nil {
		if ctx.Err() != nil {
			err = errCut
		}
		return value, err
	}
	if ctx.Err() != nil {
		return value, errCut
	}
	e.used[e.on] = true
	return value, e.facts.add(key, e.on, value)
}

// processorTime is what the runs of -processor are marked with.
const processorTime = "processor time"

// now is the clock by which runs are timed.
func (e *env) now() time.Duration {
	if e.processor {
		return processor.Used()
	}
	return time.Since(e.begin)
}

// clock marks keys of facts that are times.
func (e *env) clock() string {
	if e.processor {
		return ", " + processorTime
	}
	return ""
}

// slack is by how much the clock may go beyond the limit of a run that is limited by its
// processor time: planners divide up the time until the end that they are told.
const slack = 10

// runHere runs a registered planner, timed and limited by the processor time it takes.
// It is interrupted, as there is no such limit in the planners.
func (e *env) runHere(ctx context.Context, in *comparison.Instance, r *comparison.Run) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	began, limit := processor.Used(), time.Duration(r.Timeout*float64(time.Second))
	over := time.NewTicker(min(max(limit/1000, time.Millisecond), 50*time.Millisecond))
	defer over.Stop()
	go func() {
		for {
			select {
			case <-limited.Done():
				return
			case <-over.C:
				if processor.Used()-began >= limit {
					cancel()
				}
			}
		}
	}()
	asked := *r
	asked.Timeout *= slack
	comparison.Solve(limited, in, &asked)
	asked.Timeout, asked.Seconds = r.Timeout, (processor.Used() - began).Seconds()
	*r = asked
}

// An invention makes results up, for tests of what the report says of them.
type invention struct {
	run  comparison.Peer
	fact func(key string, value any) bool // sets what value points to; false if it has none
}

// A lot is planners and peers of a sweep that take turns on each problem, with one
// limit.
type lot struct {
	names  []string
	limit  time.Duration
	repeat int
	jobs   int
	share  float64 // of the section's time, beside that of the other lots
}

// present drops the peers that are not on this machine.
func (e *env) present(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return (name == cpSAT || name == cpSATBoxes) && !e.python || name == minimalloc && e.minimalloc == ""
	})
}

// sweep makes the runs that are missing and returns all that there are; cut says what
// the time did not suffice for. The lots come one after the other, each with its
// share of the time that is left.
func (e *env) sweep(ctx context.Context, instances []comparison.Instance, lots ...lot) (c *comparison.Result, cut string, err error) {
	c = &comparison.Result{Instances: instances, Cells: make([][]comparison.Cell, len(instances)), Extra: make([]*comparison.Run, len(instances))}
	var missing []string
	left := 0.0
	for _, l := range lots {
		left += l.share
	}
	for _, l := range lots {
		if l.names = e.present(l.names...); len(l.names) == 0 {
			left -= l.share
			continue
		}
		limited, over := shareOf(ctx, l.share/left)
		one, err := e.lot(limited, instances, l)
		over()
		left -= l.share
		if err != nil {
			return nil, "", err
		}
		for k, name := range one.Planners {
			ran := 0
			for i := range instances {
				cell := one.Cells[i][k]
				c.Cells[i] = append(c.Cells[i], cell)
				if len(cell) > 0 {
					ran++
				}
			}
			c.Planners = append(c.Planners, name)
			if ran < len(instances) {
				missing = append(missing, fmt.Sprintf("%s on %d of %d", name, ran, len(instances)))
			}
		}
	}
	if len(missing) > 0 {
		cut = "In its time the section ran " + strings.Join(missing, ", ") + ". The same command goes on from there."
	}
	return c, cut, c.Err()
}

// lot sweeps one lot.
func (e *env) lot(ctx context.Context, instances []comparison.Instance, l lot) (*comparison.Result, error) {
	s := comparison.Request{
		Planners: l.names, Instances: instances, Repeat: l.repeat, Jobs: l.jobs,
		Ask:     comparison.Run{Timeout: l.limit.Seconds(), Workers: 1, Solve: true},
		Peers:   map[string]comparison.Peer{cpSAT: e.runCPSAT, cpSATBoxes: e.runCPSAT, minimalloc: e.runMinimalloc},
		Visited: true, On: e.on,
	}
	for _, name := range l.names {
		if e.invent != nil {
			s.Peers[name] = e.invent.run
			continue
		}
		if err := e.warm(ctx, name); err != nil {
			return nil, err
		}
		if e.processor && s.Peers[name] == nil {
			s.Peers[name], s.Jobs = e.runHere, 1
		}
	}
	s.Begin = func(k int) {
		if ctx.Err() == nil {
			e.tell("%s: %d of %d, %s", strings.Join(s.Planners, " "), k+1, len(instances), instances[k].Name)
		}
	}
	if ctx.Err() == nil {
		if _, err := s.Run(ctx, e.cache); err != nil {
			return nil, err
		}
	}
	// What the time cut short is no answer, and what a sweep that was cut did not
	// look at may be in the file: the cache says what there is.
	c := &comparison.Result{Planners: s.Planners, Instances: instances, Extra: make([]*comparison.Run, len(instances))}
	for i := range instances {
		cells := make([]comparison.Cell, len(l.names))
		for k, name := range l.names {
			for round := range max(l.repeat, 1) {
				asked := s.Ask
				asked.Planner, asked.Repeat = name, round
				asked.Problem, asked.Name, asked.Capacity = instances[i].Digest, instances[i].Name, instances[i].Capacity
				r, known, err := e.cache.Find(asked)
				if err != nil {
					return nil, err
				}
				if !known {
					break
				}
				cells[k] = append(cells[k], r)
				if r.On != "" {
					e.used[r.On] = true
				}
			}
		}
		c.Cells = append(c.Cells, cells)
	}
	return c, nil
}

// warm runs a planner once: compiling HiGHS and the like is no part of the first
// problem's time.
func (e *env) warm(ctx context.Context, name string) error {
	if e.warmed[name] || name == cpSAT || name == cpSATBoxes || name == minimalloc || ctx.Err() != nil {
		return nil
	}
	e.warmed[name] = true
	_, err := stowage.Solve(context.WithoutCancel(ctx), gen.MiniMalloc(), stowage.Options{Planner: name, Timeout: time.Minute})
	return err
}

// runCPSAT runs CP-SAT with one of its models. Its time is that of its model and solver and not that of
// starting Python, and always by the clock.
func (e *env) runCPSAT(ctx context.Context, in *comparison.Instance, r *comparison.Run) {
	p := *in.Problem
	p.Capacity = in.Capacity
	args := []string{"--timeout", fmt.Sprint(r.Timeout)}
	if r.Planner == cpSATBoxes {
		args = append(args, "--boxes")
	}
	out, err := ortools.Run(ctx, []*stowage.Problem{&p}, args...)
	if err != nil {
		r.Status, r.Message = comparison.Failed, fmt.Sprintf("%s: %v", r.Planner, err)
		return
	}
	r.Status, r.Height, r.LowerBound, r.Seconds = out[0].Status, out[0].Height, out[0].LowerBound, out[0].Seconds
}

// died is the message of a run of google/minimalloc that ended by a signal, such as
// a segmentation fault: idealloc's table 1 has one.
const died = "the program died"

// runMinimalloc runs google/minimalloc's program. Its time is that of the whole
// process, some milliseconds of it to start, read and write; its limit is by the clock.
func (e *env) runMinimalloc(ctx context.Context, in *comparison.Instance, r *comparison.Run) {
	fail := func(err error) { r.Status, r.Message = comparison.Failed, fmt.Sprintf("%s: %v", minimalloc, err) }
	f, err := os.CreateTemp(e.dir, "in-*.csv")
	if err != nil {
		fail(err)
		return
	}
	defer os.Remove(f.Name())
	plain := *in
	plain.Path = f.Name()
	if err := errors.Join(writeCSV(f, in.Problem), f.Close()); err != nil {
		fail(err)
		return
	}
	p := program.Minimalloc(e.minimalloc)
	began := processor.Children()
	one, err := p.Run(ctx, plain, time.Duration(r.Timeout*float64(time.Second)), f.Name()+".out")
	os.Remove(f.Name() + ".out")
	r.Seconds = one.Seconds
	if e.processor {
		r.Seconds = (processor.Children() - began).Seconds()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() < 0 && ctx.Err() == nil:
		r.Status, r.Message = comparison.Refused, died+": "+exit.String()
	case err != nil:
		fail(err)
	case one.Outcome == program.Planned:
		r.Status, r.Height = stowage.Feasible.String(), one.Height
	case one.Outcome == program.NoPlan:
		r.Status = stowage.Unknown.String() // it says the same of a time-out and of a refutation
	default:
		r.Status = stowage.Unknown.String()
	}
}

// tool runs a tool of bench and returns what it prints.
func (e *env) tool(ctx context.Context, args ...string) (string, error) {
	if !e.tools {
		return "", errCut
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"run"}, args...)...)
	cmd.Dir = e.root
	cmd.Stderr = io.Discard
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go run %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// shareOf is a context that ends after a share of the time that is left.
func shareOf(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(float64(time.Until(end))*share))
}
