package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
)

func TestSyntheticSample(t *testing.T) {
	if n := len(synthetic(0, 1)); n != 525 {
		t.Errorf("%d problems in the whole suite", n)
	}
	var names []string
	for _, q := range synthetic(2, 10) {
		names = append(names, q.Name)
		if q.Capacity != q.Problem.Capacity {
			t.Errorf("%s: capacity %d", q.Name, q.Capacity)
		}
	}
	if got, want := strings.Join(names, " "), "synthetic-20-seed-0 synthetic-40-seed-0 synthetic-60-seed-0 synthetic-20-seed-1 synthetic-40-seed-1 synthetic-60-seed-1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Figure 9 has more than a thousand inputs, each another one.
func TestExtended(t *testing.T) {
	t.Setenv("STOWAGE_DATA", t.TempDir())
	e := &env{setup: setup{size: quickSize}}
	all, err := e.extended(quickSize.extended)
	if err != nil || len(all) <= 1000 {
		t.Fatalf("%d inputs, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, in := range all {
		if in.Capacity < in.Load || in.Capacity > in.Load*131/100 {
			t.Errorf("%s: capacity %d for a load of %d", in.Name, in.Capacity, in.Load)
		}
		if seen[in.Name] {
			t.Errorf("%s is there twice", in.Name)
		}
		seen[in.Name] = true
	}
}

func TestTables(t *testing.T) {
	problems := synthetic(1, 20)
	cell := func(status string, seconds ...float64) comparison.Cell {
		c := comparison.Cell{}
		for _, s := range seconds {
			c = append(c, comparison.Run{Status: status, Seconds: s, Timeout: 2})
		}
		return c
	}
	c := &comparison.Result{
		Planners: []string{"milp", "tela", "csp", "cp"}, Instances: problems,
		Cells: [][]comparison.Cell{
			{cell("feasible", 0.4, 0.2, 0.3), cell("feasible", 0.01), cell("refused", 0), nil},
			{cell("unknown", 2.1), cell("infeasible", 0.02), cell("unknown", 0.2), nil},
		},
	}
	want := `| ms, limit 2 s | milp | tela | csp | cp |
| --- | ---:| ---:| ---:| ---:|
| synthetic-20-seed-0 | 300 | 10.0 | refused | – |
| synthetic-60-seed-0 | > 2,000 | 20.0 (infeasible) | no plan | – |
| solved, of 2 | 1 | 2 | 0 | 0 of 0 run |
| median ratio to tela | 30.0 | 1.00 | – | – |
`
	if got := byProblem(c).Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.Planners = []string{"milp", "cp"}
	for i := range c.Cells {
		c.Cells[i] = []comparison.Cell{c.Cells[i][0], c.Cells[i][3]}
	}
	want = `| buffers, limit 2 s | milp solved | ms | cp solved | ms |
| --- | ---:| ---:| ---:| ---:|
| 20 | 100% | 300 | – | – |
| 60 | 0% | > 2,000 | – | – |
| all | 50% | 1,150 | – | – |
| problems run | 2 |  | 0 |  |
`
	if got := bySize(c).Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The bisection finds the height that a heuristic without regard for the capacity has.
func TestLeastMemory(t *testing.T) {
	p := gen.GoogLeNet()
	e := &env{setup: setup{begin: time.Now()}}
	for _, name := range heuristics {
		r, err := stowage.Solve(t.Context(), p, stowage.Options{Planner: name})
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.leastMemory(t.Context(), p, name, 1)
		if err != nil || m.Bytes != r.Height || m.Seconds <= 0 {
			t.Errorf("%s: %+v, %v; its height is %d", name, m, err, r.Height)
		}
	}
}

// The names that sections have are those of planners and techniques in the box.
func TestNames(t *testing.T) {
	if got := inBox(append([]string{"no-such-planner"}, allocators...)); len(got) != len(allocators) {
		t.Errorf("of %v there are %v", allocators, got)
	}
	var known []string
	for _, p := range stowage.Planners() {
		if p.Name == "exact" || p.Name == "tela" {
			for _, t := range p.Techniques {
				known = append(known, t.Name)
			}
		}
	}
	text := " " + strings.Join(known, " ") + " "
	for _, name := range append(append([]string(nil), minimallocTechniques...), asPublished...) {
		if !strings.Contains(text, " "+name+" ") {
			t.Errorf("no technique is named %s", name)
		}
	}
	if ours := beyondPaper(); len(ours) < 5 {
		t.Errorf("beyond the paper: %v", ours)
	}
}

func TestFacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x-facts.jsonl")
	s, err := openFacts(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b"} {
		if err := s.add(key, "here", 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = openFacts(path); err != nil {
		t.Fatal(err)
	}
	_, a := s.find("a")
	_, b := s.find("b")
	if !a || b {
		t.Errorf("a is known: %v; b, which was cut: %v", a, b)
	}
	if err := s.add("c", "here", 8); err != nil {
		t.Fatal(err)
	}
	s.close()
	if s, err = openFacts(path); err != nil || len(s.known) != 2 {
		t.Errorf("%v, %v", s, err)
	}
	s.close()
	for _, other := range []string{"# Notes\n", `{"key":"a","value":1}` + "\nnotes", "{}\n"} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openFacts(path); err == nil {
			t.Errorf("%q is taken for facts", other)
		}
		if now, _ := os.ReadFile(path); string(now) != other {
			t.Errorf("%q has become %q", other, now)
		}
	}
}

// TestSplit reads a profile: each stack counts for what its functions are for.
func TestSplit(t *testing.T) {
	p := &profile.Profile{}
	for _, stack := range []struct {
		samples int64
		names   []string
	}{
		{6, []string{"lab/pairwise.(*Engine).push", "lab/baseline/tela.(*search).step"}},
		{1, []string{"runtime.mallocgc", "internal/timeline.New"}},
		{2, []string{"lab/baseline/tela.(*search).candidates"}},
		{1, []string{"runtime.gcBgMarkWorker"}},
	} {
		sample := &profile.Sample{Value: []int64{stack.samples, stack.samples * 10_000_000}}
		for _, name := range stack.names {
			sample.Location = append(sample.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: "github.com/stowage-go/stowage/" + name}}}})
		}
		p.Sample = append(p.Sample, sample)
	}
	want := split{Engine: 0.6, Selection: 0.2, Preparing: 0.1, Rest: 0.1, Samples: 10}
	if got := splitOf(p); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := splitOf(&profile.Profile{}); got != (split{}) {
		t.Errorf("no samples: %+v", got)
	}
}

// A portion has what lives in its stretch, cut to it.
func TestPortion(t *testing.T) {
	p := gen.GoogLeNet()
	whole := 0
	for k := range 4 {
		q := portion(p, k, 4)
		if q == nil {
			continue
		}
		whole++
		low, high := q.Buffers[0].Lower, q.Buffers[0].Upper
		for _, b := range q.Buffers {
			low, high = min(low, b.Lower), max(high, b.Upper)
		}
		if len(q.Buffers) >= len(p.Buffers) || high <= low {
			t.Errorf("portion %d: %d buffers from %d to %d", k, len(q.Buffers), low, high)
		}
	}
	if whole < 3 {
		t.Errorf("%d portions", whole)
	}
}

// A section whose time is over before it starts shows what is known, and no error.
func TestNoTime(t *testing.T) {
	t.Setenv("STOWAGE_DATA", t.TempDir())
	dir := t.TempDir()
	cache, err := comparison.Open(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	facts, err := openFacts(filepath.Join(dir, "runs-facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer facts.close()
	e := newEnv(setup{size: tinySize, root: "../../..", jobs: 1, progress: discard{}, begin: time.Now()}, cache, facts)
	for _, s := range sections() {
		c, err := e.section(t.Context(), s, 0)
		if err != nil || c == nil {
			t.Errorf("%s: %v", s.id, err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestBusy(t *testing.T) {
	for _, processor := range []bool{false, true} {
		got := busy("14.20 12.00 11.00 3/400 123\n", 2, processor)
		if !strings.Contains(got, "14.2 on 2 cores") || strings.Contains(got, "processor time") != processor {
			t.Error(got)
		}
	}
	for _, idle := range []string{"0.40 9.00 9.00 1/400 123\n", "", "none"} {
		if got := busy(idle, 2, false); got != "" {
			t.Errorf("%q: %s", idle, got)
		}
	}
}

// The ratio of b to a is one over that of a to b, for an even number of problems too.
func TestRatioIsSymmetric(t *testing.T) {
	c := &comparison.Result{Planners: []string{"a", "b"}, Instances: synthetic(4, 100)}
	for k := range c.Instances {
		cell := func(seconds float64) comparison.Cell {
			return comparison.Cell{{Status: "feasible", Seconds: seconds}}
		}
		c.Cells = append(c.Cells, []comparison.Cell{cell(1), cell([]float64{1, 2, 50, 9}[k%4])})
	}
	x, y := between(c, "a", "b"), between(c, "b", "a")
	if x.n != len(c.Instances) || x.n%2 != 0 || math.Abs(x.x*y.x-1) > 1e-12 {
		t.Errorf("%v and %v of %d", x, y, len(c.Instances))
	}
	if none := between(c, "a", "c"); none.n != 0 || none.tells() {
		t.Errorf("%v", none)
	}
}
