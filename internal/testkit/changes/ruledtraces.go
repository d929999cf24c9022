package changes

import (
	"bytes"
	"context"
	"fmt"

	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// Idea: traces, as `gen edit` makes them with rules and without, in the words of ruled.go. The player of traces makes the
// calls in Go, and a line that it leaves out is left out of the words. So C and Python agree with what `stowage
// session` plays.

// tracedRules returns n traces with rules as cases.
func tracedRules(n int) (all []Case, err error) {
	ctx := context.Background()
	for seed := range uint64(n) {
		base, err := ruledBase(seed)
		if err != nil {
			return nil, err
		}
		s, err := session.Open(ctx, base, nil, session.Options{NodeLimit: 2000})
		if err != nil {
			return nil, err
		}
		p, plan := s.Snapshot()
		e := traces.EditOptions{Seed: seed, Changes: 40, Pins: 0.05, Rules: 0.5, Pools: plan.Pools}
		if len(base.Rules.Pools) == 0 {
			e.Capacity = plan.Height
		}
		made, err := traces.Edit(p, plan.Offsets, e)
		if err != nil {
			return nil, err
		}
		var file bytes.Buffer
		if err := trace.Write(&file, made); err != nil {
			return nil, err
		}
		t, err := trace.Read(&file, "")
		if err != nil {
			return nil, err
		}
		c, err := tracedCase(ctx, t, session.Options{NodeLimit: []int64{0, 60}[seed/4%2], Effort: session.Window})
		if err != nil {
			return nil, fmt.Errorf("trace of seed %d: %w", seed, err)
		}
		c.Name = fmt.Sprint("trace of seed ", seed)
		all = append(all, c)
	}
	return all, nil
}

// ruledBase returns a problem with a pair apart, with two pools, with clocks or with a period.
func ruledBase(seed uint64) (*model.Problem, error) {
	if seed%4 == 2 {
		return gen.Generate("clocks", gen.Options{Seed: seed, Buffers: 16, Threads: 2})
	}
	p, err := gen.Generate("random", gen.Options{Seed: seed, Buffers: 20, MinSize: 64, MaxSize: 8192, MaxLife: 300})
	if err != nil {
		return nil, err
	}
	var sum, last int64
	for i := range p.Buffers {
		sum, last = sum+p.Buffers[i].Size, max(last, p.Buffers[i].Upper)
	}
	switch seed % 4 {
	case 0:
		p.Rules = &model.Rules{Apart: []model.Pair{{0, 1}}}
	case 1:
		small, large := model.Pool{ID: "small", Capacity: sum / 4, Alignment: 64}, model.Pool{ID: "large", Capacity: sum}
		p.Rules = &model.Rules{Pools: []model.Pool{small, large}}
	default:
		p.Rules = &model.Rules{Period: last}
	}
	return p, nil
}

// tracedCase plays a trace.
func tracedCase(ctx context.Context, t *trace.Trace, o session.Options) (c Case, err error) {
	s, rest, err := session.Begin(ctx, t, o)
	if err != nil {
		return c, err
	}
	problem, plan := s.Snapshot()
	inPairs(problem.Rules)
	var text bytes.Buffer
	if err := json.Write(&text, problem, nil); err != nil {
		return c, err
	}
	c.Problem = text.Bytes()
	if problem, _, err = json.Read(bytes.NewReader(c.Problem), ""); err != nil {
		return c, err
	}
	o.Capacity, o.Alignment = 0, 0 // the problem has them
	var d ruledDraw
	if d.s, err = session.OpenPlan(ctx, problem, plan, o); err != nil {
		return c, err
	}
	c.Head = head(&o, problem.Rules, plan)
	player, marks, plain := session.NewPlayer(d.s), map[string]int{}, problem.Rules == nil
	for i := range rest {
		op := &rest[i]
		old, now, _ := d.s.Buffer(op.ID)
		a, made, err := player.Play(ctx, op)
		if err != nil {
			return c, err
		}
		if !made {
			continue
		}
		kind := d.word(op, old, now, marks, plain)
		switch op.Kind {
		case trace.Remove, trace.Unpin, trace.Mark, trace.Rollback, trace.Commit:
			err = d.done(kind, nil)
		default:
			err = d.answered(kind, a, nil)
		}
		if err != nil {
			return c, err
		}
	}
	c.Calls, c.Answers = d.calls.String()+"end\n", d.answer.String()
	return c, nil
}

// word writes an operation in words, and returns its first. old is its buffer before, which lay at the offset now. In a
// session without rules one buffer comes by a call of its own.
func (d *ruledDraw) word(op *trace.Op, old model.Buffer, now int64, marks map[string]int, plain bool) string {
	say := func(form string, x ...any) { fmt.Fprintf(&d.calls, form+"\n", x...) }
	kind := string(op.Kind)
	if b := op.Buffer(); plain && (op.Kind == trace.Add || op.Kind == trace.Fits) {
		kind = map[trace.Kind]string{trace.Add: "add", trace.Fits: "ask"}[op.Kind]
		say("%s %s %d %d %d %d", kind, b.ID, b.Lower, b.Upper, b.Size, b.Alignment)
		return kind
	}
	switch op.Kind {
	case trace.Add, trace.Place, trace.Fits:
		buffers, rules := op.Buffers, flat(op.Rules)
		if op.Kind != trace.Place {
			buffers = []model.Buffer{op.Buffer()}
		}
		if op.Kind == trace.Add {
			kind = "place"
		}
		say("%s 0 %d 0 %d", kind, len(buffers), len(rules))
		for i := range buffers {
			say("%s", line(&buffers[i]))
		}
		d.rulesSaid(rules)
	case trace.Bind, trace.Unbind:
		say("%s %d", kind, len(flat(op.Rules)))
		d.rulesSaid(flat(op.Rules))
	case trace.Remove, trace.Unpin:
		say("%s %s", kind, op.ID)
	case trace.Resize:
		say("resize %s %d", op.ID, op.Size)
	case trace.Retime:
		if op.Extra == nil || op.Extra.Clocks == nil {
			say("retime %s %d %d", op.ID, op.Lower, op.Upper)
			break
		}
		kind = "replace"
		old.SetClocks(op.Extra.Clocks.Lower, op.Extra.Clocks.Upper)
		say("replace %s", line(&old))
	case trace.Pin:
		if op.Offset != nil {
			now = *op.Offset
		}
		if op.Pool == nil {
			say("pin %s %d", op.ID, now)
			break
		}
		kind = "pin_in"
		say("pin_in %s %d %d", op.ID, *op.Pool, now)
	case trace.Limit:
		if op.Pool == nil {
			say("limit %d", op.Capacity)
			break
		}
		kind = "limit_pool"
		say("limit_pool %d %d", *op.Pool, op.Capacity)
	case trace.Replan:
		say("replan %d", op.Height)
	case trace.Mark:
		marks[op.ID] = d.next
		d.next++
		say("mark")
	default:
		say("%s %d", kind, marks[op.ID])
	}
	return kind
}

// flat returns rules pair by pair.
func flat(rules session.Rules) (all []rule) {
	for _, t := range rules.Together {
		for k := min(1, len(t.Buffers)-1); k < len(t.Buffers); k++ {
			x := rule{"together", t.Buffers[0], t.Buffers[k], 0}
			if t.At != nil {
				x.by = t.At[k] - t.At[0]
			}
			all = append(all, x)
		}
	}
	for _, x := range rules.Apart {
		all = append(all, rule{"apart", x[0], x[1], 0})
	}
	for _, x := range rules.MayOverlap {
		all = append(all, rule{"may_overlap", x[0], x[1], 0})
	}
	for _, x := range rules.Distances {
		all = append(all, rule{"distances", x.First, x.Second, x.Bytes})
	}
	return all
}
