package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
)

// TestFamilies runs two planners on the families and puts the table into a document.
// Asked again, it makes no run, but with fresh it makes all.
func TestFamilies(t *testing.T) {
	dir := t.TempDir()
	document := filepath.Join(dir, "doc.md")
	if err := os.WriteFile(document, []byte("before\n<!-- bench:compare-families -->\n<!-- /bench:compare-families -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := request{planners: []string{"first-fit", "sweep"}, limit: time.Minute, jobs: 2, dir: dir, into: document, picture: filepath.Join(dir, "picture.svg")}
	for k := range 3 {
		q.fresh = k == 2
		if err := run(context.Background(), "families", q); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "| first-fit | ", "| sweep | ", " random | ", " decode | ", "after\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	runs, err := os.ReadFile(filepath.Join(dir, "families.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := families()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(runs), "\n"); got != 2*len(problems) {
		t.Errorf("%d runs of two planners on %d problems", got, len(problems))
	}
	if picture, err := os.ReadFile(filepath.Join(dir, "picture.svg")); err != nil || !strings.Contains(string(picture), "<svg") {
		t.Errorf("the picture: %v", err)
	}
	if err := run(context.Background(), "challenge", request{dir: dir}); err == nil {
		t.Error("a set that is none is no error")
	}
}

// TestRivals: only what is above the bound, and as high as another's, is named.
func TestRivals(t *testing.T) {
	problems, err := families()
	if err != nil {
		t.Fatal(err)
	}
	run := func(height int64) comparison.Cell {
		return comparison.Cell{{Status: "feasible", Height: problems[0].LowerBound + height}}
	}
	c := &comparison.Result{
		Planners: []string{"auto", "climb", "exact", "merge", "wave", "triton"}, Instances: problems[:1],
		Cells: [][]comparison.Cell{{run(0), run(3), run(5), run(2), run(3), run(7)}}, Extra: make([]*comparison.Run, 1),
	}
	text := rivals(c)
	for _, want := range []string{"climb (", "ties with wave", "exact (", "is above wave"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for _, no := range []string{"auto (", "merge (", "triton"} {
		if strings.Contains(text, no) {
			t.Errorf("%q in %s", no, text)
		}
	}
	c.Cells[0] = []comparison.Cell{run(0), run(0), run(1), run(0), run(3), run(7)}
	if text := rivals(c); !strings.Contains(text, "No planner from another project is as low") {
		t.Error(text)
	}
}
