package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/suite"
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

// A second sweep takes up where an interrupted one has left off.
func TestSweepResumes(t *testing.T) {
	problems := synthetic(1, 20)
	f := flags{results: filepath.Join(t.TempDir(), "sweep.jsonl"), limit: 5 * time.Second, repeat: 3, jobs: 2}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sweep(ctx, problems, []string{"exact"}, f); err == nil {
		t.Error("an interrupted sweep is no error")
	}
	c, err := sweep(t.Context(), problems[:1], []string{"exact", "contention"}, f)
	if err != nil {
		t.Fatal(err)
	}
	first := c.At(0, 0).Seconds
	if c, err = sweep(t.Context(), problems, []string{"exact"}, f); err != nil {
		t.Fatal(err)
	}
	if cell := c.Cells[0][0]; len(cell) != 3 || cell[0].Seconds != first || cell[0].On == "" || cell[0].Visited == 0 {
		t.Errorf("the runs of before are gone: %+v", cell)
	}
	if cell := c.Cells[1][0]; len(cell) != 3 || !cell[0].Solved() {
		t.Errorf("the second problem: %+v", cell)
	}
}

func TestReports(t *testing.T) {
	problems := synthetic(1, 20)
	cell := func(status string, seconds ...float64) experiment.Cell {
		c := experiment.Cell{}
		for _, s := range seconds {
			c = append(c, experiment.Run{Status: status, Seconds: s})
		}
		return c
	}
	c := &experiment.Comparison{
		Planners: []string{"milp", "tela", "csp", "cp"}, Instances: problems,
		Cells: [][]experiment.Cell{
			{cell("feasible", 0.4, 0.2, 0.3), cell("feasible", 0.01), cell("refused", 0), nil},
			{cell("unknown", 2.1), cell("infeasible", 0.02), nil, nil},
		},
	}
	want := `| ms, limit 2 s | milp | tela | csp | cp |
| --- | ---:| ---:| ---:| ---:|
| synthetic-20-seed-0 | 300 | 10.0 | refused | – |
| synthetic-60-seed-0 | > 2,000 | 20.0 (infeasible) | – | – |
| solved, of 2 | 1 | 2 | 0 | 0 |
| median ratio to tela | 30.0 | 1.00 | – | – |
`
	if got := byProblem(c, 2); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.Planners = []string{"milp", "cp"}
	for i := range c.Cells {
		c.Cells[i] = []experiment.Cell{c.Cells[i][0], c.Cells[i][3]}
	}
	want = `| buffers, limit 2 s | milp solved | ms | cp solved | ms |
| --- | ---:| ---:| ---:| ---:|
| 20 | 100% | 300 | – | – |
| 60 | 0% | > 2,000 | – | – |
| all | 50% | 1,150 | – | – |
| problems run | 2 |  | 0 |  |
`
	if got := bySize(c, 2); got != want {
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
	for _, list := range []string{strings.TrimSuffix(solvers, ","+cpSAT), heuristics} {
		if got := strings.Join(known(list), ","); got != list {
			t.Errorf("of %s there are %s", list, got)
		}
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
