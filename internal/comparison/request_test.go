package comparison

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A puppet is a planner that behaves in one fixed way. It stacks the buffers, but
//
//	waits   calls atWait, waits for the end of the context and has no plan
//	dies    divides by zero
//	lies    calls a plan feasible in which all are at zero
type puppet string

// atWait is called by the puppet that waits, if it is set.
var atWait atomic.Pointer[context.CancelFunc]

// stacked counts the plans of the puppet that stacks.
var stacked atomic.Int64

func (p puppet) Name() string { return string(p) }

func (p puppet) Info() plan.Info { return plan.Info{Name: p.Name(), Summary: "for tests"} }

func (p puppet) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	buffers := tl.Problem.Buffers
	r := plan.Result{
		Status: model.Feasible, Plan: model.Plan{Offsets: make([]int64, len(buffers))}, Stats: plan.Stats{Nodes: 7},
	}
	switch p {
	case "waits":
		if f := atWait.Load(); f != nil {
			(*f)()
		}
		<-ctx.Done()
		return plan.Result{Status: model.Unknown}, nil
	case "dies":
		none := len(o.Params)
		r.Offsets[1/none] = 1
	case "lies":
		return r, nil
	}
	stacked.Add(1)
	for i := 1; i < len(buffers); i++ {
		r.Offsets[i] = r.Offsets[i-1] + buffers[i-1].Size
	}
	return r, nil
}

func init() {
	for _, name := range []string{"stacks", "waits", "dies", "lies"} {
		run.Register(puppet(name))
	}
}

func twoInstances() []Instance {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
		{ID: "c", Lower: 2, Upper: 4, Size: 3},
	}}
	q := &model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: 0, Upper: 1, Size: 1}}}
	return []Instance{NewInstance("p", p, 0), NewInstance("q", q, 0)}
}

// statuses returns the statuses of the cells, a word for each instance.
func statuses(c *Result) string {
	var s strings.Builder
	for i := range c.Instances {
		for k := range c.Planners {
			if r := c.At(i, k); r != nil {
				s.WriteString(r.Status + " ")
			}
		}
		s.WriteString("| ")
	}
	return s.String()
}

// TestInterrupted ends the context while a planner waits for that. Finished runs stay, and interrupted ones are not
// cached.
func TestInterrupted(t *testing.T) {
	path := t.TempDir() + "/runs.jsonl"
	cache := open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	atWait.Store(&cancel)
	defer atWait.Store(nil)
	s := &Request{Planners: []string{"stacks", "first-fit", "waits"}, Instances: twoInstances(), Ask: Run{Workers: 1}}
	c, err := s.Run(ctx, cache)
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(c); got != "feasible optimal unknown | | " {
		t.Error(got)
	}
	cache.Close()
	before := stacked.Load()
	again := open(t, path)
	if again.Len() != 2 {
		t.Errorf("%d runs are kept, want the 2 that were done", again.Len())
	}
	s.Ask.Timeout = 0
	s.Planners = s.Planners[:2]
	if c, err = s.Run(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if got := statuses(c); got != "feasible optimal | optimal optimal | " {
		t.Error(got)
	}
	if made := stacked.Load() - before; made != 1 {
		t.Errorf("%d runs were made, want that of the second problem alone", made)
	}
}

// TestPlannerDies: a panic of a planner ends neither the process nor other runs. It is reported with its place, and
// the run is tried again the next time.
func TestPlannerDies(t *testing.T) {
	cache := open(t, t.TempDir()+"/runs.jsonl")
	s := &Request{
		Planners: []string{"dies", "lies", "stacks"}, Instances: twoInstances()[:1], Ask: Run{Workers: 1},
		Optimum: time.Second,
	}
	c := must.Get(s.Run(t.Context(), cache))(t)
	if got := statuses(c); got != "failed invalid feasible | " {
		t.Error(got)
	}
	if c.Optimum(0) != 7 {
		t.Errorf("optimum %d", c.Optimum(0))
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "p: planner dies died at request_test.go:") ||
		!strings.Contains(err.Error(), "integer divide by zero") ||
		!strings.Contains(err.Error(), "planner lies returned an invalid plan: buffers") {
		t.Errorf("error %v", err)
	}
	var out bytes.Buffer
	if err := c.Write(&out, "csv", nil); err != nil || !strings.Contains(out.String(),
		"p,3,7,7,7,,dies,failed,,,0.000000,planner dies died at ") {
		t.Errorf("%v\n%s", err, &out)
	}
	if cache.Len() != 3 { // lies, stacks and the optimum
		t.Errorf("%d runs are kept", cache.Len())
	}
}

// TestRequestRepeats: the runs of a pair that has an answer, on several problems at
// a time, and a second request that is wider.
func TestRequestRepeats(t *testing.T) {
	path := t.TempDir() + "/runs.jsonl"
	peer := func(_ context.Context, in *Instance, r *Run) { r.Status, r.Seconds = "unknown", 2 }
	s := &Request{
		Planners: []string{"stacks", "peer"}, Instances: twoInstances(), Ask: Run{Workers: 1, Solve: true},
		Repeat: 3, Jobs: 2, Peers: map[string]Peer{"peer": peer}, Visited: true, On: "a machine",
	}
	var ticks atomic.Int64
	s.Tick = func(int) { ticks.Add(1) }
	before := stacked.Load()
	cache := open(t, path)
	c, err := s.Run(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(c); got != "feasible unknown | optimal unknown | " {
		t.Error(got)
	}
	if n := len(c.Cells[0][0]); n != 3 || len(c.Cells[1][1]) != 1 {
		t.Errorf("%d runs of the first cell, %d of the last", n, len(c.Cells[1][1]))
	}
	if ticks.Load() != 6 {
		t.Errorf("%d ticks", ticks.Load())
	}
	if r := c.At(0, 0); r.Visited != 7 || r.On != "a machine" {
		t.Errorf("%+v", r)
	}
	if _, ok := c.Cells[0][1].Median(); ok {
		t.Error("a cell without an answer has a time")
	}
	if seconds, ok := c.Cells[0][0].Median(); !ok || seconds < 0 {
		t.Errorf("median %g, %v", seconds, ok)
	}
	s.Repeat = 5
	if _, err = s.Run(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	if made := stacked.Load() - before; made != 10 {
		t.Errorf("%d runs were made, want 5 of each problem", made)
	}
	// What was asked for the lowest is another run.
	s.Ask.Solve = false
	if _, err = s.Run(t.Context(), cache); err != nil || stacked.Load()-before != 20 {
		t.Errorf("%v, %d runs", err, stacked.Load()-before)
	}
}

// TestRequestCacheFails: an error of the cache ends the request and is not lost.
func TestRequestCacheFails(t *testing.T) {
	cache := open(t, t.TempDir()+"/runs.jsonl")
	cache.file.Close()
	s := &Request{Planners: []string{"stacks"}, Instances: twoInstances(), Jobs: 2}
	c, err := s.Run(t.Context(), cache)
	if err == nil || c == nil || slices.Contains(s.Planners, "") {
		t.Errorf("%v, %v", c, err)
	}
	if errors.Is(err, context.Canceled) {
		t.Errorf("an error of the cache is %v", err)
	}
}

// TestOptimum checks when a height counts as proven: also if one planner has the plan and another the bound.
func TestOptimum(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []Run
		want int64
	}{
		{"nothing", nil, 0},
		{"a plan", []Run{{Status: "feasible", Height: 12, LowerBound: 10}}, 0},
		{"optimal", []Run{{Status: "optimal", Height: 11, LowerBound: 11}}, 11},
		{"plan and bound", []Run{{Status: "feasible", Height: 12, LowerBound: 10}, {Status: "unknown", LowerBound: 12}}, 12},
		{"infeasible at a capacity", []Run{
			{Status: "infeasible", LowerBound: 12}, {Status: "feasible", Height: 12, LowerBound: 10},
		}, 0},
	} {
		x := Result{Instances: []Instance{{LowerBound: 10}}, Cells: [][]Cell{nil}, Extra: []*Run{nil}}
		for k, r := range c.runs {
			x.Planners = append(x.Planners, string(rune('a'+k)))
			x.Cells[0] = append(x.Cells[0], Cell{r})
		}
		if got := x.Optimum(0); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if n := len(c.runs); n > 0 { // as the search for the optimum
			x.Extra[0], x.Planners = &c.runs[n-1], x.Planners[:n-1]
			if got := x.Optimum(0); got != c.want {
				t.Errorf("%s, the last as extra: %d, want %d", c.name, got, c.want)
			}
		}
	}
}

// TestWide: in text, problems have no columns of their own if the lines would be too long.
func TestWide(t *testing.T) {
	for _, n := range []int{mostColumns, mostColumns + 1} {
		c := Result{Planners: []string{"good", "half"}}
		for k := range n {
			c.Instances = append(c.Instances, Instance{Name: "p" + strconv.Itoa(k), Problem: &model.Problem{}, Load: 10})
			half := Run{Status: "unknown"}
			if k%2 == 0 {
				half = Run{Status: "feasible", Height: 15, Seconds: 0.5}
			}
			c.Cells = append(c.Cells, []Cell{{{Status: "optimal", Height: 10, LowerBound: 10, Seconds: 0.25}}, {half}})
			c.Extra = append(c.Extra, nil)
		}
		var text, markdown strings.Builder
		set := func(t *Table) string { return t.Markdown() }
		must.Do(t, errors.Join(c.Write(&text, "text", set), c.Write(&markdown, "md", set)))
		if wide := strings.Contains(text.String(), "| p1 | p2 |"); wide != (n == mostColumns) {
			t.Errorf("%d problems: %s", n, text.String())
		}
		if !strings.Contains(markdown.String(), "| p1 | p2 |") {
			t.Errorf("%d problems: %s", n, markdown.String())
		}
		const lines = "| good | 21 | 21 | 1.000 | 1.000 | 5.250 |\n| half | 11 | 0 | 1.500 | 1.500 | 5.500 |\n"
		if n > mostColumns && !strings.Contains(text.String(), lines) {
			t.Errorf("no %q in %s", lines, text.String())
		}
	}
}
