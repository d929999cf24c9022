package traces

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/model"
)

// Idea: the base of an edit may have rules, and in a share of the steps a rule comes or goes. Such a step keeps a pair
// apart or lets it overlap, ties buffers, makes a buffer begin in the last slot of another with a distance between the
// two, makes two tied buffers come, shrinks or restores a capacity, or pins a buffer at a place of a pool.
//
// Invariant: the trace never contradicts itself. So a tie has no pinned buffer, no buffer that is tied already, and
// no pair that is apart, and a buffer with a distance is not retimed. A rule may still be impossible to keep. Then
// the session says so, and goes on without it.
//
// Complexity: O(n + rules) for a step.

// A rule is one that is in force: a tie, or a pair.
type rule struct {
	key string // as in the trace
	ids []string
}

// ruleKinds are the rules of pairs, by their keys.
const (
	tieRule      = "together"
	apartRule    = "apart"
	overlapRule  = "may_overlap"
	distanceRule = "distances"
)

// errPrices means that the base has what a session does not take.
var errPrices = fmt.Errorf("the base of an edit must have no penalties, costs and evictions, since a " +
	"session takes none")

// begin takes over the rules of the base: what the first line has of them.
func (e *editor) begin(p *model.Problem) error {
	r := p.Rules
	if r == nil {
		return nil
	}
	if len(r.Penalties)+len(r.Objective) > 0 {
		return errPrices
	}
	for k := range r.Pools {
		if r.Pools[k].Cost > 0 {
			return errPrices
		}
	}
	for i := range p.Buffers {
		if x := p.Buffers[i].Extra; x != nil && len(x.Costs)+len(x.Evictions) > 0 {
			return errPrices
		}
	}
	e.t.Pools, e.t.Threads, e.t.Period = r.Pools, r.Threads, r.Period
	e.t.Rules = trace.RulesOf(p)
	for _, t := range e.t.Rules.Together {
		e.rules = append(e.rules, rule{tieRule, t.Buffers})
	}
	for _, x := range e.t.Rules.Apart {
		e.rules = append(e.rules, rule{apartRule, x[:]})
	}
	for _, x := range e.t.Rules.MayOverlap {
		e.rules = append(e.rules, rule{overlapRule, x[:]})
	}
	for _, x := range e.t.Rules.Distances {
		e.rules = append(e.rules, rule{distanceRule, []string{x.First, x.Second}})
	}
	return nil
}

// has reports whether a rule with one of the keys names a buffer.
func (e *editor) has(id string, keys ...string) bool {
	return slices.ContainsFunc(e.rules,
		func(r rule) bool { return slices.Contains(keys, r.key) && slices.Contains(r.ids, id) })
}

// both reports whether a rule with one of the keys names both buffers.
func (e *editor) both(a, b string, keys ...string) bool {
	return slices.ContainsFunc(e.rules, func(r rule) bool {
		return slices.Contains(keys, r.key) && slices.Contains(r.ids, a) && slices.Contains(r.ids, b)
	})
}

// drop takes a buffer out of the rules. Those that stay tied stay so.
func (e *editor) drop(id string) {
	var left []rule
	for _, r := range e.rules {
		if slices.Contains(r.ids, id) {
			if r.ids = slices.DeleteFunc(slices.Clone(r.ids), func(x string) bool { return x == id }); r.key != tieRule ||
				len(r.ids) < 2 {
				continue
			}
		}
		left = append(left, r)
	}
	e.rules = left
}

// one returns a buffer that is there.
func (e *editor) one() *model.Buffer { return &e.live[e.r.Below(int64(len(e.live)))] }

// ruleStep draws a step with rules; if it would contradict others, nothing comes of it.
func (e *editor) ruleStep() {
	a, b := e.one(), e.one()
	switch k := e.r.Below(8); k {
	case 0, 1:
		key := []string{apartRule, overlapRule}[k]
		if a.ID != b.ID && !e.both(a.ID, b.ID, apartRule, overlapRule, tieRule) &&
			!(e.has(a.ID, tieRule) && e.has(b.ID, tieRule)) {
			e.bind(trace.Op{Kind: trace.Bind}, key, a, b)
		}
	case 2:
		if e.free(a) && e.free(b) && a.ID != b.ID && !e.both(a.ID, b.ID, apartRule) {
			e.bind(trace.Op{Kind: trace.Bind}, tieRule, a, b)
		}
	case 3:
		for j := range e.live {
			b := &e.live[j]
			if b.Lower == a.Upper-1 && a.ID != b.ID && e.t.Period == 0 && e.t.Threads == 0 && !e.both(a.ID, b.ID, distanceRule) {
				e.bind(trace.Op{Kind: trace.Bind}, distanceRule, a, b)
				break
			}
		}
	case 4:
		e.unbind()
	case 5:
		e.arrive(a)
	case 6:
		e.limit()
	case 7:
		e.pinIn(a)
	}
}

// free reports whether a buffer may be tied.
func (e *editor) free(b *model.Buffer) bool {
	return !e.has(b.ID, tieRule) && !slices.Contains(e.pinned, b.ID) && b.Fixed == nil
}

// bind adds an operation with a rule about two buffers.
func (e *editor) bind(op trace.Op, key string, a, b *model.Buffer) {
	pair := [2]string{a.ID, b.ID}
	switch key {
	case apartRule:
		op.Rules.Apart = append(op.Rules.Apart, pair)
	case overlapRule:
		op.Rules.MayOverlap = append(op.Rules.MayOverlap, pair)
	case distanceRule:
		by := e.r.Within(-a.Size/2, a.Size/2)
		op.Rules.Distances = append(op.Rules.Distances, trace.Distance{First: a.ID, Second: b.ID, Bytes: by - by%b.Align()})
	case tieRule:
		tie := trace.Tie{Buffers: pair[:]}
		if apart := a.Upper <= b.Lower || b.Upper <= a.Lower; !apart || e.r.Chance(0.5) {
			tie.At = []int64{0, (a.Size + b.Align() - 1) / b.Align() * b.Align()}
		}
		op.Rules.Together = append(op.Rules.Together, tie)
	}
	e.t.Ops = append(e.t.Ops, op)
	e.rules = append(slices.Clip(e.rules), rule{key, pair[:]})
}

// unbind takes a rule out.
func (e *editor) unbind() {
	if len(e.rules) == 0 {
		return
	}
	i := e.r.Below(int64(len(e.rules)))
	r := e.rules[i]
	op := trace.Op{Kind: trace.Unbind}
	pair := [2]string{r.ids[0], r.ids[1]}
	switch r.key {
	case tieRule:
		op.Rules.Together = []trace.Tie{{Buffers: r.ids[:1]}}
	case apartRule:
		op.Rules.Apart = [][2]string{pair}
	case overlapRule:
		op.Rules.MayOverlap = [][2]string{pair}
	case distanceRule:
		op.Rules.Distances = []trace.Distance{{First: pair[0], Second: pair[1]}}
	}
	e.t.Ops = append(e.t.Ops, op)
	e.rules = slices.Delete(slices.Clone(e.rules), int(i), int(i)+1)
	if r.key == tieRule && len(r.ids) > 2 {
		e.rules = append(e.rules, rule{tieRule, r.ids[1:]})
	}
}

// arrive makes a buffer come with a rule about another, or two that are tied.
func (e *editor) arrive(a *model.Buffer) {
	n, most := len(e.live), len(e.base)+len(e.base)/10
	count := 1 + int(e.r.Below(2))
	if n+count > most {
		return
	}
	key := []string{apartRule, overlapRule, distanceRule, tieRule}[e.r.Below(4)]
	if e.t.Threads+int(e.t.Period) > 0 && key == distanceRule || key == tieRule && count == 1 && !e.free(a) {
		key = overlapRule
	}
	var come []model.Buffer
	for k := range count {
		b := e.drawn(int64(k))
		if key == distanceRule && k == 0 {
			b.Lower, b.Upper = a.Upper-1, a.Upper-1+(b.Upper-b.Lower)
		}
		come = append(come, b)
	}
	other := *a
	if key == tieRule && count == 2 {
		other = come[1]
	}
	e.live = append(slices.Clip(e.live), come...)
	if slices.ContainsFunc(come, e.over) {
		e.live = e.live[:n]
		return
	}
	e.next += count
	op := trace.Op{Kind: trace.Place, Buffers: come}
	if b := &come[0]; count == 1 {
		op = trace.Op{Kind: trace.Add, ID: b.ID, Lower: b.Lower, Upper: b.Upper, Size: b.Size, Extra: b.Extra}
		if b.Alignment > 1 {
			op.Alignment = b.Alignment
		}
	}
	if key == distanceRule { // the one that is there ends in the first slot of the one that comes
		e.bind(op, key, &other, &come[0])
	} else {
		e.bind(op, key, &come[0], &other)
	}
}

// limit changes a capacity by up to a twentieth, or gives the first one back.
func (e *editor) limit() {
	pool, first, least := int32(-1), e.t.Capacity, int64(1)
	if len(e.t.Pools) > 0 {
		pool = int32(e.r.Below(int64(len(e.t.Pools))))
		first = e.t.Pools[pool].Capacity
		for _, x := range e.t.Pools[pool].Reserved {
			least = max(least, x.Upper)
		}
	}
	if first == 0 {
		return
	}
	op := trace.Op{Kind: trace.Limit, Capacity: first}
	if pool >= 0 {
		op.Pool = &pool
	}
	if k := slices.Index(e.limited, pool); k >= 0 {
		e.limited = slices.Delete(slices.Clone(e.limited), k, k+1)
	} else {
		op.Capacity = max(first-first/20+e.r.Below(first/10+1), least)
		e.limited = append(slices.Clip(e.limited), pool)
	}
	e.t.Ops = append(e.t.Ops, op)
}

// pinIn pins a buffer at a place of a pool.
func (e *editor) pinIn(b *model.Buffer) {
	if len(e.t.Pools) < 2 || !e.free(b) {
		return
	}
	pool := int32(e.r.Below(int64(len(e.t.Pools))))
	if x := b.Extra; x != nil && x.Pools != nil {
		pool = x.Pools[e.r.Below(int64(len(x.Pools)))]
	}
	q := &e.t.Pools[pool]
	step := b.Align() * max(q.Alignment, 1)
	room := cmp.Or(q.Capacity, 8*(step+b.Size))
	if room < b.Size {
		return
	}
	at := e.r.Below((room-b.Size)/step+1) * step
	e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Pin, ID: b.ID, Offset: &at, Pool: &pool})
	e.pinned = append(slices.Clip(e.pinned), b.ID)
	e.release()
}
