package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stowage-go/stowage"
)

func twoInstances() *comparison {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
		{ID: "c", Lower: 2, Upper: 4, Size: 3},
	}}
	q := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 1, Size: 1}}}
	return &comparison{
		planners:  []string{"puppet-stack", "first-fit", "puppet-nothing"},
		instances: []instance{newInstance("one/p.csv", p, 0), newInstance("two/p.csv", q, 0)},
	}
}

// TestCompareBars draws the bars on something that is no terminal: they end, and
// leave no goroutine behind.
func TestCompareBars(t *testing.T) {
	defer goleak.VerifyNone(t)
	var out bytes.Buffer
	table := twoInstances()
	distinctNames(table.instances)
	b := startBars(&out, true, table)
	for k := range table.instances {
		b.begin(k)
		for range len(table.planners) + 1 {
			b.tick(k)
		}
	}
	time.Sleep(2 * progressEvery)
	b.stop()
	if !strings.Contains(out.String(), "one/p.csv ... done! [4") || !strings.Contains(out.String(), "two/p.csv ... done! [4") {
		t.Errorf("no bars in %q", &out)
	}
}

// TestCompareInterrupted ends the context while a planner waits for that: what
// is done stays, and what was cut short is not kept for the next time.
func TestCompareInterrupted(t *testing.T) {
	defer goleak.VerifyNone(t)
	table := twoInstances()
	path := t.TempDir() + "/runs.jsonl"
	cache, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := &compareFlags{}
	if err := c.runAll(ctx, &bytes.Buffer{}, table, cache); err != nil {
		t.Fatal(err)
	}
	if err := cache.close(); err != nil {
		t.Fatal(err)
	}
	first := table.instances[0].runs
	if len(first) != 3 || first[0].Status != "feasible" || first[1].Status != "optimal" || first[2].Status != "unknown" {
		t.Errorf("runs %+v", first)
	}
	if len(table.instances[1].runs) != 0 {
		t.Errorf("runs after the interruption: %+v", table.instances[1].runs)
	}
	// A line that is cut short, as by a full disk, is dropped, and the next one
	// takes its place.
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, `{"problem":"ab","na`...), 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if len(again.known) != 2 {
		t.Errorf("%d runs are kept, want the 2 that were done", len(again.known))
	}
	if err := again.add(runRecord{Problem: "x", Planner: "y", Status: "unknown"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, whole) || bytes.Count(text, []byte("\n")) != 3 || !bytes.HasSuffix(text, []byte("}\n")) {
		t.Errorf("error %v, file:\n%s", err, text)
	}
}

func TestDigest(t *testing.T) {
	at := int64(4)
	p := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Upper: 2, Size: 3}}}
	seen := map[string]string{digest(p): "p"}
	for name, change := range map[string]func(b *stowage.Buffer){
		"id":        func(b *stowage.Buffer) { b.ID = "b" },
		"upper":     func(b *stowage.Buffer) { b.Upper = 3 },
		"size":      func(b *stowage.Buffer) { b.Size = 4 },
		"alignment": func(b *stowage.Buffer) { b.Alignment = 2 },
		"gap":       func(b *stowage.Buffer) { b.Gaps = []stowage.Gap{{Lower: 1, Upper: 2}} },
		"window": func(b *stowage.Buffer) {
			b.Gaps = []stowage.Gap{{Lower: 1, Upper: 2, Window: &stowage.Window{Lower: 0, Upper: 1}}}
		},
		"fixed": func(b *stowage.Buffer) { b.Fixed = &at },
		"hint":  func(b *stowage.Buffer) { b.Hint = &at },
	} {
		b := p.Buffers[0]
		change(&b)
		d := digest(&stowage.Problem{Buffers: []stowage.Buffer{b}})
		if seen[d] != "" {
			t.Errorf("%s and %s have one digest", name, seen[d])
		}
		seen[d] = name
	}
}

// TestOptimum checks when a height counts as proven: also where one planner has
// the plan and another the bound.
func TestOptimum(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []runRecord
		want int64
	}{
		{"nothing", nil, 0},
		{"a plan", []runRecord{{Status: "feasible", Height: 12, LowerBound: 10}}, 0},
		{"optimal", []runRecord{{Status: "optimal", Height: 11, LowerBound: 11}}, 11},
		{"plan and bound", []runRecord{{Status: "feasible", Height: 12, LowerBound: 10}, {Status: "unknown", LowerBound: 12}}, 12},
		{"infeasible at a capacity", []runRecord{{Status: "infeasible", LowerBound: 12}, {Status: "feasible", Height: 12, LowerBound: 10}}, 0},
	} {
		in := instance{lowerBound: 10, runs: c.runs}
		if got := in.optimum(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
