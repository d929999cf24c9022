package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/suite"
)

func TestSyntheticSample(t *testing.T) {
	if n := len(synthetic(0, 1)); n != 525 {
		t.Errorf("%d problems in the whole suite", n)
	}
	var names []string
	for _, q := range synthetic(2, 10) {
		names = append(names, q.name)
		if q.capacity != q.p.Capacity {
			t.Errorf("%s: capacity %d", q.name, q.capacity)
		}
	}
	if got, want := strings.Join(names, " "), "synthetic-20-seed-0 synthetic-40-seed-0 synthetic-60-seed-0 synthetic-20-seed-1 synthetic-40-seed-1 synthetic-60-seed-1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A second sweep runs only what is missing, and an interrupted one keeps what
// it has.
func TestSweepResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "sweep.json")
	problems := synthetic(1, 20)
	load := func() *sweepFile {
		s, err := open(path, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := load()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.sweep(ctx, problems, []string{"exact"}, 1, 1); err == nil || len(s.Cells) != 0 {
		t.Errorf("an interrupted sweep: %v, %d cells", err, len(s.Cells))
	}
	s = load()
	if err := s.sweep(t.Context(), problems[:1], []string{"exact", "contention"}, 3, 2); err != nil {
		t.Fatal(err)
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	s = load()
	first := s.cell(problems[0].name, "exact").Seconds[0]
	if err := s.sweep(t.Context(), problems, []string{"exact"}, 3, 2); err != nil {
		t.Fatal(err)
	}
	if c := s.cell(problems[0].name, "exact"); c == nil || len(c.Seconds) != 3 || c.Seconds[0] != first {
		t.Errorf("the runs of before are gone: %+v", c)
	}
	if c := s.cell(problems[1].name, "exact"); c == nil || len(c.Seconds) != 3 || !c.solved() {
		t.Errorf("the second problem: %+v", c)
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(path, time.Second); err == nil {
		t.Error("runs with another limit are mixed in")
	}
	text, err := os.ReadFile(path)
	if err != nil || !json.Valid(text) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestReports(t *testing.T) {
	problems := synthetic(1, 20)
	a, b := problems[0].name, problems[1].name
	s := &sweepFile{Limit: 2, at: map[[2]string]*cell{
		{a, "milp"}: {Status: "feasible", Seconds: []float64{0.4, 0.2, 0.3}},
		{b, "milp"}: {Status: "unknown", Seconds: []float64{2.1}},
		{a, "tela"}: {Status: "feasible", Seconds: []float64{0.01}},
		{b, "tela"}: {Status: "infeasible", Seconds: []float64{0.02}},
		{a, "csp"}:  {Status: "refused"},
	}}
	want := `| ms, limit 2 s | milp | tela | csp | cp |
|---|---:|---:|---:|---:|
| synthetic-20-seed-0 | 300 | 10.0 | refused | – |
| synthetic-60-seed-0 | > 2,000 | 20.0 (infeasible) | – | – |
| solved, of 2 | 1 | 2 | 0 | 0 |
| median ratio to tela | 30.0 | 1.00 | – | – |
`
	if got := s.byProblem(problems, []string{"milp", "tela", "csp", "cp"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `| buffers, limit 2 s | milp solved | ms | cp solved | ms |
|---|---:|---:|---:|---:|
| 20 | 100% | 300 | – | – |
| 60 | 0% | > 2,000 | – | – |
| all | 50% | 1,150 | – | – |
| problems run | 2 |  | 0 |  |
`
	if got := s.bySize(problems, []string{"milp", "cp"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The bisection finds the height that a heuristic without regard for the
// capacity has.
func TestLeastMemory(t *testing.T) {
	p := suite.GoogLeNet()
	for _, name := range []string{"contention", "bfc", "first-fit"} {
		r, err := stowage.Solve(t.Context(), p, stowage.Options{Planner: name})
		if err != nil {
			t.Fatal(err)
		}
		memory, seconds, err := leastMemory(t.Context(), p, name, 1)
		if err != nil || memory != r.Height || seconds <= 0 {
			t.Errorf("%s: %d in %g s, %v; its height is %d", name, memory, seconds, err, r.Height)
		}
	}
}

func TestKnown(t *testing.T) {
	if got := known("exact,no-such-planner,milp"); strings.Join(got, ",") != "exact,milp" {
		t.Errorf("%v", got)
	}
	if err := run(t.Context(), "table9", flags{}); err == nil {
		t.Error("table9 is taken")
	}
}

func TestTable2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wave.csv")
	text := "id,lower,upper,size\na,0,2,256\nb,1,3,256\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := table2(t.Context(), flags{files: []string{path}, repeat: 1, planners: "contention,bfc"})
	if err != nil || !strings.Contains(got, "| wave | 512 | 1.000× |") || !strings.Contains(got, "| geometric mean |  | 1.000× |  | 1.000× |  |") {
		t.Errorf("%v\n%s", err, got)
	}
}
