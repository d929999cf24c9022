package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	tiny "github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// Idea: a naive session is lists of buffers and of rules by IDs. Random calls are made of both, without rules and with
// rules. Nothing is shared with the steps.

// A naive is a session as lists, in the order of arrival.
type naive struct {
	head    model.Problem // capacity, pools, threads, period; no rules if the session has none
	buffers []model.Buffer
	rules   Rules
	kept    map[string][]int32 // allowed pools from before Pin
	at      []int64
	pool    []int32
}

func (n *naive) clone() *naive {
	m := *n
	if n.head.Rules != nil {
		pools := *n.head.Rules
		pools.Pools = slices.Clone(pools.Pools)
		m.head.Rules = &pools
	}
	m.buffers, m.at, m.pool = slices.Clone(n.buffers), slices.Clone(n.at), slices.Clone(n.pool)
	m.rules = Rules{}
	m.rules.Join(n.rules)
	m.kept = map[string][]int32{}
	for id, pools := range n.kept {
		m.kept[id] = pools
	}
	return &m
}

func (n *naive) find(id string) int {
	return slices.IndexFunc(n.buffers, func(b model.Buffer) bool { return b.ID == id })
}

// problem returns the problem of the lists. ok is false if a rule names a buffer that is not there, or the problem is
// not valid.
func (n *naive) problem() (p *model.Problem, ok bool) {
	if n.head.Rules == nil {
		p = &model.Problem{Capacity: n.head.Capacity, Buffers: n.buffers}
		return p, model.Validate(p) == nil
	}
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
		pair := model.Pair{of(x.First), of(x.Second)}
		rules.Distances = append(rules.Distances, model.Distance{Buffers: pair, Distance: x.Bytes})
	}
	p = &model.Problem{Capacity: n.head.Capacity, Buffers: n.buffers, Rules: &rules}
	return p, ok && model.Validate(p) == nil
}

// groups returns the bodies with their distances: each buffer is reached from the first one by the lists, one step
// after the other.
func (n *naive) groups() (groups []Tie) {
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
func (n *naive) untie(id string) {
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
func (n *naive) drop(i int) {
	id := n.buffers[i].ID
	n.untie(id)
	has := func(x [2]string) bool { return x[0] == id || x[1] == id }
	n.rules.Apart, n.rules.MayOverlap = slices.DeleteFunc(n.rules.Apart, has), slices.DeleteFunc(n.rules.MayOverlap, has)
	far := func(x Distance) bool { return has([2]string{x.First, x.Second}) }
	n.rules.Distances = slices.DeleteFunc(n.rules.Distances, far)
	n.buffers, n.at, n.pool = slices.Delete(n.buffers, i, i+1), slices.Delete(n.at, i, i+1), slices.Delete(n.pool, i, i+1)
	delete(n.kept, id)
}

// same reports whether a session has the buffers and rules of the lists. Of ties it compares the bodies.
func same(t *testing.T, p *model.Problem, n *naive) bool {
	q, ok := n.problem()
	if !ok {
		t.Fatal("the naive session has no valid problem")
	}
	if len(p.Buffers)+len(q.Buffers) > 0 && !reflect.DeepEqual(p.Buffers, q.Buffers) || p.Capacity != q.Capacity {
		return false
	}
	if p.Rules == nil || q.Rules == nil {
		return p.Rules == nil && q.Rules == nil
	}
	bodies, offsets, _ := model.BodiesOf(p)
	others, wanted, _ := model.BodiesOf(q)
	if bodies == nil || others == nil { // nil means that each buffer is by itself
		none := func(body []int32) bool {
			return body == nil || !slices.ContainsFunc(body, func(i int32) bool { return body[i] != i }) &&
				len(slices.Compact(slices.Sorted(slices.Values(body)))) == len(body)
		}
		if !none(bodies) || !none(others) {
			return false
		}
	} else if !slices.Equal(bodies, others) || !slices.Equal(offsets, wanted) {
		return false
	}
	r, want := *p.Rules, *q.Rules
	pairs := slices.Equal(r.Apart, want.Apart) && slices.Equal(r.MayOverlap, want.MayOverlap)
	pools := len(r.Pools)+len(want.Pools) == 0 || reflect.DeepEqual(r.Pools, want.Pools)
	return pairs && pools && slices.Equal(r.Distances, want.Distances) && r.Threads == want.Threads &&
		r.Period == want.Period
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

// drawNaive draws a naive session: without buffers and rules, or with some.
func drawNaive(kind string, seed uint64) *naive {
	if kind == "plain" {
		return &naive{head: model.Problem{Capacity: 8}}
	}
	return naiveOf(drawRuled(seed))
}

// kinds are the kinds of naive sessions.
var kinds = []string{"plain", "rules"}

// empty returns the session without buffers and rules about them.
func (n *naive) empty() *naive { return &naive{head: n.head, kept: map[string][]int32{}} }

// naiveOf returns the lists of a problem with rules.
func naiveOf(p *model.Problem) *naive {
	head := *p.Rules
	rules := &model.Rules{Pools: head.Pools, Threads: head.Threads, Period: head.Period}
	n := &naive{head: model.Problem{Capacity: p.Capacity, Rules: rules}, buffers: p.Buffers}
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
		n.rules.Distances = append(n.rules.Distances,
			Distance{First: id(x.Buffers[0]), Second: id(x.Buffers[1]), Bytes: x.Distance})
	}
	n.at, n.pool = slices.Repeat([]int64{away}, len(p.Buffers)), make([]int32, len(p.Buffers))
	return n
}

// A change is one random call, made of a session and of a naive one.
type change struct {
	what string
	edit func(n *naive) (mine []string, ok bool)
	call func(ctx context.Context, s *Session) (Answer, error)
}

// drawBuffer draws a buffer for a problem like that of n.
func drawBuffer(r *gen.RNG, n *naive, id int64) model.Buffer {
	b := model.Buffer{ID: fmt.Sprint("n", id), Lower: r.Below(6), Size: r.Within(1, 4)}
	b.Upper = b.Lower + r.Within(1, 5)
	rules := n.head.Rules
	if rules == nil {
		rules = &model.Rules{}
	}
	if t := rules.Threads; t > 0 {
		lower, upper := make([]int64, t), make([]int64, t)
		for k := range lower {
			lower[k] = r.Below(4)
			upper[k] = lower[k] + r.Within(0, 3)
		}
		b.SetClocks(lower, upper)
	} else if r.Chance(0.2) {
		b.Gaps = r.Gaps(&b, 0.5)
	}
	if t := rules.Period; t > 0 {
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
	if n.head.Rules == nil && r.Chance(0.1) {
		at := r.Below(6) * b.Align()
		b.Fixed = &at
	}
	if k := int64(len(rules.Pools)); k > 1 && r.Chance(0.4) {
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

// drawRules draws one rule or two about the given IDs.
func drawRules(r *gen.RNG, ids []string) (rules Rules) {
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

// drawChange draws a call.
func drawChange(r *gen.RNG, n *naive, next *int64) change {
	var ids []string
	for _, b := range n.buffers {
		ids = append(ids, b.ID)
	}
	ids = append(ids, "absent")
	id := ids[r.Below(int64(len(ids)))]
	if r.Chance(0.8) && len(ids) > 1 {
		id = ids[r.Below(int64(len(ids)-1))]
	}
	edit := func(f func(b *model.Buffer)) func(n *naive) ([]string, bool) {
		return func(n *naive) ([]string, bool) {
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
	add := func(list []model.Buffer, rules Rules) func(n *naive) ([]string, bool) {
		return func(n *naive) (mine []string, ok bool) {
			for _, b := range list {
				n.buffers, n.at, n.pool = append(n.buffers, b), append(n.at, away), append(n.pool, 0)
				mine = append(mine, b.ID)
			}
			n.rules.Join(rules)
			return mine, true
		}
	}
	pools, kinds := int64(1), int64(16)
	if n.head.Rules == nil {
		kinds = 10
	} else {
		pools = int64(max(len(n.head.Rules.Pools), 1))
	}
	k := r.Below(kinds + 1)
	switch {
	case k == kinds: // remove, below
	case k < 3 && len(ids) < 7 || len(ids) < 3:
		*next++
		list := []model.Buffer{drawBuffer(r, n, *next)}
		if k == 0 && len(ids) < 6 {
			*next++
			list = append(list, drawBuffer(r, n, *next))
		}
		var rules Rules
		if n.head.Rules != nil && r.Chance(0.6) {
			rules = drawRules(r, append(slices.Clone(ids[:len(ids)-1]), list[len(list)-1].ID))
		}
		return change{"add", add(list, rules), func(ctx context.Context, s *Session) (Answer, error) {
			return s.PlaceWith(ctx, list, rules, None)
		}}
	case k < 5:
		size := r.Within(0, 6)
		f := func(b *model.Buffer) { b.Size = size }
		return change{"resize", edit(f), func(ctx context.Context, s *Session) (Answer, error) {
			return s.Resize(ctx, id, size)
		}}
	case k < 7:
		like := drawBuffer(r, n, 0)
		f := func(b *model.Buffer) {
			b.Lower, b.Upper, b.Gaps = like.Lower, like.Upper, like.Gaps
			if like.Extra != nil && like.Extra.Clocks != nil {
				b.SetClocks(like.Extra.Clocks.Lower, like.Extra.Clocks.Upper)
			}
		}
		return change{"retime", edit(f), func(ctx context.Context, s *Session) (Answer, error) {
			return s.Replace(ctx, id, f)
		}}
	case k == 7:
		at, pool := r.Below(7), int32(r.Below(pools))
		return change{"pin", func(n *naive) ([]string, bool) {
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
			if pools > 1 {
				n.kept[id] = may
				setPools(&b, []int32{pool})
			}
			n.buffers[i] = b
			return []string{id}, true
		}, func(ctx context.Context, s *Session) (Answer, error) {
			if n.head.Rules == nil {
				return s.Pin(ctx, id, at)
			}
			return s.PinIn(ctx, id, pool, at)
		}}
	case k == 8:
		return change{"unpin", func(n *naive) ([]string, bool) {
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
		return change{"limit", func(n *naive) ([]string, bool) {
			if n.head.Rules == nil || len(n.head.Rules.Pools) == 0 {
				n.head.Capacity = capacity
			} else {
				n.head.Rules.Pools[pool].Capacity = capacity
			}
			return nil, true
		}, func(ctx context.Context, s *Session) (Answer, error) {
			if n.head.Rules == nil {
				return s.Limit(ctx, capacity)
			}
			return s.LimitPool(ctx, pool, capacity)
		}}
	case k < 13:
		rules := drawRules(r, ids[:max(len(ids)-1, 1)])
		return change{"bind", add(nil, rules), func(ctx context.Context, s *Session) (Answer, error) {
			return s.Bind(ctx, rules)
		}}
	case k == 13:
		return drawUnbind(r, n)
	case k == 14 && pools > 1:
		pool := []int32{int32(r.Below(pools))}
		f := func(b *model.Buffer) { setPools(b, pool) }
		return change{"move", func(n *naive) ([]string, bool) {
			delete(n.kept, id)
			return edit(f)(n)
		}, func(ctx context.Context, s *Session) (Answer, error) { return s.Replace(ctx, id, f) }}
	}
	return change{"remove", func(n *naive) ([]string, bool) {
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
func drawUnbind(r *gen.RNG, n *naive) change {
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
	return change{"unbind", func(n *naive) ([]string, bool) {
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

// state returns all that a session has, but for scratch and the number of marks: as text, to compare.
func (s *Session) state() string {
	var times []string
	var walk func(k int32)
	walk = func(k int32) {
		if k > 0 {
			n := s.load.nodes[k]
			times = append(times, "(")
			walk(n.child[0])
			times = append(times, fmt.Sprint(n.time, n.ends, n.step, n.sum, n.peak))
			walk(n.child[1])
			times = append(times, ")")
		}
	}
	walk(s.load.root)
	text := ""
	for i := range s.p.Buffers {
		b := s.p.Buffers[i]
		text += fmt.Sprint(b.ID, b.Lower, b.Upper, b.Size, b.Alignment, value(b.Fixed), value(b.Hint), b.Gaps)
		text += fmt.Sprintf(" %d %d %d %d ", s.at[i], s.poolOf(int32(i)), s.life[i], s.number[i])
		if b.Extra != nil {
			text += fmt.Sprint(b.Extra.Pools, b.Extra.Clocks)
		}
	}
	if s.p.Rules != nil {
		text += fmt.Sprintf("%+v %v", *s.p.Rules, s.unpinned)
	}
	return fmt.Sprint(text, s.p.Name, s.p.Capacity, s.bytes, s.next, len(s.journal), s.marks, s.index, times)
}

func value(p *int64) any {
	if p == nil {
		return nil
	}
	return *p
}
