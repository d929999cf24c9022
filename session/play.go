package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/model"
)

// Idea: a trace is a list of calls. Buffers with offsets that come first are the problem with which the session opens.
// If the session does not make a change, it lacks a buffer or a rule that later lines name; those lines are left out.
//
// A trace with rules opens a session with rules. So does one with groups: the buffers of a group that are there are
// tied, and have one offset.

// Begin opens the session that a trace begins with: the capacity and alignment of its first line, if o has none, its
// pools, clocks and rules, and the buffers that come before anything else and have offsets. rest are the operations
// after these. If the offsets are no valid plan, the error says why.
func Begin(ctx context.Context, t *trace.Trace, o Options) (s *Session, rest []trace.Op, err error) {
	if o.Capacity == 0 {
		o.Capacity = t.Capacity
	}
	if o.Alignment == 0 {
		o.Alignment = t.Alignment
	}
	for i := range t.Ops {
		if op := &t.Ops[i]; op.Slices != nil {
			return nil, nil, fmt.Errorf("%w: buffer %s has slices, which a session does not take", ErrUnsupported, op.ID)
		}
	}
	p, plan, first := &model.Problem{Name: t.Source}, &model.Plan{Offsets: []int64{}}, 0
	if t.Ruled() {
		p.Rules = &model.Rules{Pools: t.Pools, Threads: t.Threads, Period: t.Period}
	}
	rules, groups, tied := []Rules{t.Rules}, map[string]string{}, map[string]int{}
	for ; first < len(t.Ops) && t.Ops[first].Kind == trace.Add && t.Ops[first].Offset != nil; first++ {
		op := &t.Ops[first]
		p.Buffers = append(p.Buffers, op.Buffer())
		plan.Offsets = append(plan.Offsets, *op.Offset)
		if len(t.Pools) > 1 {
			pool := int32(0)
			if op.Pool != nil {
				pool = *op.Pool
			}
			plan.Pools = append(plan.Pools, pool)
		}
		rules = append(rules, op.Rules)
		group := op.Group
		if group == "" {
			continue
		}
		groups[op.ID] = group
		k, there := tied[group]
		if !there {
			k = len(p.Rules.Together)
			tied[group] = k
			p.Rules.Together = append(p.Rules.Together, model.Together{})
		}
		p.Rules.Together[k].Buffers = append(p.Rules.Together[k].Buffers, int32(first))
	}
	e := ruleEdit{p: p, index: map[string]int32{}}
	for i := range p.Buffers {
		e.index[p.Buffers[i].ID] = int32(i)
	}
	for k := range rules {
		if rules[k].None() {
			continue
		}
		if err := e.bind(rules[k]); err != nil {
			return nil, nil, err
		}
	}
	if s, err = OpenPlan(ctx, p, plan, o); err == nil {
		s.groups = groups
	}
	return s, t.Ops[first:], err
}

// A Player makes the calls of a trace.
type Player struct {
	Session *Session // that the calls are made of
	marks   map[string]markOf
	groups  map[string]string // the group of each buffer that has one
	missed  bool              // a change was not made, so the session may lack what the trace has
}

// A markOf is a mark of a trace, with the groups at that time.
type markOf struct {
	mark   Mark
	groups map[string]string
}

// NewPlayer returns a player of operations for a session.
func NewPlayer(s *Session) *Player {
	p := &Player{Session: s, marks: map[string]markOf{}, groups: map[string]string{}}
	maps.Copy(p.groups, s.groups)
	return p
}

// rules returns the rules of an operation, and what ties its buffer to its group.
func (p *Player) rules(op *trace.Op) Rules {
	if op.Group == "" {
		return op.Rules
	}
	var tie []Tie
	for id, group := range p.groups {
		if _, _, there := p.Session.Buffer(id); there && group == op.Group && (tie == nil || id < tie[0].Buffers[0]) {
			tie = []Tie{{Buffers: []string{id, op.ID}}}
		}
	}
	rules := op.Rules
	rules.Together = slices.Concat(rules.Together, tie)
	return rules
}

// lacks reports whether the session lacks a buffer that an operation is about.
func (p *Player) lacks(op *trace.Op) bool {
	var about []string
	switch op.Kind {
	case trace.Remove, trace.Resize, trace.Retime, trace.Pin, trace.Unpin:
		about = []string{op.ID}
	case trace.Add, trace.Fits, trace.Place, trace.Bind, trace.Unbind:
		if !op.Rules.None() {
			about = op.Rules.Names()
		}
	}
	return slices.ContainsFunc(about, func(id string) bool {
		_, _, there := p.Session.Buffer(id)
		comes := (op.Kind == trace.Add || op.Kind == trace.Fits) && id == op.ID
		return !there && !comes && !slices.ContainsFunc(op.Buffers, func(b model.Buffer) bool { return b.ID == id })
	})
}

// Play makes the call of an operation. made is false if there is nothing to call: the operation only tells what the
// recorder did, or the session lacks its buffer or rule, since it did not make an earlier change.
func (p *Player) Play(ctx context.Context, op *trace.Op) (a Answer, made bool, err error) {
	switch op.Kind {
	case trace.Request, trace.Result:
		return a, false, nil
	case trace.Mark:
		p.marks[op.ID] = markOf{p.Session.Mark(), maps.Clone(p.groups)}
		return a, true, nil
	case trace.Rollback:
		err = p.Session.Rollback(p.marks[op.ID].mark)
		p.groups = p.marks[op.ID].groups
	case trace.Commit:
		err = p.Session.Commit(p.marks[op.ID].mark)
	default:
		if p.lacks(op) {
			p.missed = true
			return a, false, nil
		}
		a, err = p.call(ctx, op)
		_, input := errors.AsType[*model.InputError](err)
		if op.Kind != trace.Fits && (err != nil || !a.Status.HasPlan()) {
			if p.missed && input { // with what the session lacks it would be none
				return Answer{}, false, nil
			}
			p.missed = true
		}
	}
	if err != nil && op.Line > 0 {
		err = fmt.Errorf("line %d: %w", op.Line, err)
	}
	return a, err == nil, err
}

// call makes the call of an operation whose buffers are there.
func (p *Player) call(ctx context.Context, op *trace.Op) (a Answer, err error) {
	s := p.Session
	done := Answer{Status: model.Feasible, Step: Keep, Least: true}
	switch op.Kind {
	case trace.Add:
		a, err = s.PlaceWith(ctx, []model.Buffer{op.Buffer()}, p.rules(op), None)
		if delete(p.groups, op.ID); op.Group != "" {
			p.groups[op.ID] = op.Group
		}
	case trace.Fits:
		a, err = s.FitsWith(ctx, []model.Buffer{op.Buffer()}, p.rules(op))
	case trace.Place:
		a, err = s.PlaceWith(ctx, op.Buffers, op.Rules, None)
	case trace.Bind:
		a, err = s.Bind(ctx, op.Rules)
	case trace.Unbind:
		a, err = s.Unbind(ctx, op.Rules)
	case trace.Replan:
		a, err = s.Replan(ctx, op.Height, None)
	case trace.Remove:
		a, err = done, s.Remove(op.ID)
	case trace.Resize:
		a, err = s.Resize(ctx, op.ID, op.Size)
	case trace.Retime:
		if op.Extra == nil || op.Extra.Clocks == nil {
			return s.Retime(ctx, op.ID, op.Lower, op.Upper)
		}
		clocks := *op.Extra.Clocks
		a, err = s.Replace(ctx, op.ID, func(b *model.Buffer) { b.SetClocks(clocks.Lower, clocks.Upper) })
	case trace.Limit:
		if op.Pool == nil {
			return s.Limit(ctx, op.Capacity)
		}
		a, err = s.LimitPool(ctx, *op.Pool, op.Capacity)
	case trace.Pin:
		_, at, _ := s.Buffer(op.ID)
		if op.Offset != nil {
			at = *op.Offset
		}
		if op.Pool == nil {
			return s.Pin(ctx, op.ID, at)
		}
		a, err = s.PinIn(ctx, op.ID, *op.Pool, at)
	case trace.Unpin:
		a, err = done, s.Unpin(op.ID)
	}
	return a, err
}
