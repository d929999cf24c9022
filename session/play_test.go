package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// played plays a trace of changes, and verifies each plan. It returns all answers as text, and the steps taken.
func played(t *testing.T, tr *trace.Trace, o Options) (string, map[Step]int) {
	t.Helper()
	ctx := context.Background()
	s, rest := must.Two(Begin(ctx, tr, o))(t)
	text, steps, player := "", map[Step]int{}, NewPlayer(s)
	for i := range rest {
		a, made := must.Two(player.Play(ctx, &rest[i]))(t, "%v", rest[i])
		if made {
			steps[a.Step]++
		}
		p, plan := s.Snapshot()
		if report := verify.CheckHeight(p, plan.Offsets, tr.Capacity, plan.Height); !report.OK() {
			t.Fatalf("after %v: %v", rest[i], report.Violations)
		}
		if load, _ := s.Peak(); load > tr.Capacity {
			t.Fatalf("load %d", load)
		}
		text += fmt.Sprint(a.Status, a.Step, a.Moved, a.Nodes, plan.Offsets, "\n")
	}
	return text, steps
}

// TestPlay plays traces twice, with all steps and without some.
func TestPlay(t *testing.T) {
	all := map[Step]int{}
	for seed := range plantest.Share(uint64(20), 4) {
		base, err := gen.Generate("random", gen.Options{Seed: seed, Buffers: 40, MinSize: 64, MaxSize: 8192, MaxLife: 400})
		if err != nil {
			t.Fatal(err)
		}
		s := must.Get(Open(context.Background(), base, nil, Options{}))(t)
		p, plan := s.Snapshot()
		tr := must.Get(traces.Edit(p, plan.Offsets,
			traces.EditOptions{Seed: seed, Changes: 100, Capacity: plan.Height, Pins: 0.05}))(t)
		for _, without := range [][]Step{nil, {Repair}, {Repair, Window}, {Keep, Fit, Repair, Window, Hints}} {
			o := Options{NodeLimit: 1000, Seed: seed, Without: without}
			text, steps := played(t, tr, o)
			if again, _ := played(t, tr, o); text != again {
				t.Fatalf("seed %d without %v: two answers", seed, without)
			}
			for step, n := range steps {
				all[step] += n
			}
		}
	}
	for step := Keep; step <= Fresh; step++ {
		if all[step] == 0 {
			t.Errorf("%v was never needed: %v", step, all)
		}
	}
}

// TestPlayRefuses has a trace with slices, and one that begins with a plan that is none.
func TestPlayRefuses(t *testing.T) {
	zero := int64(0)
	add := trace.Op{Kind: trace.Add, ID: "a", Upper: 1, Size: 1, Offset: &zero}
	other := add
	other.ID = "b"
	if _, _, err := Begin(context.Background(), &trace.Trace{Ops: []trace.Op{add, other}}, Options{}); err == nil {
		t.Error("a plan with an overlap")
	}
	other.Slices = []trace.Slice{{Size: 1}}
	if _, _, err := Begin(context.Background(), &trace.Trace{Ops: []trace.Op{add, other}}, Options{}); !errors.Is(err,
		ErrUnsupported) {
		t.Error(err)
	}
}

// TestPlayGroups plays groups: their buffers have one offset, also after a rollback that gives an ID its old group
// back.
func TestPlayGroups(t *testing.T) {
	ctx := context.Background()
	at := func(offset int64) *int64 { return &offset }
	add := func(id, group string, lower, size int64, offset *int64) trace.Op {
		return trace.Op{Kind: trace.Add, ID: id, Group: group, Lower: lower, Upper: lower + 3, Size: size, Offset: offset}
	}
	tr := &trace.Trace{Capacity: 12, Ops: []trace.Op{
		add("a", "g", 0, 4, at(4)), add("b", "g", 2, 4, at(4)), add("c", "h", 0, 4, at(0)),
		add("d", "h", 2, 4, nil),
		{Kind: trace.Mark, ID: "m"},
		{Kind: trace.Remove, ID: "d"},
		add("d", "g", 9, 4, nil),
		{Kind: trace.Rollback, ID: "m"},
		add("e", "h", 5, 8, nil), // h is at 0, and then so is e
		{Kind: trace.Pin, ID: "e", Offset: at(4)},
	}}
	s, rest := must.Two(Begin(ctx, tr, Options{}))(t)
	p := NewPlayer(s)
	for i := range rest {
		if a, made, err := p.Play(ctx, &rest[i]); err != nil || !made || a.Status != model.Feasible &&
			rest[i].Kind != trace.Mark && rest[i].Kind != trace.Rollback {
			t.Fatalf("%v: %v, %v, %v", rest[i], a, made, err)
		}
		q, plan := s.Snapshot()
		if report := verify.CheckPlan(q, plan); !report.OK() {
			t.Fatalf("after %v: %v", rest[i], report.Violations)
		}
		offsets := map[string]int64{}
		for k, b := range q.Buffers {
			group := p.groups[b.ID]
			if first, there := offsets[group]; there && first != plan.Offsets[k] {
				t.Fatalf("after %v: group %s is at %d, and %s at %d", rest[i], group, first, b.ID, plan.Offsets[k])
			}
			offsets[group] = plan.Offsets[k]
		}
	}
	if _, offset, _ := s.Buffer("d"); offset != 4 || p.groups["d"] != "h" {
		t.Errorf("d is in group %s at %d", p.groups["d"], offset)
	}
}

// TestManyChanges makes many changes of one session, and holds that nothing grows.
func TestManyChanges(t *testing.T) {
	s := draw(t, 3, 30, Options{Effort: Fit})
	r := gen.NewRNG(3, "many")
	ctx := context.Background()
	nodes := 0
	for k := range plantest.Share(200000, 20000) {
		b := s.p.Buffers[r.Below(int64(s.Len()))]
		m := s.Mark()
		lower := r.Below(30)
		must.Get(s.Retime(ctx, b.ID, lower, lower+r.Within(1, 9)))(t)
		must.Do(t, s.Remove(b.ID))
		b.ID = fmt.Sprint("k", k)
		if a, err := s.Add(ctx, b); err != nil || a.Status != model.Feasible || r.Chance(0.5) {
			must.Do(t, s.Rollback(m))
		} else if err := s.Commit(m); err != nil {
			t.Fatal(err)
		}
		if k == 5000 {
			nodes = len(s.load.nodes)
		}
	}
	if len(s.journal) > 0 || len(s.marks) > 0 || len(s.index) != s.Len() || len(s.load.nodes) > nodes+20 ||
		cap(s.journal) > 1000 {
		t.Errorf("%d entries of %d, %d marks, %d IDs of %d, %d nodes of %d", len(s.journal), cap(s.journal), len(s.marks),
			len(s.index), s.Len(), len(s.load.nodes), nodes)
	}
}

// ruledBases returns problems for edits with rules: without rules, of two pools, with clocks, and with a period.
func ruledBases(t *testing.T, seed uint64) []*model.Problem {
	t.Helper()
	random := func() *model.Problem {
		p, err := gen.Generate("random", gen.Options{Seed: seed, Buffers: 24, MinSize: 64, MaxSize: 8192, MaxLife: 300})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	clocks := must.Get(gen.Generate("clocks", gen.Options{Seed: seed, Buffers: 16, Threads: 2}))(t)
	plain, pools, period := random(), random(), random()
	plain.Rules = &model.Rules{Apart: []model.Pair{{0, 1}}}
	load := int64(0)
	for _, b := range pools.Buffers {
		load += b.Size
	}
	pools.Rules = &model.Rules{
		Pools: []model.Pool{
			{ID: "small", Capacity: load / 4, Alignment: 64, Reserved: []model.Range{{Lower: 0, Upper: 128}}},
			{ID: "large", Capacity: load},
		},
	}
	for i := range pools.Buffers {
		if i%5 == 0 {
			pools.Buffers[i].Extra = &model.Extra{Pools: []int32{int32(i/5) % 2}}
		}
	}
	last := int64(0)
	for _, b := range period.Buffers {
		last = max(last, b.Upper)
	}
	period.Rules = &model.Rules{Period: last - last/8}
	for i := range period.Buffers {
		b := &period.Buffers[i]
		length := min(b.Upper-b.Lower, period.Rules.Period)
		b.Lower %= period.Rules.Period
		b.Upper = b.Lower + length
	}
	return []*model.Problem{plain, pools, clocks, period}
}

// TestPlayRules writes edits with rules, reads them, and plays them twice. Each plan keeps the rules, and no call is an
// error.
func TestPlayRules(t *testing.T) {
	ctx := context.Background()
	kinds, answers, left := map[trace.Kind]int{}, map[model.Status]int{}, 0
	for seed := range plantest.Share(uint64(40), 4) {
		for k, base := range ruledBases(t, seed) {
			s := must.Get(Open(ctx, base, nil, Options{NodeLimit: 2000}))(t)
			p, plan := s.Snapshot()
			o := traces.EditOptions{Seed: seed, Changes: 40, Pins: 0.05, Rules: 0.5, Pools: plan.Pools}
			if len(base.Rules.Pools) == 0 {
				o.Capacity = plan.Height
			}
			made := must.Get(traces.Edit(p, plan.Offsets, o))(t)
			var file bytes.Buffer
			must.Do(t, trace.Write(&file, made))
			tr := must.Get(trace.Read(bytes.NewReader(file.Bytes()), "t.jsonl"))(t, "seed %d, base %d", seed, k)
			var texts [2]string
			for turn := range texts {
				s, rest, err := Begin(ctx, tr, Options{NodeLimit: 200, Effort: Window})
				if err != nil {
					t.Fatalf("seed %d, base %d: %v", seed, k, err)
				}
				player := NewPlayer(s)
				for i := range rest {
					op := &rest[i]
					a, there := must.Two(player.Play(ctx, op))(t, "seed %d, base %d", seed, k)
					q, plan := s.Snapshot()
					if report := verify.CheckPlan(q, plan); !report.OK() {
						t.Fatalf("seed %d, base %d, line %d: %v", seed, k, op.Line, report.Violations)
					}
					texts[turn] += fmt.Sprint(there, a.Status, a.Step, a.Moved, a.Nodes, plan.Offsets, plan.Pools, "\n")
					if turn == 0 {
						kinds[op.Kind]++
						answers[a.Status]++
						if !there && op.Kind != trace.Mark {
							left++
						}
					}
				}
			}
			if texts[0] != texts[1] {
				t.Fatalf("seed %d, base %d: two answers", seed, k)
			}
		}
	}
	for _, kind := range []trace.Kind{
		trace.Add, trace.Place, trace.Bind, trace.Unbind, trace.Limit, trace.Pin, trace.Retime, trace.Rollback,
	} {
		if kinds[kind] < 3 {
			t.Errorf("%s came %d times", kind, kinds[kind])
		}
	}
	if answers[model.Infeasible] < 2 || left < 2 {
		t.Errorf("answers %v, %d left out", answers, left)
	}
	t.Log(kinds, answers, left)
}
