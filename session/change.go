package session

import (
	"context"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a call is a transaction. It edits the problem, then places what has no valid offset. If that fails, the
// journal undoes the edit.

// Add adds a buffer and places it. If the buffer has a hint, that offset is tried first; if it has a
// fixed offset, it is pinned there, and others may have to move.
//
// The error is for bad input: a buffer that is not valid, or an ID that is in use.
func (s *Session) Add(ctx context.Context, b model.Buffer) (Answer, error) {
	return s.Place(ctx, []model.Buffer{b}, s.o.Effort)
}

// Place adds several buffers, all of them or none. effort is the last step that the call may take.
func (s *Session) Place(ctx context.Context, buffers []model.Buffer, effort Step) (Answer, error) {
	if s.ruled != nil {
		return s.PlaceWith(ctx, buffers, Rules{}, effort)
	}
	return s.do(ctx, effort, true, func() ([]int32, error) { return s.addAll(buffers) })
}

// Fits says whether buffers can be added, and changes nothing. Feasible comes with their offsets; others
// may have to move for that, as Answer.Moved says. Infeasible comes with a proof. If the load decides,
// that takes O(log n) for each buffer.
func (s *Session) Fits(ctx context.Context, buffers ...model.Buffer) (Answer, error) {
	if s.ruled != nil {
		return s.FitsWith(ctx, buffers, Rules{})
	}
	return s.do(ctx, s.o.Effort, false, func() ([]int32, error) { return s.addAll(buffers) })
}

// addAll edits the problem: the buffers come.
func (s *Session) addAll(buffers []model.Buffer) ([]int32, error) {
	var issues model.Issues
	changed := make([]int32, 0, len(buffers))
	for _, b := range buffers {
		b = s.aligned(b)
		if err := s.check(&b); err != nil {
			if b.Extra != nil {
				return nil, err
			}
			issues.Join(err)
			continue
		}
		if _, taken := s.index[b.ID]; taken {
			issues.Add(model.Issue{Buffer: b.ID, Field: "id", Value: b.ID, Message: "is in the session already"})
			continue
		}
		if s.bytes+need(&b) > mostBytes {
			issues.Add(model.Issue{Buffer: b.ID, Field: "size", Value: strconv.FormatInt(b.Size, 10), Message: tooMuch})
			continue
		}
		b.Gaps = slices.Clone(b.Gaps)
		changed = append(changed, s.insert(b))
	}
	return changed, issues.Err()
}

// Remove removes a buffer, and all rules about it. The others stay where they are; those that were tied to it stay tied to one another. The error is for an ID that the session does not have.
func (s *Session) Remove(id string) error {
	if s.ruled != nil {
		return s.ruled.edit(func(d *draft) error { return d.remove(id) })
	}
	i, ok := s.index[id]
	if !ok {
		return unknown(id)
	}
	s.remove(i)
	s.forget()
	return nil
}

// Resize gives a buffer another size. It keeps its offset if it fits there.
func (s *Session) Resize(ctx context.Context, id string, size int64) (Answer, error) {
	return s.Replace(ctx, id, func(b *model.Buffer) { b.Size = size })
}

// Retime gives a buffer another lifespan [lower, upper). Its gaps must lie within it. The buffer keeps its
// offset if it fits there.
func (s *Session) Retime(ctx context.Context, id string, lower, upper int64) (Answer, error) {
	return s.Replace(ctx, id, func(b *model.Buffer) { b.Lower, b.Upper = lower, upper })
}

// Pin fixes a buffer at an offset. It never moves until Unpin. If others are in the way, they move; if these
// are pinned, the answer is Infeasible.
func (s *Session) Pin(ctx context.Context, id string, offset int64) (Answer, error) {
	if s.ruled != nil {
		pool, _ := s.PoolOf(id)
		return s.PinIn(ctx, id, pool, offset)
	}
	return s.Replace(ctx, id, func(b *model.Buffer) { b.Fixed = &offset })
}

// Unpin lets a buffer move again. It stays where it is for the moment.
func (s *Session) Unpin(id string) error {
	if s.ruled != nil {
		return s.ruled.edit(func(d *draft) error { return d.unpin(id) })
	}
	i, ok := s.index[id]
	if !ok {
		return unknown(id)
	}
	b := s.p.Buffers[i]
	b.Fixed = nil
	s.replace(i, b)
	s.forget()
	return nil
}

// Replace changes a buffer by any of its fields but the ID. edit gets a copy.
func (s *Session) Replace(ctx context.Context, id string, edit func(*model.Buffer)) (Answer, error) {
	if s.ruled != nil {
		return s.ruled.do(ctx, None, true, func(d *draft) error { return d.replace(id, edit) })
	}
	return s.do(ctx, s.o.Effort, true, func() ([]int32, error) {
		i, ok := s.index[id]
		if !ok {
			return nil, unknown(id)
		}
		old := &s.p.Buffers[i]
		b := *old
		b.Gaps = slices.Clone(b.Gaps)
		edit(&b)
		b.ID = id
		b = s.aligned(b)
		if err := s.check(&b); err != nil {
			return nil, err
		}
		if s.bytes-need(old)+need(&b) > mostBytes {
			return nil, fault(id, "size", b.Size, tooMuch)
		}
		s.replace(i, b)
		return []int32{i}, nil
	})
}

// Limit gives the session another capacity; 0 means that there is none. Buffers that end above it move, and
// count as moved.
func (s *Session) Limit(ctx context.Context, capacity int64) (Answer, error) {
	if capacity < 0 || capacity > model.MaxSum {
		return Answer{}, fault("", "capacity", capacity, "must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for none")
	}
	if s.ruled != nil {
		if n := len(s.ruled.p.Rules.Pools); n > 1 {
			return Answer{}, fault("", "capacity", capacity, "is for one pool; each of the "+strconv.Itoa(n)+" pools has its own: limit a pool")
		}
		return s.LimitPool(ctx, 0, capacity)
	}
	return s.do(ctx, s.o.Effort, true, func() ([]int32, error) {
		s.limit(capacity)
		return nil, nil
	})
}

// Replan looks for a plan of at most the given height. It moves as little as the steps up to effort find. height 0 means
// the lowest plan that they find. A plan that is not lower than the present one is not taken.
//
// Feasible says that the plan is at most height now. For height 0 it is always Feasible.
func (s *Session) Replan(ctx context.Context, height int64, effort Step) (Answer, error) {
	if height < 0 || height > model.MaxSum {
		return Answer{}, fault("", "height", height, "must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for the lowest")
	}
	if s.ruled != nil {
		return s.ruled.replan(ctx, height, effort)
	}
	if height == 0 {
		return s.lower(ctx, effort)
	}
	if height >= s.Height() {
		return Answer{Status: model.Feasible, Step: Keep, Least: true}, nil
	}
	capacity := s.p.Capacity
	return s.do(ctx, effort, true, func() ([]int32, error) {
		s.limit(height)
		return nil, nil
	}, func() { s.limit(capacity) })
}

// do is one call: edit, place, and undo if that fails. If keep is false, it always undoes. after edits what the call
// needed only for placing.
func (s *Session) do(ctx context.Context, effort Step, keep bool, edit func() ([]int32, error), after ...func()) (Answer, error) {
	if effort == None {
		effort = s.o.Effort
	}
	from := len(s.journal)
	changed, err := edit()
	if err != nil {
		s.undo(from)
		return Answer{}, err
	}
	c, done := s.begin(ctx, changed)
	a, err := c.place(effort)
	done()
	if a.Status == model.Feasible && err == nil {
		a.Offsets = make([]int64, len(changed))
		for k, i := range changed {
			a.Offsets[k] = s.at[i]
		}
	}
	if !keep || err != nil || a.Status != model.Feasible {
		s.undo(from)
		return a, err
	}
	for _, f := range after {
		f()
	}
	s.forget()
	return a, nil
}

// lower is Replan for the lowest plan.
func (s *Session) lower(ctx context.Context, effort Step) (Answer, error) {
	if effort == None {
		effort = s.o.Effort
	}
	total, best := Answer{Status: model.Feasible, Step: Keep}, s.Height()
	load, _ := s.load.peak()
	if best <= load || effort < Fit {
		total.Least = best <= load
		return total, nil
	}
	before := slices.Clone(s.at)
	capacity := s.p.Capacity
	// The local steps aim at the load, which no plan is below.
	a, err := s.do(ctx, min(effort, Window), true, func() ([]int32, error) {
		s.limit(load)
		return nil, nil
	}, func() { s.limit(capacity) })
	if err != nil || a.Status == model.Feasible {
		return a, err
	}
	total.Nodes = a.Nodes
	c, done := s.begin(ctx, nil)
	defer done()
	for step := Hints; step <= effort && s.Height() > load && !c.watch.Over(); step++ {
		r, err := c.all(s.planner, step == Hints, true, s.o.NodeLimit/2)
		if err != nil {
			return Answer{}, err
		}
		if r.Offsets == nil || c.watch.Over() || model.HeightOf(&s.p, r.Offsets) >= s.Height() {
			continue
		}
		from := len(s.journal)
		c.at = r.Offsets
		if _, err := c.take(step, Answer{}); err != nil {
			s.undo(from)
			return Answer{}, err
		}
		total.Step = step
	}
	c.old = before
	total.Moved, total.Nodes = c.movement(s.at), total.Nodes+c.nodes
	s.forget()
	return total, nil
}
