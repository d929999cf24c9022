package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestFits: Fits changes nothing, and Place then says the same.
func TestFits(t *testing.T) {
	ctx := context.Background()
	for _, kind := range kinds {
		seen := map[model.Status]int{}
		for seed := range plantest.Share(uint64(3000), 80) {
			r := gen.NewRNG(seed, "fits")
			n := drawNaive(kind, seed).empty()
			p, _ := n.problem()
			s := must.Get(Open(ctx, p, nil, Options{}))(t)
			ids := []string{}
			for k := range int64(12) {
				b := drawBuffer(r, n, k)
				var rules Rules
				if kind == "rules" && len(ids) > 0 && r.Chance(0.5) {
					rules = drawRules(r, append(ids, b.ID))
				}
				before := s.state()
				fits, errFits := s.FitsWith(ctx, []model.Buffer{b}, rules)
				if s.state() != before {
					t.Fatalf("%s, seed %d: Fits changed something", kind, seed)
				}
				added, err := s.PlaceWith(ctx, []model.Buffer{b}, rules, None)
				differ := fmt.Sprintf("%+v", fits) != fmt.Sprintf("%+v", added) && fits.Proof == nil
				if fmt.Sprint(err) != fmt.Sprint(errFits) || differ {
					t.Fatalf("%s, seed %d: Fits says %v, %v, PlaceWith %v, %v", kind, seed, fits, errFits, added, err)
				}
				if added.Status == model.Feasible {
					ids = append(ids, b.ID)
				}
				if err == nil {
					seen[fits.Status]++
				}
			}
		}
		if seen[model.Feasible] < 100 || seen[model.Infeasible] < 20 || seen[model.Unknown] > 0 {
			t.Error(kind, seen)
		}
	}
}

// TestRollback: Rollback restores every field, and Commit keeps what earlier marks undo.
func TestRollback(t *testing.T) {
	ctx := context.Background()
	for _, kind := range kinds {
		undone := 0
		for seed := range plantest.Share(uint64(3000), 120) {
			r := gen.NewRNG(seed, "rollback")
			n := drawNaive(kind, seed).empty()
			p, _ := n.problem()
			s := must.Get(Open(ctx, p, nil, Options{}))(t)
			type saved struct {
				mark  Mark
				state string
				naive *naive
			}
			var marks []saved
			next := int64(0)
			for range 50 {
				switch k := r.Below(8); {
				case k == 0:
					state := s.state()
					marks = append(marks, saved{s.Mark(), state, n.clone()})
				case k == 1 && len(marks) > 0:
					at := int(r.Below(int64(len(marks))))
					must.Do(t, s.Rollback(marks[at].mark))
					if state := s.state(); state != marks[at].state {
						t.Fatalf("%s, seed %d: after rollback\n%s\nbefore\n%s", kind, seed, state, marks[at].state)
					}
					if s.Rollback(marks[at].mark) == nil {
						t.Fatalf("%s, seed %d: a mark that is gone", kind, seed)
					}
					n, marks = marks[at].naive, marks[:at]
					undone++
				case k == 2 && len(marks) > 0 && r.Chance(0.3):
					at := int(r.Below(int64(len(marks))))
					if err := s.Commit(marks[at].mark); err != nil || s.Commit(marks[at].mark) == nil {
						t.Fatalf("%s, seed %d: %v, or a mark that is gone", kind, seed, err)
					}
					if marks = marks[:at]; at == 0 && len(s.journal) > 0 {
						t.Fatalf("%s, seed %d: %d entries are left", kind, seed, len(s.journal))
					}
				default:
					c := drawChange(r, n, &next)
					m := n.clone()
					a, err := c.call(ctx, s)
					if errors.Is(err, ErrInvalidPlan) {
						t.Fatal(err)
					}
					if err == nil && a.Status == model.Feasible {
						c.edit(m)
						n = m
						_, plan := s.Snapshot()
						n.at, n.pool = plan.Offsets, make([]int32, len(plan.Offsets))
					}
				}
			}
		}
		if undone < 50 {
			t.Errorf("%s: %d rollbacks", kind, undone)
		}
	}
}

// draw makes a session of buffers that just fit, for calls that need every step.
func draw(t testing.TB, seed uint64, n int, o Options) *Session {
	t.Helper()
	r := gen.NewRNG(seed, "draw")
	p := &model.Problem{}
	for k := range n {
		b := model.Buffer{ID: fmt.Sprint("d", k), Lower: r.Below(30), Size: r.Within(1, 40)}
		b.Upper = b.Lower + r.Within(1, 15)
		p.Buffers = append(p.Buffers, b)
	}
	s := must.Get(Open(context.Background(), p, nil, o))(t)
	must.Get(s.Limit(context.Background(), s.Height()))(t)
	return s
}

// wide removes some buffers, and returns one that uses all bytes which are free throughout its life. Its size is 0 if
// there are none.
func wide(s *Session, seed uint64) model.Buffer {
	r := gen.NewRNG(seed, "wide")
	for range 4 {
		if err := s.Remove(s.p.Buffers[r.Below(int64(s.Len()))].ID); err != nil {
			panic(err)
		}
	}
	b := model.Buffer{ID: "new", Lower: r.Below(20)}
	b.Upper = b.Lower + r.Within(3, 20)
	b.Size = s.Capacity()
	for time := b.Lower; time < b.Upper; time++ {
		free := s.Capacity()
		for i, l := range s.life {
			if l.lower <= time && time < l.upper {
				free -= s.p.Buffers[i].Size
			}
		}
		b.Size = min(b.Size, free)
	}
	return b
}

// reopen returns what opens sessions with the state of another, which is planned only once.
func reopen(of *Session) func(Options) (*Session, error) {
	p, plan := of.Snapshot()
	return func(o Options) (*Session, error) { return OpenPlan(context.Background(), p, plan, o) }
}

// drawCrowd makes a session of n buffers in two pools that just fit, with some of each rule.
func drawCrowd(t testing.TB, seed uint64, n int, o Options) *Session {
	t.Helper()
	ctx := context.Background()
	r := gen.NewRNG(seed, "crowd")
	pools := []model.Pool{{ID: "fast", Alignment: 2}, {ID: "slow", Reserved: []model.Range{{Lower: 8, Upper: 12}}}}
	p := &model.Problem{Rules: &model.Rules{Pools: pools}}
	for k := range n {
		b := model.Buffer{ID: fmt.Sprint("d", k), Lower: r.Below(30), Size: r.Within(1, 40)}
		b.Upper = b.Lower + r.Within(1, 15)
		if r.Chance(0.3) {
			b.Extra = &model.Extra{Pools: []int32{int32(r.Below(2))}}
		}
		p.Buffers = append(p.Buffers, b)
	}
	pair := func() model.Pair {
		i := r.Below(int64(n))
		return model.Pair{int32(i), int32((i + r.Within(1, int64(n)-1)) % int64(n))}
	}
	for range n / 8 {
		p.Rules.Apart, p.Rules.MayOverlap = append(p.Rules.Apart, pair()), append(p.Rules.MayOverlap, pair())
	}
	for k := range n / 10 { // neighbours are one behind the other
		a, b := &p.Buffers[4*k], &p.Buffers[4*k+1]
		a.Extra, b.Extra = nil, nil
		tie := model.Together{Buffers: []int32{int32(4 * k), int32(4*k + 1)}, At: []int64{0, a.Size}}
		p.Rules.Together = append(p.Rules.Together, tie)
	}
	s := must.Get(Open(ctx, p, nil, o))(t)
	for pool := range int32(2) {
		_, plan := s.Snapshot()
		high := int64(0)
		for i, at := range plan.Offsets {
			if plan.Pools[i] == pool {
				high = max(high, at+p.Buffers[i].Size)
			}
		}
		must.Get(s.LimitPool(ctx, pool, max(high, 16)))(t)
	}
	return s
}

// fullest removes some buffers, and returns one that is hard to place.
func fullest(s *Session, seed uint64) model.Buffer {
	r := gen.NewRNG(seed, "fullest")
	sum := int64(0)
	for range 4 {
		b := s.p.Buffers[r.Below(int64(s.Len()))]
		sum += b.Size
		if err := s.Remove(b.ID); err != nil {
			panic(err)
		}
	}
	b := model.Buffer{ID: "new", Lower: r.Below(25), Size: max(1, sum*r.Within(5, 8)/16)}
	b.Upper = b.Lower + r.Within(4, 12)
	return b
}

// full opens sessions that just hold their buffers, and has a buffer that is hard to place.
var full = map[string]struct {
	open func(t *testing.T, seed uint64, n int) func(Options) (*Session, error)
	hard func(s *Session, seed uint64) model.Buffer
}{
	"plain": {func(t *testing.T, seed uint64, n int) func(Options) (*Session, error) {
		return reopen(draw(t, seed, n, Options{NodeLimit: 2000}))
	}, wide},
	"rules": {func(t *testing.T, seed uint64, n int) func(Options) (*Session, error) {
		return reopen(drawCrowd(t, seed, n, Options{NodeLimit: 2000}))
	}, fullest},
}

// TestCancel ends the context at each look of each step. A call that ends early changes nothing.
func TestCancel(t *testing.T) {
	for _, kind := range kinds {
		steps := map[Step]int{}
		for seed := range plantest.Share(uint64(50), 6) {
			open := full[kind].open(t, seed, 24)
			for last := Fit; last < Fresh; last++ { // the steps up to last are left out, all but fit
				for n := int64(0); n < 1000; n += 1 + n {
					s := must.Get(open(Options{NodeLimit: 2000}))(t)
					for step := Repair; step <= last; step++ {
						s.skip[step] = true
					}
					b := full[kind].hard(s, seed)
					if b.Size == 0 {
						break
					}
					before := s.state()
					a := must.Get(s.Add(run.EndAtLook(context.Background(), n), b))(t)
					if !a.Status.HasPlan() {
						if s.state() != before {
							t.Fatalf("%s, seed %d, look %d: %v, and changed something", kind, seed, n, a)
						}
						continue
					}
					p, plan := s.Snapshot()
					if report := verify.CheckPlan(p, plan); !report.OK() {
						t.Fatalf("%s, seed %d, look %d: %v", kind, seed, n, report.Violations)
					}
					steps[a.Step]++
				}
			}
		}
		for step := Fit; step <= Fresh; step++ {
			if steps[step] == 0 {
				t.Errorf("%s: no call ended with %v: %v", kind, step, steps)
			}
		}
		over, end := context.WithCancel(context.Background())
		end()
		s := must.Get(full[kind].open(t, 1, 24)(Options{}))(t)
		before := s.state()
		a, err := s.Add(over, model.Buffer{ID: "new", Upper: 1, Size: 1})
		if err != nil || a.Status != model.Unknown || s.state() != before {
			t.Error(kind, "a call whose context has ended:", a, err)
		}
	}
}

// TestSteps makes calls without some steps, each twice. What is left out is not taken, and the answers are the same.
func TestSteps(t *testing.T) {
	ctx := context.Background()
	for _, kind := range kinds {
		all := map[Step]int{}
		for seed := range plantest.Share(uint64(40), 3) {
			open := full[kind].open(t, seed, 24)
			for _, without := range [][]Step{nil, {Repair}, {Repair, Window}, {Fit, Repair, Window, Hints}} {
				var texts [2]string
				for k := range texts {
					s := must.Get(open(Options{Seed: seed, Without: without}))(t)
					r := gen.NewRNG(seed, "steps")
					for j := range 12 {
						i := r.Below(int64(s.Len()))
						a := must.Get(s.Resize(ctx, s.p.Buffers[i].ID, r.Within(1, 50)))(t)
						if slices.Contains(without, a.Step) {
							t.Fatalf("%s, seed %d: %v was left out", kind, seed, a.Step)
						}
						p, plan := s.Snapshot()
						if report := verify.CheckPlan(p, plan); !report.OK() {
							t.Fatalf("%s, seed %d: %v", kind, seed, report.Violations)
						}
						texts[k] += fmt.Sprint(j, a.Status, a.Step, a.Moved, a.Nodes, plan)
						if k == 0 {
							all[a.Step]++
						}
					}
				}
				if texts[0] != texts[1] {
					t.Fatalf("%s, seed %d: two answers", kind, seed)
				}
			}
		}
		for step := Keep; step <= Fresh; step++ {
			if all[step] == 0 {
				t.Errorf("%s: %v was never needed: %v", kind, step, all)
			}
		}
	}
}

// TestReplan: Replan never raises the plan, the lowest one is the lowest by brute force, and no step that is left out
// is taken.
func TestReplan(t *testing.T) {
	ctx := context.Background()
	for _, rules := range []*model.Rules{nil, {Pools: []model.Pool{{ID: "only"}}}} {
		lower := 0
		for seed := range plantest.Share(uint64(400), 50) {
			r := gen.NewRNG(seed, "replan")
			s := must.Get(Open(ctx, &model.Problem{Rules: rules}, nil, Options{}))(t)
			for k := range int64(6) {
				b := model.Buffer{ID: fmt.Sprint("r", k), Lower: r.Below(6), Size: r.Within(1, 5)}
				b.Upper = b.Lower + r.Within(1, 5)
				if r.Chance(0.2) {
					b.Alignment = r.Pick(2, 3)
				}
				var with Rules
				if rules != nil && k > 0 {
					with.Apart = [][2]string{{b.ID, fmt.Sprint("r", r.Below(k))}}
				}
				must.Get(s.PlaceWith(ctx, []model.Buffer{b}, with, None))(t)
			}
			for s.Len() > 4 {
				must.Do(t, s.Remove(s.p.Buffers[r.Below(int64(s.Len()))].ID))
			}
			before := s.Height()
			s.skip = [Fresh + 1]bool{Repair: true, Window: true, Hints: true, Fresh: true, Fit: true}
			if a, err := s.Replan(ctx, 0, None); err != nil || a.Step != Keep || s.Height() != before {
				t.Fatalf("seed %d: %v, %v, though all steps are left out", seed, a, err)
			}
			s.skip = [Fresh + 1]bool{}
			a, err := s.Replan(ctx, 0, None)
			if err != nil || a.Status != model.Feasible || (a.Moved.Buffers > 0) != (s.Height() < before) {
				t.Fatalf("seed %d: %v, %v, from %d to %d", seed, a, err, before, s.Height())
			}
			p, plan := s.Snapshot()
			if report := verify.CheckPlan(p, plan); !report.OK() || s.Capacity() != 0 || plan.Height > before {
				t.Fatal(report.Violations)
			}
			if plan.Height < before {
				lower++
			}
			q := *p
			if q.Capacity = plan.Height - 1; rules != nil {
				own := *p.Rules
				own.Pools = []model.Pool{{ID: "only", Capacity: plan.Height - 1}}
				q.Capacity, q.Rules = 0, &own
			}
			mine := slices.Repeat([]bool{true}, len(p.Buffers))
			_, _, exists, decided := oracle.Moved(&q, plan.Offsets, make([]int32, len(mine)), mine, func(int) int64 { return 1 })
			if plan.Height > 1 && (exists || !decided) {
				t.Fatalf("seed %d: height %d is not the lowest", seed, plan.Height)
			}
			a, err = s.Replan(ctx, plan.Height-1, None)
			if err != nil || plan.Height > 1 && a.Status != model.Infeasible || s.Capacity() != 0 {
				t.Fatalf("seed %d: %v, %v", seed, a, err)
			}
			if plan.Height > 1 {
				a, err = s.Replan(ctx, plan.Height, None)
				if err != nil || a.Status != model.Feasible || a.Step != Keep {
					t.Fatalf("seed %d: %v, %v", seed, a, err)
				}
			}
		}
		if lower < 5 {
			t.Errorf("only %d plans became lower", lower)
		}
	}
}

// TestRefusals has what a session with rules does not take, by name.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	two := []model.Buffer{{ID: "a", Upper: 2, Size: 1}, {ID: "b", Upper: 2, Size: 1}}
	pools := []model.Pool{{ID: "x", Capacity: 8}, {ID: "y", Capacity: 8}}
	costs := &model.Extra{Costs: []model.PoolCost{{Pool: 0, Cost: 3}}}
	evictions := &model.Extra{Evictions: []model.Eviction{{Lower: 2, Upper: 4, Cost: 1}}}
	priced := []model.Buffer{{ID: "a", Upper: 2, Size: 1, Extra: costs}}
	evicted := []model.Buffer{{ID: "a", Upper: 9, Size: 1, Extra: evictions}}
	penalties := []model.Penalty{{Buffers: model.Pair{0, 1}, Cost: 1}}
	for _, x := range []struct {
		p    model.Problem
		what string
	}{
		{model.Problem{Buffers: two, Rules: &model.Rules{Penalties: penalties}}, "penalties"},
		{
			model.Problem{Buffers: two, Rules: &model.Rules{Objective: []model.Measure{model.MeasureCost}}},
			`the objective "cost"`,
		},
		{model.Problem{Buffers: two, Rules: &model.Rules{Pools: []model.Pool{{ID: "x", Cost: 2}}}}, `the cost of pool "x"`},
		{model.Problem{Buffers: priced, Rules: &model.Rules{}}, `the costs of buffer "a"`},
		{model.Problem{Buffers: evicted, Rules: &model.Rules{}}, `the evictions of buffer "a"`},
	} {
		_, err := Open(ctx, &x.p, nil, Options{})
		if !errors.Is(err, ErrUnsupported) || !strings.HasSuffix(err.Error(), "it does not take "+x.what) {
			t.Errorf("%s: %v", x.what, err)
		}
	}
	input := func(what string, err error) {
		t.Helper()
		if _, bad := errors.AsType[*model.InputError](err); !bad {
			t.Errorf("%s: %v", what, err)
		}
	}
	p := &model.Problem{Buffers: two, Rules: &model.Rules{Pools: pools}}
	_, err := Open(ctx, p, nil, Options{Capacity: 9})
	input("a capacity beside pools", err)
	_, err = Open(ctx, p, []int64{0, 0}, Options{})
	input("offsets without pools", err)
	_, err = OpenPlan(ctx, p, &model.Plan{Offsets: []int64{0, 0}, Pools: []int32{1, 1}}, Options{})
	input("a plan with an overlap", err)
	s := must.Get(OpenPlan(ctx, p, &model.Plan{Offsets: []int64{0, 0}, Pools: []int32{0, 1}}, Options{}))(t)
	if pool, ok := s.PoolOf("b"); !ok || pool != 1 {
		t.Error("b is in pool", pool)
	}
	_, err = s.Limit(ctx, 8)
	input("a capacity of several pools", err)
	_, err = s.Replan(ctx, 8, None)
	input("a height of several pools", err)
	_, err = s.PinIn(ctx, "a", 2, 0)
	input("a pin in no pool", err)
	_, err = s.LimitPool(ctx, -1, 0)
	input("a capacity of no pool", err)
	_, err = s.Bind(ctx, Rules{Apart: [][2]string{{"a", "c"}}})
	input("a rule about a buffer that is not there", err)
	_, err = s.Unbind(ctx, Rules{Apart: [][2]string{{"a", "b"}}})
	input("a rule that is not there", err)
	if _, err := s.Replace(ctx, "a", func(b *model.Buffer) { b.Extra = costs }); !errors.Is(err, ErrUnsupported) {
		t.Error("a price later:", err)
	}
	plain := must.Get(Open(ctx, &model.Problem{}, nil, Options{}))(t)
	if _, err := plain.Bind(ctx, Rules{}); !errors.Is(err, ErrUnsupported) {
		t.Error("rules of a session without:", err)
	}
	ruled := model.Buffer{ID: "a", Upper: 1, Size: 1, Extra: &model.Extra{}}
	if _, err := plain.Add(ctx, ruled); !errors.Is(err, ErrUnsupported) {
		t.Error("a buffer with rules in a session without:", err)
	}
}

// TestChain plays what the documentation says of ties: the others stay tied, and what breaks a new rule moves.
func TestChain(t *testing.T) {
	ctx := context.Background()
	buffers := []model.Buffer{{ID: "a", Upper: 4, Size: 2}, {ID: "b", Upper: 4, Size: 2}, {ID: "c", Upper: 4, Size: 2}}
	at := []int64{0, 2}
	ties := []model.Together{{Buffers: []int32{0, 1}, At: at}, {Buffers: []int32{1, 2}, At: at}}
	rules := &model.Rules{Together: ties}
	s, err := Open(ctx, &model.Problem{Capacity: 8, Buffers: buffers, Rules: rules}, []int64{0, 2, 4}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, s.Remove("b"))
	a, err := s.Pin(ctx, "c", 6)
	if err != nil || a.Status != model.Feasible || a.Moved.Bytes != 2 || !a.Least {
		t.Fatal(a, err)
	}
	if _, at, _ := s.Buffer("a"); at != 2 {
		t.Errorf("a is at %d, not 4 bytes below c", at)
	}
}

// TestReplacePinned: a list of pools that Replace gives a pinned buffer is its list from then on, also if it is the
// pool of the pin.
func TestReplacePinned(t *testing.T) {
	ctx := context.Background()
	given := []int32{0}
	for _, x := range []struct {
		edit func(b *model.Buffer)
		want []int32
	}{
		{func(b *model.Buffer) { b.Fixed = nil }, nil},
		{func(b *model.Buffer) { b.Size = 1 }, nil},
		{func(b *model.Buffer) { b.Fixed = nil; setPools(b, given) }, given},
		{func(b *model.Buffer) { setPools(b, given) }, given},
		{func(b *model.Buffer) { b.Fixed = nil; b.Extra.Pools[0] = 1 }, []int32{1}},
		{func(b *model.Buffer) { b.Fixed, b.Extra = nil, nil }, nil},
	} {
		s := must.Get(Open(ctx, &model.Problem{
			Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 2}},
			Rules:   &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}},
		}, nil, Options{}))(t)
		if a, err := s.PinIn(ctx, "a", 0, 0); err != nil || a.Status != model.Feasible {
			t.Fatal(a, err)
		}
		if a, err := s.Replace(ctx, "a", x.edit); err != nil || a.Status != model.Feasible {
			t.Fatal(a, err)
		}
		must.Do(t, s.Unpin("a"))
		if p, _ := s.Snapshot(); !slices.Equal(allowedPools(&p.Buffers[0]), x.want) {
			t.Errorf("a may be in %v, not in %v", allowedPools(&p.Buffers[0]), x.want)
		}
	}
}

// TestAlignments: an alignment that is none, or has no common multiple with that of the session, is refused.
func TestAlignments(t *testing.T) {
	ctx := context.Background()
	for _, rules := range []*model.Rules{nil, {}} {
		s, err := Open(ctx, &model.Problem{Rules: rules}, nil, Options{Alignment: 1<<31 - 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, align := range []int64{0, 1, 1 << 10, 1<<31 - 1, 1 << 31, 1 << 60, model.MaxSum, -4, model.MaxSum + 1} {
			_, err := s.Fits(ctx, model.Buffer{ID: "a", Upper: 2, Size: 1, Alignment: align})
			if _, refused := errors.AsType[*model.InputError](err); refused != (align < 0 || align > 1<<31-1) {
				t.Errorf("alignment %d, rules %v: %v", align, rules, err)
			}
		}
		_, err = Open(ctx, &model.Problem{
			Rules: rules, Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 1, Alignment: 1 << 31}},
		}, nil, Options{Alignment: 1<<31 - 1})
		if _, refused := errors.AsType[*model.InputError](err); !refused {
			t.Error("open:", err)
		}
	}
}

// TestHighestPin: a pin may end at the largest number of bytes of a session, and not above it.
func TestHighestPin(t *testing.T) {
	for _, by := range []int64{0, 1} {
		at := mostBytes - 8 + by
		p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 8, Fixed: &at}}}
		s, err := Open(context.Background(), p, nil, Options{})
		if (err == nil) != (by == 0) {
			t.Errorf("a pin that ends at %d: %v", at+8, err)
		} else if err == nil && s.Height() != mostBytes {
			t.Errorf("the height is %d", s.Height())
		}
	}
}
