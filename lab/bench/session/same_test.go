package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// tiny puts an instance of 40 buffers, twice, into the folder of the public ones.
func tiny(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("STOWAGE_DATA", dir)
	r := gen.NewRNG(1, "tiny")
	var p model.Problem
	for k := range 40 {
		b := model.Buffer{ID: strconv.Itoa(k), Lower: r.Below(30), Size: r.Within(1, 60)}
		b.Upper = b.Lower + r.Within(1, 15)
		p.Buffers = append(p.Buffers, b)
	}
	for _, name := range []string{"tiny", "twin"} {
		path := filepath.Join(dir, "challenging", name+".csv")
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		f := must.Get(os.Create(path))(t)
		must.Do(t, csv.Write(f, &p, nil))
		must.Do(t, f.Close())
	}
}

// lasting returns a trace without removals and rollbacks. After these a session has its buffers in another order than
// an opened one, and breaks ties otherwise. The number of buffers grows until not all find a place.
func lasting(tr *trace.Trace) *trace.Trace {
	t := *tr
	t.Ops = slices.DeleteFunc(slices.Clone(tr.Ops), func(op trace.Op) bool {
		return op.Kind == trace.Remove || op.Kind == trace.Mark || op.Kind == trace.Commit || op.Kind == trace.Rollback
	})
	return &t
}

// TestSame: a way that plays gives the same outcomes whether or not others are asked. The fresh ways, which carry
// nothing from change to change, give the same outcomes when they are asked as when they play.
func TestSame(t *testing.T) {
	tiny(t)
	c := settings{changes: 200, nodes: 20, slack: 1.05, pins: 0.1, seed: 1}
	tr := must.Get(edited("challenging/tiny.csv", c))(t)
	tr = lasting(tr)
	for _, name := range []string{"session", "fresh with hints", "fresh"} {
		c.same = name
		games := must.Get(gamesOf(c, nil))(t)
		g := games[0]
		outcomes, _ := must.Two(play(tr, g, c))(t)
		alone, _ := must.Two(play(tr, g[:1], c))(t)
		same := func(what string, a, b []outcome) {
			if len(a) != len(b) || len(a) < 50 {
				t.Fatalf("%s: %s: %d and %d changes", name, what, len(a), len(b))
			}
			for i := range a {
				if x, y := a[i].Answer, b[i].Answer; !reflect.DeepEqual(x, y) {
					t.Errorf("%s: %s: change %d is %+v and %+v", name, what, i, x, y)
				}
			}
		}
		same("alone", outcomes[0], alone[0])
		for k, w := range g {
			if w.without == nil {
				continue
			}
			if w.name == name+", opened" {
				same("asked", outcomes[0], outcomes[k])
			}
			if r := tally("tiny", w.name, outcomes[k]); r.unknown == 0 || r.no == 0 || r.moved == 0 {
				t.Errorf("%s: %s: not all kinds of answers: %+v", name, w.name, r)
			}
		}
	}
}

// TestRunSame: the lines of a table have as many cells as its head, every change is in one of the cases, and more nodes
// decide more.
func TestRunSame(t *testing.T) {
	tiny(t)
	var out strings.Builder
	c := settings{changes: 150, slack: 1, pins: 0.1, seed: 1, same: "session", others: []int64{1, 300}}
	must.Do(t, run(&out, c, nil, []string{"fresh"}))
	first, second, _ := strings.Cut(out.String(), "\n\n")
	for _, table := range []string{first, second} {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		for _, line := range lines {
			if strings.Count(line, "|") != strings.Count(lines[0], "|") {
				t.Errorf("not as many cells as the head has: %s", line)
			}
		}
	}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	decided, changes := map[string]int{}, map[string]int{}
	for line := range strings.Lines(first) {
		if cell := strings.Split(line, " | "); strings.HasPrefix(line, "| tiny") {
			decided[cell[1]] = number(cell[9])
		}
	}
	for line := range strings.Lines(second) { // of two instances, and their total
		if cell := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && cell[1] == "session" {
			changes[cell[2]] += number(cell[4])
		}
	}
	few, many := "fresh, 1 nodes", "fresh, 300 nodes"
	if len(decided) != 3 || decided[few] >= decided[many] || decided[many] > 150 {
		t.Errorf("decided %v\n%s", decided, out.String())
	}
	if len(changes) != 2 || changes[few] != 4*150 || changes[many] != changes[few] {
		t.Errorf("changes %v\n%s", changes, out.String())
	}
	c.same = "keep all"
	if err := run(&out, c, nil, nil); err == nil {
		t.Error("a way without a capacity plays")
	}
}

// TestComparison: each change is in the line of those that decide it, with the figures of both ways on these changes.
func TestComparison(t *testing.T) {
	of := func(took time.Duration, moved int64, status ...model.Status) (outcomes []outcome) {
		for _, s := range status {
			a := session.Answer{Status: s, Moved: session.Movement{Bytes: moved}}
			outcomes = append(outcomes, outcome{Answer: a, took: took, bytes: 100})
		}
		return outcomes
	}
	const yes, no, unknown = model.Feasible, model.Infeasible, model.Unknown
	g := []way{{name: "a"}, {name: "b"}}
	var c comparison
	c.add("x", g, [][]outcome{
		of(time.Microsecond, 10, yes, yes, yes, no, unknown),
		of(time.Millisecond, 20, yes, unknown, unknown, no, yes),
	})
	c.add("y", g, [][]outcome{of(time.Microsecond, 5, unknown, yes), of(time.Millisecond, 20, unknown, yes)})
	c.total("all", g)
	const want = `
| x | a | b | first | 2 | 10.00% | 1.0 µs | 1.0 µs | 2.0 µs | 0.00% | 1.0 ms | 1.0 ms | 2.0 ms |
| x | a | b | second | 1 | 0.00% | 1.0 µs | 1.0 µs | 1.0 µs | 20.00% | 1.0 ms | 1.0 ms | 1.0 ms |
| x | a | b | both | 2 | 5.00% | 1.0 µs | 1.0 µs | 2.0 µs | 10.00% | 1.0 ms | 1.0 ms | 2.0 ms |
| y | a | b | none | 1 | 0.00% | 1.0 µs | 1.0 µs | 1.0 µs | 0.00% | 1.0 ms | 1.0 ms | 1.0 ms |
| y | a | b | both | 1 | 5.00% | 1.0 µs | 1.0 µs | 1.0 µs | 20.00% | 1.0 ms | 1.0 ms | 1.0 ms |
| **all**, all 2 | a | b | none | 1 | 0.00% | 1.0 µs | 1.0 µs | 1.0 µs | 0.00% | 1.0 ms | 1.0 ms | 1.0 ms |
| **all**, all 2 | a | b | first | 2 | 10.00% | 1.0 µs | 1.0 µs | 2.0 µs | 0.00% | 1.0 ms | 1.0 ms | 2.0 ms |
| **all**, all 2 | a | b | second | 1 | 0.00% | 1.0 µs | 1.0 µs | 1.0 µs | 20.00% | 1.0 ms | 1.0 ms | 1.0 ms |
| **all**, all 2 | a | b | both | 3 | 5.00% | 1.0 µs | 1.0 µs | 3.0 µs | 13.33% | 1.0 ms | 1.0 ms | 3.0 ms |
`
	if got := "\n" + c.text.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// TestContradict: a plan and a proof of none cannot both be right.
func TestContradict(t *testing.T) {
	if !contradict(model.Feasible, model.Infeasible) || !contradict(model.Infeasible, model.Optimal) {
		t.Error("a contradiction is not found")
	}
	if contradict(model.Feasible, model.Optimal) || contradict(model.Unknown, model.Infeasible) ||
		contradict(model.Feasible, model.Unknown) {
		t.Error("a contradiction where there is none")
	}
}
