// Package changes has calls of sessions for tests of bindings, and what a session in Go answers to each, as text. A
// binding makes the same calls, writes the same text, and is compared byte for byte.
package changes

import (
	"context"
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/session"
)

// Cases returns n traces by `gen edit` over random problems: with marks, rollbacks and pins, with capacities from
// the first plan's height up, and with limits at nodes and steps. Questions and replans are mixed in.
func Cases(n int) ([]Case, error) {
	ctx := context.Background()
	var all []Case
	for seed := range uint64(n) {
		base, err := gen.Generate("random",
			gen.Options{Seed: seed, Buffers: 24 + 4*int(seed%4), MinSize: 64, MaxSize: 8192, MaxLife: 300})
		if err != nil {
			return nil, err
		}
		if seed%3 == 0 {
			for i := range base.Buffers {
				base.Buffers[i].Alignment = 1 << (i % 8)
			}
		}
		s, err := session.Open(ctx, base, nil, session.Options{})
		if err != nil {
			return nil, err
		}
		p, plan := s.Snapshot()
		t, err := traces.Edit(p, plan.Offsets,
			traces.EditOptions{Seed: seed, Changes: 120, Capacity: plan.Height + plan.Height*int64(seed%4)/50, Pins: 0.08})
		if err != nil {
			return nil, err
		}
		ask(t, seed)
		o := session.Options{NodeLimit: []int64{0, 0, 40, 1}[seed%4], Seed: seed << 60}
		if seed%5 == 4 {
			o.Effort = session.Repair
		}
		c, err := tracedCase(ctx, t, o)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		c.Name = fmt.Sprint("seed ", seed)
		all = append(all, c)
	}
	return all, nil
}

// ask adds questions and replans to a trace.
func ask(t *trace.Trace, seed uint64) {
	r := gen.NewRNG(seed, "ask")
	var ops []trace.Op
	for i, op := range t.Ops {
		ops = append(ops, op)
		if op.Offset != nil {
			continue
		}
		if r.Chance(0.3) {
			lower := r.Below(900)
			ops = append(ops, trace.Op{
				Kind: trace.Fits, ID: fmt.Sprint("question", i), Lower: lower, Upper: lower + 1 + r.Below(200),
				Size: 1 + r.Below(12000),
			})
		}
		if r.Chance(0.03) {
			ops = append(ops, trace.Op{Kind: trace.Replan, Height: t.Capacity * r.Below(3) / 3})
		}
	}
	t.Ops = ops
}

// Difference returns the first line in which two texts differ, for a message; it is empty if they are equal.
func Difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			return fmt.Sprintf("line %d is missing: %s", i+1, w[i])
		case i >= len(w):
			return fmt.Sprintf("line %d is too much: %s", i+1, g[i])
		case g[i] != w[i]:
			return fmt.Sprintf("line %d is\n%s\nnot\n%s", i+1, g[i], w[i])
		}
	}
	return ""
}

// Kinds counts what happened in texts of Answers: the steps by name, "no", "undecided", and calls. A test holds by it
// that its traces take every step.
func Kinds(answers string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(answers) {
		before, _, asked := strings.Cut(line, " at ")
		words := strings.Fields(before)
		count[words[0]]++
		if len(words) > 1 && words[1] == "refused:" {
			count["refused"]++
			continue
		}
		if !asked {
			continue
		}
		switch status, step := words[len(words)-2], words[len(words)-1]; status {
		case "0":
			count["undecided"]++
		case "3":
			count["no"]++
		default:
			count[step]++
		}
	}
	return count
}
