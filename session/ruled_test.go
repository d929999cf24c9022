package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	tiny "github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: naive_test.go with rules. A naive session is lists of buffers and of rules by IDs. Random calls are made of
// both. Brute force judges each answer: whether a plan exists, and how little movement is enough.

// A naiveRuled is a session with rules as lists.
type naiveRuled struct {
	head    model.Problem // capacity, pools, threads, period
	buffers []model.Buffer
	rules   Rules
	kept    map[string][]int32 // allowed pools from before Pin
	at      []int64
	pool    []int32
}

func (n *naiveRuled) clone() *naiveRuled {
	m := *n
	pools := *n.head.Rules
	pools.Pools = slices.Clone(pools.Pools)
	m.head.Rules = &pools
	m.buffers, m.at, m.pool = slices.Clone(n.buffers), slices.Clone(n.at), slices.Clone(n.pool)
	m.rules = Rules{}
	m.rules.Join(n.rules)
	m.kept = map[string][]int32{}
	for id, pools := range n.kept {
		m.kept[id] = pools
	}
	return &m
}

func (n *naiveRuled) find(id string) int {
	return slices.IndexFunc(n.buffers, func(b model.Buffer) bool { return b.ID == id })
}

// problem returns the problem of the lists. ok is false if a rule names a buffer that is not there, or the problem is
// not valid.
func (n *naiveRuled) problem() (p *model.Problem, ok bool) {
	ok = true
	of := func(id string) int32 {
		i := n.find(id)
		ok = ok && i >= 0
		return int32(i)
	}
	rules := *n.head.Rules
	for _, t := range n.rules.Together {
		tie := model.Together{At: t.At}
		for _, id := range t.Buffers {
			tie.Buffers = append(tie.Buffers, of(id))
		}
		rules.Together = append(rules.Together, tie)
	}
	for _, x := range n.rules.Apart {
		rules.Apart = append(rules.Apart, model.Pair{of(x[0]), of(x[1])})
	}
	for _, x := range n.rules.MayOverlap {
		rules.MayOverlap = append(rules.MayOverlap, model.Pair{of(x[0]), of(x[1])})
	}
	for _, x := range n.rules.Distances {
		rules.Distances = append(rules.Distances, model.Distance{Buffers: model.Pair{of(x.First), of(x.Second)}, Distance: x.Bytes})
	}
	p = &model.Problem{Capacity: n.head.Capacity, Buffers: n.buffers, Rules: &rules}
	return p, ok && model.Validate(p) == nil
}

// groups returns the bodies with their distances: each buffer is reached from the first one by the lists, one step
// after the other.
func (n *naiveRuled) groups() (groups []Tie) {
	seen := map[string]bool{}
	for _, b := range n.buffers {
		at := map[string]int64{b.ID: 0}
		for grown := !seen[b.ID]; grown; {
			grown = false
			for _, t := range n.rules.Together {
				for i, x := range t.Buffers {
					for j, y := range t.Buffers {
						if _, there := at[y]; there {
							continue
						}
						from, there := at[x]
						if !there {
							continue
						}
						if t.At != nil {
							from += t.At[j] - t.At[i]
						}
						at[y], grown = from, true
					}
				}
			}
		}
		if seen[b.ID] || len(at) < 2 {
			continue
		}
		var g Tie
		for _, b := range n.buffers {
			if by, there := at[b.ID]; there {
				g.Buffers, g.At = append(g.Buffers, b.ID), append(g.At, by)
				seen[b.ID] = true
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// untie takes a buffer out of its body.
func (n *naiveRuled) untie(id string) {
	n.rules.Together = n.groups()
	for k := range n.rules.Together {
		t := &n.rules.Together[k]
		if i := slices.Index(t.Buffers, id); i >= 0 {
			t.Buffers, t.At = slices.Delete(slices.Clone(t.Buffers), i, i+1), slices.Delete(slices.Clone(t.At), i, i+1)
		}
	}
	n.rules.Together = slices.DeleteFunc(n.rules.Together, func(t Tie) bool { return len(t.Buffers) < 2 })
}

// drop takes a buffer out, with its rules.
func (n *naiveRuled) drop(i int) {
	id := n.buffers[i].ID
	n.untie(id)
	has := func(x [2]string) bool { return x[0] == id || x[1] == id }
	n.rules.Apart, n.rules.MayOverlap = slices.DeleteFunc(n.rules.Apart, has), slices.DeleteFunc(n.rules.MayOverlap, has)
	n.rules.Distances = slices.DeleteFunc(n.rules.Distances, func(x Distance) bool { return x.First == id || x.Second == id })
	n.buffers, n.at, n.pool = slices.Delete(n.buffers, i, i+1), slices.Delete(n.at, i, i+1), slices.Delete(n.pool, i, i+1)
	delete(n.kept, id)
}

// sameRuled reports whether a session has the buffers and rules of the lists. Of ties it compares the bodies.
func sameRuled(t *testing.T, p *model.Problem, n *naiveRuled) bool {
	q, ok := n.problem()
	if !ok {
		t.Fatal("the naive session has no valid problem")
	}
	bodies, offsets, _ := model.BodiesOf(p)
	others, wanted, _ := model.BodiesOf(q)
	if bodies == nil || others == nil { // nil means that each buffer is by itself
		none := func(body []int32) bool {
			return body == nil || !slices.ContainsFunc(body, func(i int32) bool { return body[i] != i }) && len(slices.Compact(slices.Sorted(slices.Values(body)))) == len(body)
		}
		if !none(bodies) || !none(others) {
			return false
		}
	} else if !slices.Equal(bodies, others) || !slices.Equal(offsets, wanted) {
		return false
	}
	r, want := *p.Rules, *q.Rules
	equal := slices.Equal(r.Apart, want.Apart) && slices.Equal(r.MayOverlap, want.MayOverlap) && slices.Equal(r.Distances, want.Distances)
	return equal && p.Capacity == q.Capacity && reflect.DeepEqual(p.Buffers, q.Buffers) && len(r.Pools) == len(want.Pools) &&
		(len(r.Pools) == 0 || reflect.DeepEqual(r.Pools, want.Pools)) && r.Threads == want.Threads && r.Period == want.Period
}

// drawRuled draws a problem that a session takes.
func drawRuled(seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 27))
	for {
		p := tiny.Ruled(r)
		for _, priced := range []string{"penalties", "costs", "evictions", "objective"} {
			p = tiny.Without(p, priced)
		}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			if x := b.Extra; x != nil && x.Pools == nil && x.Clocks == nil {
				b.Extra = nil
			}
			if len(b.Gaps) == 0 {
				b.Gaps = nil
			}
		}
		large := func(b model.Buffer) bool { return b.Size > 12 }
		if model.Validate(p) == nil && !slices.ContainsFunc(p.Buffers, large) {
			return p
		}
	}
}

// naiveOf returns the lists of a problem.
func naiveOf(p *model.Problem) *naiveRuled {
	head := *p.Rules
	n := &naiveRuled{head: model.Problem{Capacity: p.Capacity, Rules: &model.Rules{Pools: head.Pools, Threads: head.Threads, Period: head.Period}}, buffers: p.Buffers}
	id := func(i int32) string { return p.Buffers[i].ID }
	for _, t := range p.Rules.Together {
		tie := Tie{At: t.At}
		for _, i := range t.Buffers {
			tie.Buffers = append(tie.Buffers, id(i))
		}
		n.rules.Together = append(n.rules.Together, tie)
	}
	for _, x := range p.Rules.Apart {
		n.rules.Apart = append(n.rules.Apart, [2]string{id(x[0]), id(x[1])})
	}
	for _, x := range p.Rules.MayOverlap {
		n.rules.MayOverlap = append(n.rules.MayOverlap, [2]string{id(x[0]), id(x[1])})
	}
	for _, x := range p.Rules.Distances {
		n.rules.Distances = append(n.rules.Distances, Distance{First: id(x.Buffers[0]), Second: id(x.Buffers[1]), Bytes: x.Distance})
	}
	n.at, n.pool = slices.Repeat([]int64{away}, len(p.Buffers)), make([]int32, len(p.Buffers))
	return n
}

// A ruledChange is one random call, made of a session and of a naive one.
type ruledChange struct {
	what string
	edit func(n *naiveRuled) (mine []string, ok bool)
	call func(ctx context.Context, s *Session) (Answer, error)
}

// ruledBuffer draws a buffer for a problem like that of n.
func ruledBuffer(r *gen.RNG, n *naiveRuled, id int64) model.Buffer {
	b := model.Buffer{ID: fmt.Sprint("n", id), Lower: r.Below(6), Size: r.Within(1, 4)}
	b.Upper = b.Lower + r.Within(1, 5)
	if t := n.head.Rules.Threads; t > 0 {
		lower, upper := make([]int64, t), make([]int64, t)
		for k := range lower {
			lower[k] = r.Below(4)
			upper[k] = lower[k] + r.Within(0, 3)
		}
		b.SetClocks(lower, upper)
	} else if r.Chance(0.2) {
		b.Gaps = r.Gaps(&b, 0.5)
	}
	if t := n.head.Rules.Period; t > 0 {
		b.Lower %= t
		b.Upper, b.Gaps = min(b.Upper, b.Lower+t), nil
	}
	if r.Chance(0.2) {
		b.Alignment = r.Pick(2, 3)
	}
	if r.Chance(0.2) {
		at := r.Below(6)
		b.Hint = &at
	}
	if k := int64(len(n.head.Rules.Pools)); k > 1 && r.Chance(0.4) {
		if b.Extra == nil {
			b.Extra = &model.Extra{}
		}
		b.Extra.Pools = []int32{int32(r.Below(k))}
		if r.Chance(0.3) {
			at := r.Below(6) * b.Align()
			b.Fixed = &at
		}
	}
	return b
}

// ruledRules draws one rule or two about the given IDs.
func ruledRules(r *gen.RNG, ids []string) (rules Rules) {
	any := func() string { return ids[r.Below(int64(len(ids)))] }
	for range r.Within(1, 2) {
		pair := [2]string{any(), any()}
		switch r.Below(4) {
		case 0:
			rules.Apart = append(rules.Apart, pair)
		case 1:
			rules.MayOverlap = append(rules.MayOverlap, pair)
		case 2:
			rules.Distances = append(rules.Distances, Distance{First: pair[0], Second: pair[1], Bytes: r.Within(-3, 4)})
		default:
			t := Tie{Buffers: pair[:]}
			if r.Chance(0.6) {
				t.At = []int64{r.Below(3), r.Below(5)}
			}
			rules.Together = append(rules.Together, t)
		}
	}
	return rules
}

// drawRuledChange draws a call.
func drawRuledChange(r *gen.RNG, n *naiveRuled, next *int64) ruledChange {
	var ids []string
	for _, b := range n.buffers {
		ids = append(ids, b.ID)
	}
	ids = append(ids, "absent")
	id := ids[r.Below(int64(len(ids)))]
	if r.Chance(0.8) && len(ids) > 1 {
		id = ids[r.Below(int64(len(ids)-1))]
	}
	edit := func(f func(b *model.Buffer)) func(n *naiveRuled) ([]string, bool) {
		return func(n *naiveRuled) ([]string, bool) {
			i := n.find(id)
			if i < 0 {
				return nil, false
			}
			b := copied(n.buffers[i])
			f(&b)
			n.buffers[i] = b
			return []string{id}, true
		}
	}
	add := func(list []model.Buffer, rules Rules) func(n *naiveRuled) ([]string, bool) {
		return func(n *naiveRuled) (mine []string, ok bool) {
			for _, b := range list {
				n.buffers, n.at, n.pool = append(n.buffers, b), append(n.at, away), append(n.pool, 0)
				mine = append(mine, b.ID)
			}
			n.rules.Join(rules)
			return mine, true
		}
	}
	pools := int64(max(len(n.head.Rules.Pools), 1))
	switch k := r.Below(16); {
	case k < 3 && len(ids) < 7 || len(ids) < 3:
		*next++
		list := []model.Buffer{ruledBuffer(r, n, *next)}
		if k == 0 && len(ids) < 6 {
			*next++
			list = append(list, ruledBuffer(r, n, *next))
		}
		var rules Rules
		if r.Chance(0.6) {
			rules = ruledRules(r, append(slices.Clone(ids[:len(ids)-1]), list[len(list)-1].ID))
		}
		return ruledChange{"add", add(list, rules), func(ctx context.Context, s *Session) (Answer, error) {
			return s.PlaceWith(ctx, list, rules, None)
		}}
	case k < 5:
		size := r.Within(0, 6)
		return ruledChange{"resize", edit(func(b *model.Buffer) { b.Size = size }), func(ctx context.Context, s *Session) (Answer, error) {
			return s.Resize(ctx, id, size)
		}}
	case k < 7:
		like := ruledBuffer(r, n, 0)
		f := func(b *model.Buffer) {
			b.Lower, b.Upper, b.Gaps = like.Lower, like.Upper, like.Gaps
			if like.Extra != nil && like.Extra.Clocks != nil {
				b.SetClocks(like.Extra.Clocks.Lower, like.Extra.Clocks.Upper)
			}
		}
		return ruledChange{"retime", edit(f), func(ctx context.Context, s *Session) (Answer, error) { return s.Replace(ctx, id, f) }}
	case k == 7:
		at, pool := r.Below(7), int32(r.Below(pools))
		return ruledChange{"pin", func(n *naiveRuled) ([]string, bool) {
			i := n.find(id)
			if i < 0 {
				return nil, false
			}
			b := copied(n.buffers[i])
			may, pinned := n.kept[id]
			if !pinned {
				may = allowedPools(&b)
			}
			if b.Fixed = &at; may != nil && !slices.Contains(may, pool) {
				return nil, false
			}
			if len(n.head.Rules.Pools) > 1 {
				n.kept[id] = may
				setPools(&b, []int32{pool})
			}
			n.buffers[i] = b
			return []string{id}, true
		}, func(ctx context.Context, s *Session) (Answer, error) { return s.PinIn(ctx, id, pool, at) }}
	case k == 8:
		return ruledChange{"unpin", func(n *naiveRuled) ([]string, bool) {
			i := n.find(id)
			if i < 0 {
				return nil, false
			}
			b := copied(n.buffers[i])
			b.Fixed = nil
			if may, pinned := n.kept[id]; pinned {
				setPools(&b, may)
				delete(n.kept, id)
			}
			n.buffers[i] = b
			return nil, true
		}, func(_ context.Context, s *Session) (Answer, error) {
			return Answer{Status: model.Feasible, Step: Keep}, s.Unpin(id)
		}}
	case k == 9:
		pool, capacity := int32(r.Below(pools)), r.Within(4, 14)
		return ruledChange{"limit", func(n *naiveRuled) ([]string, bool) {
			if len(n.head.Rules.Pools) == 0 {
				n.head.Capacity = capacity
			} else {
				n.head.Rules.Pools[pool].Capacity = capacity
			}
			return nil, true
		}, func(ctx context.Context, s *Session) (Answer, error) { return s.LimitPool(ctx, pool, capacity) }}
	case k < 13:
		rules := ruledRules(r, ids[:max(len(ids)-1, 1)])
		return ruledChange{"bind", add(nil, rules), func(ctx context.Context, s *Session) (Answer, error) { return s.Bind(ctx, rules) }}
	case k == 13:
		return drawUnbind(r, n)
	case k == 14 && pools > 1:
		pool := []int32{int32(r.Below(pools))}
		f := func(b *model.Buffer) { setPools(b, pool) }
		return ruledChange{"move", func(n *naiveRuled) ([]string, bool) {
			delete(n.kept, id)
			return edit(f)(n)
		}, func(ctx context.Context, s *Session) (Answer, error) { return s.Replace(ctx, id, f) }}
	}
	return ruledChange{"remove", func(n *naiveRuled) ([]string, bool) {
		i := n.find(id)
		if i < 0 {
			return nil, false
		}
		n.drop(i)
		return nil, true
	}, func(_ context.Context, s *Session) (Answer, error) {
		return Answer{Status: model.Feasible, Step: Keep}, s.Remove(id)
	}}
}

// drawUnbind draws a call that takes a rule out.
func drawUnbind(r *gen.RNG, n *naiveRuled) ruledChange {
	var rules Rules
	switch k := r.Below(4); {
	case k == 0 && len(n.rules.Apart) > 0:
		rules.Apart = [][2]string{n.rules.Apart[r.Below(int64(len(n.rules.Apart)))]}
	case k == 1 && len(n.rules.MayOverlap) > 0:
		x := n.rules.MayOverlap[r.Below(int64(len(n.rules.MayOverlap)))]
		rules.MayOverlap = [][2]string{{x[1], x[0]}}
	case k == 2 && len(n.rules.Distances) > 0:
		rules.Distances = []Distance{n.rules.Distances[0]}
	case len(n.rules.Together) > 0:
		t := n.rules.Together[r.Below(int64(len(n.rules.Together)))]
		rules.Together = []Tie{{Buffers: t.Buffers[:1]}}
		if r.Chance(0.5) {
			rules.Together[0].Buffers = t.Buffers
		}
	default:
		rules.Apart = [][2]string{{"absent", "absent too"}}
	}
	return ruledChange{"unbind", func(n *naiveRuled) ([]string, bool) {
		is := func(a, b, c, d string) bool { return a == c && b == d || a == d && b == c }
		pairs := func(list [][2]string, gone [][2]string) [][2]string {
			return slices.DeleteFunc(list, func(x [2]string) bool {
				return slices.ContainsFunc(gone, func(y [2]string) bool { return is(x[0], x[1], y[0], y[1]) })
			})
		}
		if len(rules.Apart) > 0 && rules.Apart[0][0] == "absent" {
			return nil, false
		}
		n.rules.Apart, n.rules.MayOverlap = pairs(n.rules.Apart, rules.Apart), pairs(n.rules.MayOverlap, rules.MayOverlap)
		n.rules.Distances = slices.DeleteFunc(n.rules.Distances, func(x Distance) bool {
			return len(rules.Distances) > 0 && is(x.First, x.Second, rules.Distances[0].First, rules.Distances[0].Second)
		})
		for _, t := range rules.Together {
			for _, id := range t.Buffers {
				n.untie(id)
			}
		}
		return nil, true
	}, func(ctx context.Context, s *Session) (Answer, error) { return s.Unbind(ctx, rules) }}
}

// TestRuledAgainstBruteForce makes random calls of sessions with rules and of naive ones. Brute force knows each
// answer, and the least movement. STOWAGE_CASES=all makes more than 100,000 calls.
func TestRuledAgainstBruteForce(t *testing.T) {
	ctx := context.Background()
	seen, calls := map[string]int{}, 0
	for seed := range plantest.Share(uint64(9000), 90) {
		calls += ruledSeed(ctx, t, seed, seen)
	}
	t.Logf("%d calls: %v", calls, seen)
	for _, must := range []string{"keep", "fit", "repair", "refused", "unknown", "no by rules", "pools", "together", "apart", "may_overlap", "distances", "clocks", "period", "reserved", "gaps"} {
		if seen[must] < 5 {
			t.Errorf("%s came %d times: %v", must, seen[must], seen)
		}
	}
}

// ruledSeed makes the calls of one seed, and returns how many there were.
func ruledSeed(ctx context.Context, t *testing.T, seed uint64, seen map[string]int) (calls int) {
	r := gen.NewRNG(seed, "ruled")
	weight := plainly
	if seed%3 == 0 {
		weight = weighty
	}
	n := naiveOf(drawRuled(seed))
	o := Options{Weight: weight, Seed: seed}
	limited := seed%4 == 1 // by nodes, looks at the context, or the effort
	if limited {
		o.NodeLimit, o.Effort = r.Within(1, 3), Step(r.Within(int64(Keep), int64(Fresh)))
		o.Without = [][]Step{nil, {Repair}, {Keep, Window}, {Repair, Window}}[r.Below(4)]
	}
	p, _ := n.problem()
	s, err := Open(ctx, p, nil, o)
	if none, failed := errors.AsType[*NoPlanError](err); failed {
		best, _, decided := oracle.Ruled(p, 0)
		if decided && (best != nil && none.Answer.Status == model.Infeasible || best == nil && none.Answer.Status == model.Feasible) {
			t.Fatalf("seed %d: open says %v, brute force %v of %s", seed, none.Answer.Status, best, tiny.DescribeRuled(p))
		}
		// The session begins without the buffers, which come later by themselves.
		n.buffers, n.rules, n.at, n.pool = nil, Rules{}, nil, nil
		p, _ = n.problem()
		s, err = Open(ctx, p, nil, o)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	_, plan := s.Snapshot()
	copy(n.at, plan.Offsets)
	copy(n.pool, plan.Pools)
	next := int64(0)
	for range 20 {
		c := drawRuledChange(r, n, &next)
		m := n.clone()
		ids, ok := c.edit(m)
		q, valid := m.problem()
		ok = ok && valid
		before := s.state()
		within := ctx
		if limited && r.Chance(0.3) {
			within = run.EndAtLook(ctx, r.Below(60))
		}
		a, err := c.call(within, s)
		calls++
		if !ok || err != nil {
			if input, bad := errors.AsType[*model.InputError](err); ok || !bad || len(input.Issues) == 0 {
				t.Fatalf("seed %d, %s: %v, but the call is good: %v\n%s", seed, c.what, err, ok, tiny.DescribeRuled(q))
			}
			if s.state() != before {
				t.Fatalf("seed %d, %s: refused, and changed something", seed, c.what)
			}
			seen["refused"]++
			continue
		}
		mine := make([]bool, len(m.at))
		for _, id := range ids {
			mine[m.find(id)] = true
		}
		cost := func(i int) int64 { return m.buffers[i].Size * weight(&m.buffers[i]) }
		least, buffers, exists, decided := oracle.Moved(q, m.at, m.pool, mine, cost)
		if !decided {
			t.Fatalf("seed %d: too large for brute force", seed)
		}
		say := func(what string, more ...any) {
			t.Helper()
			t.Fatalf("seed %d, call %d, %s by %v: %s %v\nof %sat %v in %v", seed, calls, c.what, a.Step, what, more, tiny.DescribeRuled(q), m.at, m.pool)
		}
		if a.Status != model.Feasible {
			if s.state() != before {
				say("changed something")
			}
			if a.Status == model.Unknown && !limited {
				say("unknown")
			} else if a.Status == model.Infeasible && (exists || a.Proof == nil || a.Proof.String() == "") {
				say("infeasible, but a plan exists", a.Proof)
			}
			seen[map[model.Status]string{model.Unknown: "unknown", model.Infeasible: "no by rules"}[a.Status]]++
			continue
		}
		if !exists {
			say("a plan that brute force does not find")
		}
		p, plan := s.Snapshot()
		if !sameRuled(t, p, m) {
			say("another problem", tiny.DescribeRuled(p))
		}
		if report := verify.CheckPlan(p, plan); !report.OK() || !oracle.Legal(p, plan) {
			say("a bad plan", report.Violations)
		}
		old, oldPool := m.at, m.pool
		m.at, m.pool = plan.Offsets, make([]int32, len(plan.Offsets))
		copy(m.pool, plan.Pools)
		var moved Movement
		for i := range m.at {
			if b := &m.buffers[i]; !mine[i] && (m.at[i] != old[i] || m.pool[i] != oldPool[i]) {
				moved.add(cost(i), b)
			}
		}
		if moved != a.Moved {
			say("moved", moved, "says", a.Moved)
		}
		plain := c.what == "remove" || c.what == "unpin"
		if minimal := moved.Cost == least && moved.Buffers == buffers; !plain && (a.Least && !minimal || !a.Least && !limited) {
			m.at, m.pool = old, oldPool
			say("moved", moved, "least:", a.Least, "enough:", least, buffers)
		}
		for k, id := range ids {
			if i := m.find(id); a.Offsets[k] != m.at[i] || a.Pools != nil && a.Pools[k] != m.pool[i] {
				say("the answer has another place", a.Offsets, a.Pools)
			}
		}
		seen[a.Step.String()]++
		for _, f := range tiny.FeaturesOf(p) {
			seen[f]++
		}
		n = m
	}
	return calls
}
