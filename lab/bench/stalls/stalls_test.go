package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
)

// TestKinds draws each kind twice: the problems are valid and equal, and have the size that the row says.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds() {
		if seen[k.key()] || k.target == "" {
			t.Errorf("%s: twice, or without a target", k.key())
		}
		seen[k.key()] = true
		if strings.Contains(k.size, "0,000") && testing.Short() {
			continue
		}
		problems, err := k.draw(7)
		if errors.Is(err, experiment.ErrNoData) {
			continue
		}
		must.Do(t, err)
		again := must.Get(k.draw(7))(t)
		for i, p := range problems {
			must.Do(t, model.Validate(p))
			if !reflect.DeepEqual(p, again[i]) {
				t.Errorf("%s: a seed makes two problems", k.key())
			}
			if p.Capacity != 0 {
				t.Errorf("%s: %s has a capacity", k.key(), p.Name)
			}
			if k.known > 0 && timeline.New(p).LowerBound != k.known {
				t.Errorf("%s: bound %d, though it is made to have %d", k.key(), timeline.New(p).LowerBound, k.known)
			}
		}
	}
}

// TestRefill holds memories that are always full against what was drawn: no moment is over, and until the last buffer
// was drawn none is less full than the kind says.
func TestRefill(t *testing.T) {
	const memory = 1 << 14
	for name, of := range map[string]struct {
		buffers       []model.Buffer
		least, memory int64
	}{
		"two":    {drawFor("t", 1).two(500, 100), 98, 100},
		"full":   {drawFor("t", 2).full(500), (1 << 16) * 9 / 10, 1 << 16},
		"steady": {drawFor("t", 3).steady(500, memory, "six"), memory * 9 / 10, memory},
	} {
		const filled = 20 // the first slots fill the memory
		last := of.buffers[len(of.buffers)-1].Lower
		for slot := int64(filled); slot < last; slot++ {
			used := int64(0)
			for _, b := range of.buffers {
				if b.Lower <= slot && slot < b.Upper {
					used += b.Size
				}
			}
			if used > of.memory || used < of.least {
				t.Errorf("%s: slot %d has %d of %d", name, slot, used, of.memory)
			}
		}
	}
}

func TestApart(t *testing.T) {
	p := problem("p", drawFor("t", 4).two(60, 40))
	q := drawFor("t", 5).apart(p, 20)
	if p.Rules != nil || len(q.Rules.Apart) != 20 {
		t.Fatalf("%v, %v", p.Rules, q.Rules)
	}
	for _, pair := range q.Rules.Apart {
		if a, b := q.Buffers[pair[0]], q.Buffers[pair[1]]; a.Lower < b.Upper && b.Lower < a.Upper {
			t.Errorf("%v are live together", pair)
		}
	}
}

// TestWindows cuts windows: each is valid, has about as many buffers as asked for, and no more load than the whole.
func TestWindows(t *testing.T) {
	p := problem("p", drawFor("t", 6).two(400, 100))
	whole := timeline.New(p).LowerBound
	windows := windowsOf(p, 3, 120)
	if len(windows) != 3 {
		t.Fatalf("%d windows", len(windows))
	}
	for _, w := range windows {
		must.Do(t, model.Validate(w))
		if n := len(w.Buffers); n < 100 || n > 180 || timeline.New(w).LowerBound > whole {
			t.Errorf("%s: %d buffers, bound %d of %d", w.Name, n, timeline.New(w).LowerBound, whole)
		}
	}
}

// TestAroundPeak: the window has the peak of the whole, about as many buffers as asked for, and one for all that live
// throughout.
func TestAroundPeak(t *testing.T) {
	p := problem("p", drawFor("t", 7).random(5000, family{"short", "uni"}))
	whole := timeline.New(p).LowerBound
	w := aroundPeak(p, 100)
	must.Do(t, model.Validate(w))
	if n, bound := len(w.Buffers), timeline.New(w).LowerBound; n < 60 || n > 140 || bound != whole {
		t.Errorf("%d buffers, bound %d of %d", n, bound, whole)
	}
	last := w.Buffers[len(w.Buffers)-1]
	for _, b := range w.Buffers {
		if throughout := b.Lower == last.Lower && b.Upper == last.Upper; throughout != (b.ID == "throughout") {
			t.Errorf("%s lives from %d to %d", b.ID, b.Lower, b.Upper)
		}
	}
}

// TestFamilies: each family of the kind random has windows of its own.
func TestFamilies(t *testing.T) {
	b := bench{limit: time.Second, window: 100}
	for _, k := range kinds() {
		if k.key() == "random 5,000" {
			for seed := range uint64(5) {
				r := run{Kind: b.windowsKey(&k, k.familyOf(seed)), Height: 100, Bound: 90, Whole: 100, Limit: b.limit}
				b.runs = append(b.runs, r)
			}
		}
	}
	for _, want := range []string{"| random short uni |", "| random heavy pareto |"} {
		if table := b.windowsTable(); strings.Count(table, want) != 1 || strings.Count(table, "| 1 | 1 | 0 | 0 | 0.00 |") != 5 {
			t.Error(table)
		}
	}
}

// TestWindowsTable sums up known windows.
func TestWindowsTable(t *testing.T) {
	b := bench{limit: time.Second, window: 100}
	for _, r := range []run{{Height: 100, Bound: 90}, {Height: 102, Bound: 101}, {Height: 105, Bound: 100}} {
		r.Kind, r.Planner, r.Limit, r.Whole = "two 1,000, windows of 100", auto, time.Second, 100
		b.runs = append(b.runs, r)
	}
	const want = "| two | 1,000 | 100 | 3 | 1 | 1 | 1 | 5.00 |"
	if !strings.Contains(b.windowsTable(), want) || b.row(&kind{name: "two", size: "1,000"}) != nil {
		t.Error(b.windowsTable())
	}
}

// TestTable sums up known runs: another's bound counts, a limit that differs does not.
func TestTable(t *testing.T) {
	b := bench{limit: time.Second, only: "two 100,coarse"}
	for _, r := range []run{
		{Problem: "p", Planner: auto, Status: "feasible", Height: 44, Bound: 40, Seconds: 1},
		{Problem: "p", Planner: sat, Status: "optimal", Height: 42, Bound: 42, Seconds: 0.5},
		{Problem: "q", Planner: auto, Status: "optimal", Height: 40, Bound: 40, Seconds: 0.25},
		{Problem: "r", Planner: auto, Status: "feasible", Height: 80, Bound: 40, Limit: time.Hour},
		{Problem: "q", Planner: "tela", Status: unsupported},
		{Kind: "coarse, at the load 1,000", Planner: auto, Status: "unknown", Bound: 1024, Seconds: 1},
	} {
		if r.Kind == "" {
			r.Kind = "two 100"
		}
		if r.Limit == 0 {
			r.Limit = time.Second
		}
		b.runs = append(b.runs, r)
	}
	lines := strings.Split(b.table(), "\n")
	want := []string{
		"| two | 100 | 2 | 1 | 2.38 | 4.76 | at most 2.5% (41) | 0.6 | 1 of 1: cp-sat |",
		"| coarse, at the load | 1,000 | 1 | 0 |  |  | 15 of 20 at the load | 1.0 |  |",
	}
	if got := lines[2 : len(lines)-3]; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestGoesOn runs a kind, and again: the second time all runs are in the file.
func TestGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	var sizes [2]int
	for k := range sizes {
		b := bench{raw: path, only: "two 100", from: 3, seeds: 2, limit: time.Millisecond}
		must.Do(t, b.read())
		must.Do(t, b.ask("first-fit"))
		must.Do(t, b.work(t.Context()))
		sizes[k] = len(must.Get(os.ReadFile(path))(t))
		if len(b.runs) != 4 {
			t.Errorf("%d runs", len(b.runs))
		}
	}
	if sizes[0] == 0 || sizes[0] != sizes[1] {
		t.Errorf("the file has %v bytes", sizes)
	}
	for _, bad := range []string{"nobody", "auto, nobody"} {
		if b := (bench{}); b.ask(bad) == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
