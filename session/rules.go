package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a session whose problem has rules takes the same calls as any other, and the calls of this file. Rules name
// buffers by their IDs, since indices change when a buffer leaves. They are those of docs/memories.md that say where a
// buffer may lie: pools with their capacities, alignments and reserved ranges, allowed pools, ties, pairs, distances,
// clocks and periods.
//
// What has a price is refused: penalties, costs and evictions. A session follows a change with the least movement, and
// a price would ask for more movement whenever that pays. Solve plans such a problem.

// Rules are rules about buffers, by their IDs, as a trace has them: ties, pairs that are apart, pairs that may overlap,
// and distances. The zero value says nothing.
type Rules = trace.Rules

// A Tie has buffers that lie in one pool at fixed distances. It is model.Together by IDs.
type Tie = trace.Tie

// A Distance has two buffers that meet in one slot, and share bytes in it if they are far enough apart. It is
// model.Distance by IDs.
type Distance = trace.Distance

// OpenPlan is Open with a whole plan: offsets, and pools if the problem has several.
func OpenPlan(ctx context.Context, p *model.Problem, plan *model.Plan, o Options) (*Session, error) {
	if plan != nil && plan.Offsets == nil && p != nil && !p.Ruled() {
		plan = nil
	}
	return open(ctx, p, plan, o)
}

// PlaceWith is Place for buffers with rules, about them or any others. Both come, or neither.
func (s *Session) PlaceWith(ctx context.Context, buffers []model.Buffer, rules Rules, effort Step) (Answer, error) {
	return s.do(ctx, effort, true, func() ([]int32, error) { return s.addAll(buffers, rules) })
}

// FitsWith is Fits for buffers with rules. It changes nothing.
func (s *Session) FitsWith(ctx context.Context, buffers []model.Buffer, rules Rules) (Answer, error) {
	return s.do(ctx, None, false, func() ([]int32, error) { return s.addAll(buffers, rules) })
}

// Bind adds rules about buffers of the session. Buffers that do not keep them move, and count as moved.
func (s *Session) Bind(ctx context.Context, rules Rules) (Answer, error) {
	return s.changeRules(ctx, func() error {
		return s.editRules(func(e *ruleEdit) error { return e.bind(rules) })
	})
}

// Unbind takes rules out. Each buffer of a Tie leaves its body, and the others stay tied to one another; At means
// nothing. A pair goes in either order, and the bytes of a Distance mean nothing. Buffers that share bytes that they
// may share no longer move, and count as moved.
func (s *Session) Unbind(ctx context.Context, rules Rules) (Answer, error) {
	return s.changeRules(ctx, func() error {
		return s.editRules(func(e *ruleEdit) error { return e.unbind(rules) })
	})
}

// LimitPool gives a pool another capacity; 0 means that there is none. pool is an index into Rules.Pools. Buffers that
// end above it move, and count as moved.
func (s *Session) LimitPool(ctx context.Context, pool int32, capacity int64) (Answer, error) {
	return s.changeRules(ctx, func() error {
		if n := len(s.p.AllPools()); pool < 0 || int(pool) >= n {
			return fault("", "pool", int64(pool), fmt.Sprintf("there is no pool of this index; there are %d", n))
		}
		s.limit(pool, capacity)
		return nil
	})
}

// PinIn fixes a buffer at an offset of a pool, until Unpin. Pin does so in the pool that the buffer is in.
func (s *Session) PinIn(ctx context.Context, id string, pool int32, offset int64) (Answer, error) {
	if s.p.Rules == nil {
		return Answer{}, errPlain
	}
	return s.change(ctx, func() ([]int32, error) { return s.pin(id, pool, offset) })
}

// changeRules is a call that is about no buffer, of a session with rules.
func (s *Session) changeRules(ctx context.Context, edit func() error) (Answer, error) {
	if s.p.Rules == nil {
		return Answer{}, errPlain
	}
	return s.change(ctx, func() ([]int32, error) { return nil, edit() })
}

// PoolOf returns the pool of a buffer, as an index into Rules.Pools. It is 0 if there is one pool. ok is false if the
// session has no such buffer.
func (s *Session) PoolOf(id string) (pool int32, ok bool) {
	i, ok := s.index[id]
	if !ok {
		return 0, false
	}
	return s.poolOf(i), true
}

// RulesOf returns the rules of another problem as PlaceWith, FitsWith, Bind and Unbind take them. Its buffers are those
// of the call, or of the session by their IDs. A tie of a buffer with itself, at no distance, is a tie of one buffer,
// for Unbind.
//
// If the problem has pools, they have the IDs of the session's, in the same order. If it has a period, that is the
// session's. What has a price is refused. The allowed pools and clocks of its buffers stay in their Extra.
func (s *Session) RulesOf(p *model.Problem) (rules Rules, err error) {
	if !p.Ruled() {
		return rules, nil
	}
	if s.p.Rules == nil {
		return rules, errPlain
	}
	if err := pricedRules(p.Rules); err != nil {
		return rules, err
	}
	var issues model.Issues
	own, r := s.p.Rules, p.Rules
	if !slices.EqualFunc(r.Pools, own.Pools, func(a, b model.Pool) bool { return a.ID == b.ID }) && len(r.Pools) > 0 {
		issues.Say("pools", "", fmt.Sprintf("must have the names of the %d pools of the session, in their order",
			len(own.Pools)))
	}
	if r.Period != 0 && r.Period != own.Period {
		issues.Say("period", strconv.FormatInt(r.Period, 10),
			"must be that of the session, "+strconv.FormatInt(own.Period, 10))
	}
	there := func(field string, list ...int32) {
		for _, i := range list {
			if i < 0 || int(i) >= len(p.Buffers) {
				issues.Say(field, strconv.Itoa(int(i)),
					fmt.Sprintf("there is no buffer of this number; there are %d", len(p.Buffers)))
			}
		}
	}
	for _, t := range r.Together {
		there("together", t.Buffers...)
	}
	for _, x := range r.Apart {
		there("apart", x[:]...)
	}
	for _, x := range r.MayOverlap {
		there("may_overlap", x[:]...)
	}
	for _, x := range r.Distances {
		there("distances", x.Buffers[:]...)
	}
	if err := issues.Err(); err != nil {
		return rules, err
	}
	rules = trace.RulesOf(p)
	for k, t := range rules.Together {
		if len(t.Buffers) == 2 && t.Buffers[0] == t.Buffers[1] && (t.At == nil || t.At[0] == t.At[1]) {
			rules.Together[k] = Tie{Buffers: t.Buffers[:1]}
		}
	}
	return rules, nil
}

// errPlain means that a session without rules was asked about rules.
var errPlain = fmt.Errorf("%w: the session was opened without rules; give the problem Rules, which may be empty",
	ErrUnsupported)

// refused returns the error for a problem whose rules have a price.
func refused(p *model.Problem) error {
	if err := pricedRules(p.Rules); err != nil {
		return err
	}
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Extra != nil && len(b.Extra.Costs) > 0 {
			return priced("the costs of buffer " + strconv.Quote(b.ID))
		} else if b.MayLeave() {
			return priced("the evictions of buffer " + strconv.Quote(b.ID))
		}
	}
	return nil
}

// pricedRules is refused for the rules alone.
func pricedRules(r *model.Rules) error {
	if len(r.Penalties) > 0 {
		return priced("penalties")
	}
	if banks := r.BankRules(); len(banks) > 0 {
		return fmt.Errorf("%w: a session does not take %s; solve plans such a problem", ErrUnsupported, strings.Join(banks, " or "))
	}
	for _, m := range r.Objective {
		if m == model.MeasureCost || m == model.MeasurePenalty || m == model.MeasureEviction {
			return priced("the objective " + strconv.Quote(string(m)))
		}
	}
	for k := range r.Pools {
		if q := &r.Pools[k]; q.Cost > 0 {
			return priced("the cost of pool " + strconv.Quote(q.ID))
		}
	}
	return nil
}

// priced returns the error for what has a price.
func priced(what string) error {
	const why = "a session moves as little as it can, so it has no use for what a plan costs"
	return fmt.Errorf("%w: %s; it does not take %s", ErrUnsupported, why, what)
}

// checkRules returns what is wrong with the problem of a session with rules.
func (s *Session) checkRules() error {
	if s.p.Rules == nil {
		return nil
	}
	if err := model.Validate(&s.p); err != nil {
		return err
	}
	if err := refused(&s.p); err != nil {
		return err
	}
	pools := s.p.AllPools()
	var room int64
	for k := range pools {
		for _, r := range pools[k].Reserved {
			room = min(room+r.Upper, model.MaxSum)
		}
	}
	for _, t := range s.p.Rules.Together {
		for _, by := range t.At {
			room = min(room+max(by, -by), model.MaxSum)
		}
	}
	for i := range s.p.Buffers {
		b := &s.p.Buffers[i]
		step := int64(1)
		for k := range pools {
			if b.MayUse(int32(k)) {
				step = max(step, bound.LCM(b.Align(), max(pools[k].Alignment, 1), model.MaxSum))
			}
		}
		if room = min(room+b.Size, model.MaxSum) + step - 1; room > mostBytes {
			return fault(b.ID, "size", b.Size, tooMuch)
		}
		if err := s.o.suits(b); err != nil {
			return err
		}
	}
	return nil
}

// allowedPools returns the list of pools that a buffer may be in; nil for any.
func allowedPools(b *model.Buffer) []int32 {
	if b.Extra == nil {
		return nil
	}
	return b.Extra.Pools
}

// setPools sets that list. The buffer's Extra is its own.
func setPools(b *model.Buffer, pools []int32) {
	if b.Extra == nil {
		b.Extra = &model.Extra{}
	}
	if b.Extra.Pools = pools; pools == nil && b.Extra.Clocks == nil {
		b.Extra = nil
	}
}

// ownRules returns a copy of rules.
func ownRules(r *model.Rules) *model.Rules {
	if r == nil {
		return nil
	}
	c := *r
	c.Pools = slices.Clone(r.Pools)
	for k := range c.Pools {
		c.Pools[k].Reserved = slices.Clone(c.Pools[k].Reserved)
	}
	c.Together = slices.Clone(r.Together)
	for k := range c.Together {
		t := &c.Together[k]
		t.Buffers, t.At = slices.Clone(t.Buffers), slices.Clone(t.At)
	}
	c.Apart, c.MayOverlap = slices.Clone(r.Apart), slices.Clone(r.MayOverlap)
	c.Distances, c.Objective = slices.Clone(r.Distances), slices.Clone(r.Objective)
	return &c
}

// copied returns a buffer that shares nothing with b but what never changes.
func copied(b model.Buffer) model.Buffer {
	b.Gaps = slices.Clone(b.Gaps)
	if b.Fixed != nil {
		at := *b.Fixed
		b.Fixed = &at
	}
	if b.Hint != nil {
		at := *b.Hint
		b.Hint = &at
	}
	if b.Extra != nil {
		x := *b.Extra
		x.Pools = slices.Clone(x.Pools)
		if x.Clocks != nil {
			x.Clocks = &model.Clocks{Lower: slices.Clone(x.Clocks.Lower), Upper: slices.Clone(x.Clocks.Upper)}
		}
		b.Extra = &x
	}
	return b
}
