package session

import (
	"context"
	"fmt"
	"maps"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/model"
)

// Idea: a trace is a list of calls. The buffers that come first, with offsets, are the problem that the session opens
// with. A change that the session does not make leaves it without a buffer that the trace goes on with; later lines
// about that buffer are left out.
//
// A trace with groups opens a session with rules: the buffers of a group that are there are tied, and have one offset.

// Begin opens the session that a trace begins with: the capacity and alignment of its first line, if o has none, and the
// buffers that come before anything else and have offsets. rest are the operations after these. If the offsets are no valid
// plan, the error says why.
func Begin(ctx context.Context, t *trace.Trace, o Options) (s *Session, rest []trace.Op, err error) {
	if o.Capacity == 0 {
		o.Capacity = t.Capacity
	}
	if o.Alignment == 0 {
		o.Alignment = t.Alignment
	}
	p, offsets, first := &model.Problem{Name: t.Source}, []int64{}, 0
	for i := range t.Ops {
		op := &t.Ops[i]
		if op.Group != "" && p.Rules == nil {
			p.Rules = &model.Rules{}
		}
		if op.Slices != nil {
			return nil, nil, fmt.Errorf("%w: buffer %s has slices, which a session does not take", ErrUnsupported, op.ID)
		}
	}
	groups, tied := map[string]string{}, map[string]int{}
	for ; first < len(t.Ops) && t.Ops[first].Kind == trace.Add && t.Ops[first].Offset != nil; first++ {
		p.Buffers = append(p.Buffers, t.Ops[first].Buffer())
		offsets = append(offsets, *t.Ops[first].Offset)
		group := t.Ops[first].Group
		if group == "" {
			continue
		}
		groups[t.Ops[first].ID] = group
		k, there := tied[group]
		if !there {
			k = len(p.Rules.Together)
			tied[group] = k
			p.Rules.Together = append(p.Rules.Together, model.Together{})
		}
		p.Rules.Together[k].Buffers = append(p.Rules.Together[k].Buffers, int32(first))
	}
	if s, err = Open(ctx, p, offsets, o); err == nil && p.Ruled() {
		s.ruled.groups = groups
	}
	return s, t.Ops[first:], err
}

// A Player makes the calls of a trace.
type Player struct {
	Session *Session // that the calls are made of
	marks   map[string]markOf
	groups  map[string]string // the group of each buffer that has one
}

// A markOf is a mark of a trace, with the groups at that time.
type markOf struct {
	mark   Mark
	groups map[string]string
}

// NewPlayer returns a player of operations for a session.
func NewPlayer(s *Session) *Player {
	p := &Player{Session: s, marks: map[string]markOf{}, groups: map[string]string{}}
	if s.ruled != nil {
		maps.Copy(p.groups, s.ruled.groups)
	}
	return p
}

// rules returns what ties the buffer of an operation to its group.
func (p *Player) rules(op *trace.Op) (rules Rules) {
	if op.Group == "" {
		return rules
	}
	for id, group := range p.groups {
		if _, _, there := p.Session.Buffer(id); there && group == op.Group && (len(rules.Together) == 0 || id < rules.Together[0].Buffers[0]) {
			rules.Together = []Tie{{Buffers: []string{id, op.ID}}}
		}
	}
	return rules
}

// Play makes the call of an operation. made is false if there is nothing to call: the operation only tells what the
// recorder did, or the session lacks its buffer, since it did not make an earlier change.
func (p *Player) Play(ctx context.Context, op *trace.Op) (a Answer, made bool, err error) {
	s := p.Session
	_, now, there := s.Buffer(op.ID)
	switch op.Kind {
	case trace.Add:
		a, err = s.PlaceWith(ctx, []model.Buffer{op.Buffer()}, p.rules(op), None)
		if delete(p.groups, op.ID); op.Group != "" {
			p.groups[op.ID] = op.Group
		}
	case trace.Fits:
		a, err = s.FitsWith(ctx, []model.Buffer{op.Buffer()}, p.rules(op))
	case trace.Replan:
		a, err = s.Replan(ctx, op.Height, None)
	case trace.Mark:
		p.marks[op.ID] = markOf{s.Mark(), maps.Clone(p.groups)}
	case trace.Rollback:
		err = s.Rollback(p.marks[op.ID].mark)
		p.groups = p.marks[op.ID].groups
	case trace.Commit:
		err = s.Commit(p.marks[op.ID].mark)
	case trace.Request, trace.Result:
		return a, false, nil
	default:
		if !there {
			return a, false, nil
		}
		switch op.Kind {
		case trace.Remove:
			a, err = Answer{Status: model.Feasible, Step: Keep, Least: true}, s.Remove(op.ID)
		case trace.Resize:
			a, err = s.Resize(ctx, op.ID, op.Size)
		case trace.Retime:
			a, err = s.Retime(ctx, op.ID, op.Lower, op.Upper)
		case trace.Pin:
			at := now
			if op.Offset != nil {
				at = *op.Offset
			}
			a, err = s.Pin(ctx, op.ID, at)
		case trace.Unpin:
			a, err = Answer{Status: model.Feasible, Step: Keep, Least: true}, s.Unpin(op.ID)
		}
	}
	if err != nil && op.Line > 0 {
		err = fmt.Errorf("line %d: %w", op.Line, err)
	}
	return a, err == nil, err
}
