// Package changes has traces of sessions for tests of bindings, and what a session in Go answers to each call, as
// text. A binding plays the same trace, writes the same text, and is compared byte for byte.
package changes

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/session"
)

// A Case is a trace with the options of the session that plays it.
type Case struct {
	Name    string
	Trace   *trace.Trace
	Options session.Options
}

// Cases returns n traces by `gen edit` over random problems: with marks, rollbacks and pins, with capacities from
// the first plan's height up, and with limits at nodes and steps. Questions and replans are mixed in.
func Cases(n int) ([]Case, error) {
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
		s, err := session.Open(context.Background(), base, nil, session.Options{})
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
		all = append(all, Case{fmt.Sprintf("seed %d", seed), t, o})
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

// Text returns the trace as a file has it.
func (c *Case) Text() ([]byte, error) {
	var b bytes.Buffer
	err := trace.Write(&b, c.Trace)
	return b.Bytes(), err
}

// Lines returns the trace for a reader that knows no JSON: a line with the numbers of the session, one for each of its
// buffers, then one for each call, in words.
func (c *Case) Lines() string {
	var b strings.Builder
	first := 0
	for first < len(c.Trace.Ops) && c.Trace.Ops[first].Offset != nil && c.Trace.Ops[first].Kind == trace.Add {
		first++
	}
	fmt.Fprintln(&b, first, c.Trace.Capacity, c.Trace.Alignment, c.Options.NodeLimit, int64(c.Options.Seed),
		int(c.Options.Effort))
	for i := range c.Trace.Ops {
		op := &c.Trace.Ops[i]
		at := int64(-1)
		if op.Offset != nil {
			at = *op.Offset
		}
		id := op.ID
		if id == "" {
			id = "-"
		}
		fmt.Fprintln(&b, op.Kind, id, op.Lower, op.Upper, op.Size, op.Alignment, at, op.Height)
	}
	return b.String() + "end - 0 0 0 0 0 0\n"
}

// Answers plays the trace in Go, and returns a line for each call: what it answered, and the offsets after it.
func (c *Case) Answers() (string, error) {
	ctx := context.Background()
	s, rest, err := session.Begin(ctx, c.Trace, c.Options)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	player := session.NewPlayer(s)
	for i := range rest {
		op := &rest[i]
		a, made, err := player.Play(ctx, op)
		if err != nil {
			return "", fmt.Errorf("%v: %w", *op, err)
		}
		fmt.Fprintf(&b, "%s %s", op.Kind, op.ID)
		switch op.Kind {
		case trace.Mark, trace.Rollback, trace.Commit, trace.Remove, trace.Unpin:
			if made {
				b.WriteString(" done")
			} else {
				b.WriteString(" left out")
			}
		default:
			if !made {
				b.WriteString(" left out")
				break
			}
			least, at := 0, int64(-1)
			if a.Least {
				least = 1
			}
			if len(a.Offsets) == 1 {
				at = a.Offsets[0]
			}
			fmt.Fprintf(&b, " %d %s at %d moved %d %d %d %d least %d enough %d nodes %d", int(a.Status), a.Step, at,
				a.Moved.Cost, a.Moved.Buffers, a.Moved.Bytes, a.Moved.Slots, least, a.Enough, a.Nodes)
			if p := a.Proof; p != nil {
				fmt.Fprintf(&b, " %s %d %d %d: %s", p.Why, p.Slot, p.Load, p.LowestPossible, p)
			}
		}
		_, plan := s.Snapshot()
		b.WriteString(" |")
		for _, offset := range plan.Offsets {
			fmt.Fprint(&b, " ", offset)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
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
