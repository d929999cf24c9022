package session

import (
	"context"
	"fmt"
	"maps"

	"github.com/stowage-go/stowage/model"
)

// Idea: a call is a transaction. It edits the problem, then places what has no valid place. If that fails, the
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
	return s.PlaceWith(ctx, buffers, Rules{}, effort)
}

// Fits says whether buffers can be added, and changes nothing. Feasible comes with their offsets; others
// may have to move for that, as Answer.Moved says. Infeasible comes with a proof. If the load decides,
// that takes O(log n) for each buffer.
func (s *Session) Fits(ctx context.Context, buffers ...model.Buffer) (Answer, error) {
	return s.FitsWith(ctx, buffers, Rules{})
}

// addAll edits the problem: buffers and rules come.
func (s *Session) addAll(buffers []model.Buffer, rules Rules) ([]int32, error) {
	if s.p.Rules == nil && !rules.None() {
		return nil, errPlain
	}
	var issues model.Issues
	changed := make([]int32, 0, len(buffers))
	for _, b := range buffers {
		b = aligned(copied(b), &s.o)
		if err := s.checkOne(&b); err != nil {
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
		if err := s.checkSum(&b, 0); err != nil {
			issues.Join(err)
			continue
		}
		changed = append(changed, s.insert(b))
	}
	if err := issues.Err(); err != nil || rules.None() {
		return changed, err
	}
	return changed, s.editRules(func(e *ruleEdit) error { return e.bind(rules) })
}

// Remove removes a buffer, and all rules about it. The others stay where they are; those that were tied to it stay tied
// to one another. The error is for an ID that the session does not have.
func (s *Session) Remove(id string) error {
	i, ok := s.index[id]
	if !ok {
		return unknown(id)
	}
	if s.p.Rules != nil {
		_ = s.editRules(func(e *ruleEdit) error {
			e.leave(i)
			return nil
		})
	}
	if _, pinned := s.unpinned[id]; pinned {
		s.remember(id, nil, false)
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
	pool, _ := s.PoolOf(id)
	return s.change(ctx, func() ([]int32, error) { return s.pin(id, pool, offset) })
}

// pin edits the problem: a buffer is fixed at an offset of a pool.
func (s *Session) pin(id string, pool int32, offset int64) ([]int32, error) {
	i, ok := s.index[id]
	if !ok {
		return nil, unknown(id)
	}
	if pools := len(s.p.AllPools()); pool < 0 || int(pool) >= pools {
		return nil, fault(id, "pool", int64(pool), fmt.Sprintf("there is no pool of this index; there are %d", pools))
	}
	b := copied(s.p.Buffers[i])
	pools, pinned := s.unpinned[id]
	if !pinned {
		pools = allowedPools(&b)
	}
	if may := (&model.Buffer{Extra: &model.Extra{Pools: pools}}); !may.MayUse(pool) {
		return nil, fault(id, "pool", int64(pool), "is "+s.p.AllPools()[pool].ID+", where the buffer may not be")
	}
	b.Fixed = &offset
	if s.pool != nil {
		setPools(&b, []int32{pool})
		s.remember(id, pools, true)
	}
	return s.replaceBy(i, b)
}

// remember notes the pools that a buffer may be in once it is unpinned, or forgets them.
func (s *Session) remember(id string, pools []int32, pinned bool) {
	lists := maps.Clone(s.unpinned)
	if lists == nil {
		lists = map[string][]int32{}
	}
	if delete(lists, id); pinned {
		lists[id] = pools
	}
	s.rule(s.p.Rules, lists)
}

// Unpin lets a buffer move again. It stays where it is for the moment.
func (s *Session) Unpin(id string) error {
	i, ok := s.index[id]
	if !ok {
		return unknown(id)
	}
	b := copied(s.p.Buffers[i])
	b.Fixed = nil
	if pools, pinned := s.unpinned[id]; pinned {
		setPools(&b, pools)
		s.remember(id, nil, false)
	}
	s.replace(i, b)
	s.forget()
	return nil
}

// Replace changes a buffer by any of its fields but the ID. edit gets a copy.
func (s *Session) Replace(ctx context.Context, id string, edit func(*model.Buffer)) (Answer, error) {
	return s.change(ctx, func() ([]int32, error) {
		i, ok := s.index[id]
		if !ok {
			return nil, unknown(id)
		}
		b := copied(s.p.Buffers[i])
		in := allowedPools(&b)
		edit(&b)
		b.ID = id
		// The list of a pinned buffer is that of Pin. One that the edit has given it, even with the same pool, is meant for
		// good.
		if pools, pinned := s.unpinned[id]; pinned {
			now := allowedPools(&b)
			left := len(now) == 1 && &now[0] == &in[0] && now[0] == s.p.Buffers[i].Extra.Pools[0]
			if left && b.Fixed == nil {
				setPools(&b, pools)
			}
			if !left || b.Fixed == nil {
				s.remember(id, nil, false)
			}
		}
		return s.replaceBy(i, copied(b))
	})
}

// replaceBy edits the problem: a buffer has other fields.
func (s *Session) replaceBy(i int32, b model.Buffer) ([]int32, error) {
	b = aligned(b, &s.o)
	if err := s.checkOne(&b); err != nil {
		return nil, err
	}
	if err := s.checkSum(&b, need(&s.p.Buffers[i])); err != nil {
		return nil, err
	}
	s.replace(i, b)
	return []int32{i}, nil
}

// Limit gives the session another capacity; 0 means that there is none. Buffers that end above it move, and
// count as moved.
func (s *Session) Limit(ctx context.Context, capacity int64) (Answer, error) {
	if capacity < 0 || capacity > model.MaxSum {
		return Answer{}, fault("", "capacity", capacity, mustBe("none"))
	}
	if n := len(s.p.AllPools()); n > 1 {
		return Answer{}, fault("", "capacity", capacity,
			fmt.Sprintf("is for one pool; each of the %d pools has its own: limit a pool", n))
	}
	return s.change(ctx, func() ([]int32, error) {
		s.limit(0, capacity)
		return nil, nil
	})
}

// Replan looks for a plan of at most the given height. It moves as little as the steps up to effort find. height 0
// means the lowest plan that they find. A plan that is not lower than the present one is not taken.
//
// Feasible says that the plan is at most height now. For height 0 it is always Feasible.
func (s *Session) Replan(ctx context.Context, height int64, effort Step) (Answer, error) {
	if height < 0 || height > model.MaxSum {
		return Answer{}, fault("", "height", height, mustBe("the lowest"))
	}
	if effort == None {
		effort = s.o.Effort
	}
	if height == 0 {
		return s.replanLowest(ctx, effort)
	}
	if s.pool != nil {
		return Answer{}, fault("", "height", height,
			"is for one pool; here each pool has a capacity of its own: limit a pool, or replan to height 0")
	}
	if height >= s.Height() {
		return Answer{Status: model.Feasible, Step: Keep, Least: true}, nil
	}
	return s.within(ctx, height, effort)
}

// within looks for a plan of at most the given height, and leaves the capacity as it is.
func (s *Session) within(ctx context.Context, height int64, effort Step) (Answer, error) {
	capacity := s.Capacity()
	return s.do(ctx, effort, true, func() ([]int32, error) {
		s.limit(0, height)
		return nil, nil
	}, func() { s.limit(0, capacity) })
}

// change is a call that lasts, with the effort of the session.
func (s *Session) change(ctx context.Context, edit func() ([]int32, error)) (Answer, error) {
	return s.do(ctx, None, true, edit)
}

// do is one call: edit, place, and undo if that fails. If lasts is false, it always undoes. after edits what the call
// needed only for placing.
func (s *Session) do(
	ctx context.Context, effort Step, lasts bool, edit func() ([]int32, error), after ...func(),
) (Answer, error) {
	if effort == None {
		effort = s.o.Effort
	}
	from := len(s.journal)
	s.named = s.named[:0]
	changed, err := edit()
	if err == nil {
		err = s.checkRules()
	}
	if err != nil {
		s.undo(from)
		return Answer{}, err
	}
	c, done := s.begin(ctx, changed)
	a, err := c.place(effort)
	done()
	if a.Status == model.Feasible && err == nil {
		a.Offsets = make([]int64, 0, len(changed))
		if s.pool != nil {
			a.Pools = make([]int32, 0, len(changed))
		}
		for _, i := range changed {
			if a.Offsets = append(a.Offsets, s.at[i]); s.pool != nil {
				a.Pools = append(a.Pools, s.pool[i])
			}
		}
	}
	if !lasts || err != nil || a.Status != model.Feasible {
		s.undo(from)
		return a, err
	}
	for _, f := range after {
		f()
	}
	s.forget()
	return a, nil
}

// replanLowest is Replan for the lowest plan.
func (s *Session) replanLowest(ctx context.Context, effort Step) (Answer, error) {
	total := Answer{Status: model.Feasible, Step: Keep}
	floor := s.floor()
	if total.Least = s.Height() <= floor; total.Least || effort < Fit {
		return total, nil
	}
	if floor > 0 { // the local steps aim at it
		a, err := s.within(ctx, floor, min(effort, Window))
		if err != nil || a.Status == model.Feasible {
			return a, err
		}
		total.Nodes = a.Nodes
	}
	from := len(s.journal)
	c, done := s.begin(ctx, nil)
	defer done()
	for step := Hints; step <= effort && s.Height() > floor && !c.watch.Over(); step++ {
		if s.skip[step] {
			continue
		}
		p, _, err := c.lowest(step == Hints, s.o.NodeLimit/2)
		if err == nil && p.at != nil && !c.watch.Over() && s.heightOf(p) < s.Height() {
			_, err = c.adopt(step, Answer{}, p)
			total.Step = step
		}
		if err != nil {
			s.undo(from)
			return Answer{}, err
		}
	}
	total.Moved, total.Nodes = c.movement(placing{s.at, s.pool}), total.Nodes+c.nodes
	s.forget()
	return total, nil
}

// floor returns a height that no plan is below; -1 if none is known. Rules may let a plan stay below the load.
func (s *Session) floor() int64 {
	if s.p.Rules != nil {
		return -1
	}
	load, _ := s.load.peak()
	return load
}
