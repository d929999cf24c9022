package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
)

// writeKept writes runs as a sweep of a folder that stands for the repository.
func writeKept(t *testing.T, root, name string, runs []comparison.Run) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, r := range runs {
		if err := json.NewEncoder(z).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "lab", "bench", "results")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestKept: the newest sweep is read; its runs are shown with the problem whose digest and
// capacity they have, those that solve most first; others are left out.
func TestKept(t *testing.T) {
	root, problems := t.TempDir(), synthetic(1, 10)
	var runs []comparison.Run
	for i, in := range problems {
		for _, planner := range []string{"worse", "better"} {
			r := comparison.Run{Problem: in.Digest, Planner: planner, Capacity: in.Capacity, Nodes: 1234, Timeout: 9, Status: "feasible", Seconds: 1}
			if planner == "worse" && i > 0 {
				r.Status = "unknown"
			}
			runs = append(runs, r)
		}
	}
	other := runs[0]
	other.Planner, other.Capacity = "elsewhere", other.Capacity+1
	writeKept(t, root, "sweep-x-2026-01-02.jsonl.gz", append(runs, other))
	writeKept(t, root, "sweep-x-2026-01-01.jsonl.gz", nil)
	k, err := keptSweep(root, "sweep-x")
	if err != nil || k.name != "sweep-x-2026-01-02" || len(k.runs) != len(runs)+1 {
		t.Fatalf("%+v, %v", k, err)
	}
	s := k.of(problems)
	if !slices.Equal(s.Planners, []string{"better", "worse"}) {
		t.Errorf("planners %q", s.Planners)
	}
	c := &content{}
	if err := showKept(c, &env{setup: setup{root: root}}, "sweep-x", problems); err != nil {
		t.Fatal(err)
	}
	if len(c.pictures) != 1 || len(c.tables) != 1 || len(c.notes) != 1 {
		t.Fatalf("%d pictures, %d tables, notes %q", len(c.pictures), len(c.tables), c.notes)
	}
	rows := c.tables[0].Rows
	if n := len(problems); len(rows) != n+2 || !slices.Equal(rows[0], []string{"20", "1 of 1", "1 of 1"}) ||
		!slices.Equal(rows[1][1:], []string{"1 of 1", "0 of 1"}) {
		t.Errorf("rows %q", rows)
	}
	if text := c.tables[0].Markdown(); !strings.Contains(text, "solved within 1,234 nodes") {
		t.Error(text)
	}
	if !strings.Contains(c.notes[0], "sweep/specs/x.yaml") || !strings.Contains(c.notes[0], "The clock cut none") {
		t.Errorf("note %q", c.notes[0])
	}
	runs[3].Status, runs[3].Seconds = "unknown", 9
	runs[3].Nodes = 99
	writeKept(t, root, "sweep-x-2026-01-03.jsonl.gz", runs)
	c = &content{}
	if err := showKept(c, &env{setup: setup{root: root}}, "sweep-x", problems); err != nil ||
		!strings.Contains(c.notes[0], "The clock cut 1 of them") {
		t.Errorf("%v, notes %q", err, c.notes)
	}
	if text := c.tables[0].Markdown(); !strings.Contains(text, "solved within its limit") {
		t.Error(text)
	}
	// A sweep whose name goes on is another one. Its limit is the time that all of its runs have.
	for k := range runs {
		runs[k].Nodes, runs[k].Timeout = 0, 2
	}
	writeKept(t, root, "sweep-x-milp-2026-01-01.jsonl.gz", runs)
	if k, err := keptSweep(root, "sweep-x"); err != nil || k.name != "sweep-x-2026-01-03" {
		t.Errorf("%v, %v", k, err)
	}
	if k, err := keptSweep(root, "sweep-x-milp"); err != nil || k.limit() != "2 s" {
		t.Errorf("%v, %v", k, err)
	}
}

// TestAnswers: a plan answers capacities from its height on, a proof those up to its own; problems
// that the sweep did not have do not count.
func TestAnswers(t *testing.T) {
	root, problems := t.TempDir(), synthetic(1, 10)[:2]
	capacity := problems[0].Capacity
	run := func(planner, status string, capacity, height int64) comparison.Run {
		return comparison.Run{Problem: problems[0].Digest, Planner: planner, Capacity: capacity, Nodes: 10, Status: status, Height: height}
	}
	writeKept(t, root, "sweep-x-2026-01-01.jsonl.gz", []comparison.Run{
		run("plan", "feasible", capacity-9, capacity-9), run("plan", "unknown", capacity-99, 0),
		run("high", "feasible", capacity+9, capacity+9), run("proof", "infeasible", capacity+9, 0), run("low", "infeasible", capacity-9, 0),
	})
	c := &content{}
	if err := showAnswers(c, &env{setup: setup{root: root}}, "sweep-x", problems); err != nil || len(c.tables) != 1 {
		t.Fatalf("%v, %d tables", err, len(c.tables))
	}
	want := [][]string{{"plan", "1 of 1", "100%"}, {"proof", "1 of 1", "100%"}, {"high", "0 of 1", "0%"}, {"low", "0 of 1", "0%"}}
	if got := c.tables[0].Rows; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
	c = &content{}
	if err := showAnswers(c, &env{setup: setup{root: root}}, "sweep-x", problems[1:]); err != nil || len(c.tables) != 0 {
		t.Errorf("of no problem: %v, %d tables", err, len(c.tables))
	}
}

// TestKeptNone: without a sweep nothing is shown; a damaged one is an error with its name.
func TestKeptNone(t *testing.T) {
	root := t.TempDir()
	c := &content{}
	if err := showKept(c, &env{setup: setup{root: root}}, "sweep-x", synthetic(1, 10)); err != nil || len(c.tables)+len(c.notes) > 0 {
		t.Errorf("%v, %+v", err, c)
	}
	writeKept(t, root, "sweep-x-2026-01-01.jsonl.gz", []comparison.Run{{Problem: "another"}})
	if err := showKept(c, &env{setup: setup{root: root}}, "sweep-x", synthetic(1, 10)); err != nil || len(c.tables)+len(c.notes) > 0 {
		t.Errorf("%v, %+v", err, c)
	}
	path := filepath.Join(root, "lab", "bench", "results", "sweep-x-2026-01-02.jsonl.gz")
	if err := os.WriteFile(path, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keptSweep(root, "sweep-x"); err == nil || !strings.Contains(err.Error(), "sweep-x-2026-01-02.jsonl.gz: ") {
		t.Error(err)
	}
}

// TestKeptSweeps: the sweeps that are kept can be read, are of the suite's problems, and
// have every planner on all of them.
func TestKeptSweeps(t *testing.T) {
	k, err := keptSweep(filepath.Join("..", "..", ".."), "sweep-synthetic")
	if err != nil || k == nil {
		t.Fatalf("%v, %v", k, err)
	}
	problems := synthetic(0, 1)
	s := k.of(problems)
	if len(problems) != 525 || len(s.Planners) < 10 || len(k.runs) != len(problems)*len(s.Planners) {
		t.Errorf("%d runs of %d planners on %d problems", len(k.runs), len(s.Planners), len(problems))
	}
	for i := range s.Cells {
		for p, cell := range s.Cells[i] {
			if len(cell) != 1 {
				t.Fatalf("%s has %d runs on %s", s.Planners[p], len(cell), problems[i].Name)
			}
		}
	}
}

// TestKeptExtended: each planner of the sweep has a run on each of its problems, within one
// limit of nodes that no clock cut.
func TestKeptExtended(t *testing.T) {
	k, err := keptSweep(filepath.Join("..", "..", ".."), "sweep-extended")
	if err != nil || k == nil {
		t.Fatalf("%v, %v", k, err)
	}
	problems := map[string]map[string]bool{}
	for _, r := range k.runs {
		if problems[r.Planner] == nil {
			problems[r.Planner] = map[string]bool{}
		}
		problems[r.Planner][r.Problem] = true
	}
	for planner, its := range problems {
		if len(its) < 400 || len(its) != len(problems["auto"]) {
			t.Errorf("%s on %d problems, auto on %d", planner, len(its), len(problems["auto"]))
		}
	}
	if len(problems) < 10 || k.nodes() == 0 || !strings.Contains(k.clock(), "cut none") {
		t.Errorf("%d planners, %d nodes, %s", len(problems), k.nodes(), k.clock())
	}
}
