package session

import (
	"fmt"

	"github.com/stowage-go/stowage/model"
)

// Idea: every change of a session goes through the six methods insert, remove, replace, move, limit and rule. Each
// writes down how to undo its change. A call that fails undoes its own entries, and Rollback undoes those since a mark.
// This is the only file that undoes.
//
// Invariant: undoing the entries from the last to the first restores every field of the session: buffers and their
// indices, places, numbers, rules, the load and the counters. The tree of the load has one shape for each set of times,
// so it is restored too. An entry never changes what it holds: lists of rules are made anew if they change.
//
// Complexity: O(log n) for each entry, O(n) for one that removes a buffer with rules. Without a mark the journal is
// empty between calls.

// An action is what an entry undoes.
type action uint8

const (
	inserted action = iota // a buffer came, at the last index
	removed                // a buffer left
	replaced               // a buffer has another size, lifespan, alignment, pin or gaps
	moved                  // a buffer has another place
	limited                // a capacity is another
	reruled                // the rules are others
)

// An entry undoes one change.
type entry struct {
	action   action
	i        int32              // index of the buffer, or of the pool
	pool     int32              // its old pool
	offset   int64              // its old offset, or the old capacity
	number   int64              // its number, if it left
	buffer   model.Buffer       // the old buffer, if it left or was replaced
	rules    *model.Rules       // the old rules
	unpinned map[string][]int32 // and Session.unpinned with them
}

// insert adds a buffer without an offset, and returns its index.
func (s *Session) insert(b model.Buffer) int32 {
	i := int32(len(s.at))
	s.append(b, away, 0, s.next)
	s.next++
	s.journal = append(s.journal, entry{action: inserted})
	return i
}

// append puts a buffer at the last index.
func (s *Session) append(b model.Buffer, at int64, pool int32, number int64) {
	s.index[b.ID] = int32(len(s.at))
	s.p.Buffers = append(s.p.Buffers, b)
	s.at = append(s.at, at)
	if s.pool != nil {
		s.pool = append(s.pool, pool)
	}
	s.life = append(s.life, life{b.Lower, b.Upper})
	s.number = append(s.number, number)
	s.load.add(&b)
	s.bytes += need(&b)
}

// drop takes the buffer from the last index.
func (s *Session) drop() {
	last := len(s.at) - 1
	b := &s.p.Buffers[last]
	s.load.remove(b)
	s.bytes -= need(b)
	delete(s.index, b.ID)
	*b = model.Buffer{}
	s.p.Buffers, s.at, s.life, s.number = s.p.Buffers[:last], s.at[:last], s.life[:last], s.number[:last]
	if s.pool != nil {
		s.pool = s.pool[:last]
	}
}

// exchange exchanges the buffers at two indices.
func (s *Session) exchange(i, j int32) {
	b := s.p.Buffers
	b[i], b[j] = b[j], b[i]
	s.at[i], s.at[j] = s.at[j], s.at[i]
	if s.pool != nil {
		s.pool[i], s.pool[j] = s.pool[j], s.pool[i]
	}
	s.life[i], s.life[j] = s.life[j], s.life[i]
	s.number[i], s.number[j] = s.number[j], s.number[i]
	s.index[b[i].ID], s.index[b[j].ID] = i, j
}

// step returns how far from one another the indices are that a buffer passes on its way to the last index, or from it.
// Rules name buffers by their indices, in the order of arrival: so with rules the others keep their order.
func (s *Session) step(i int32) int32 {
	if s.p.Rules != nil {
		return 1
	}
	return max(1, int32(len(s.at)-1)-i)
}

// remove takes a buffer out. Without rules the last buffer gets its index.
func (s *Session) remove(i int32) {
	s.journal = append(s.journal, entry{
		action: removed, i: i, pool: s.poolOf(i), offset: s.at[i], number: s.number[i], buffer: s.p.Buffers[i],
	})
	for k, step := i, s.step(i); int(k) < len(s.at)-1; k += step {
		s.exchange(k, k+step)
	}
	s.drop()
}

// restore undoes remove.
func (s *Session) restore(e *entry) {
	s.append(e.buffer, e.offset, e.pool, e.number)
	for k, step := int32(len(s.at)-1), s.step(e.i); k > e.i; k -= step {
		s.exchange(k-step, k)
	}
}

// replace gives a buffer other properties. Its ID and its offset stay.
func (s *Session) replace(i int32, b model.Buffer) {
	s.journal = append(s.journal, entry{action: replaced, i: i, buffer: s.p.Buffers[i]})
	s.put(i, b)
}

func (s *Session) put(i int32, b model.Buffer) {
	old := &s.p.Buffers[i]
	s.load.remove(old)
	s.bytes += need(&b) - need(old)
	*old = b
	s.life[i] = life{b.Lower, b.Upper}
	s.load.add(old)
}

// move gives a buffer another place.
func (s *Session) move(i int32, offset int64, pool int32) {
	s.journal = append(s.journal, entry{action: moved, i: i, offset: s.at[i], pool: s.poolOf(i)})
	s.putAt(i, offset, pool)
}

func (s *Session) putAt(i int32, offset int64, pool int32) {
	s.at[i] = offset
	if s.pool != nil {
		s.pool[i] = pool
	}
}

// limit gives a pool another capacity.
func (s *Session) limit(pool int32, capacity int64) {
	room := s.capacityOf(pool)
	s.journal = append(s.journal, entry{action: limited, i: pool, offset: *room})
	*room = capacity
}

// capacityOf returns where the capacity of a pool is.
func (s *Session) capacityOf(pool int32) *int64 {
	if r := s.p.Rules; r != nil && len(r.Pools) > 0 {
		return &r.Pools[pool].Capacity
	}
	return &s.p.Capacity
}

// rule gives the session other rules, with the same pools, and other lists for Unpin.
func (s *Session) rule(rules *model.Rules, unpinned map[string][]int32) {
	s.journal = append(s.journal, entry{action: reruled, rules: s.p.Rules, unpinned: s.unpinned})
	s.p.Rules, s.unpinned = rules, unpinned
}

// undo undoes the entries from the given one on.
func (s *Session) undo(from int) {
	for k := len(s.journal) - 1; k >= from; k-- {
		e := &s.journal[k]
		switch e.action {
		case inserted:
			s.drop()
			s.next--
		case removed:
			s.restore(e)
		case replaced:
			s.put(e.i, e.buffer)
		case moved:
			s.putAt(e.i, e.offset, e.pool)
		case limited:
			*s.capacityOf(e.i) = e.offset
		case reruled:
			s.p.Rules, s.unpinned = e.rules, e.unpinned
		}
		*e = entry{}
	}
	s.journal = s.journal[:from]
}

// forget empties the journal if no mark needs it.
func (s *Session) forget() {
	if len(s.marks) > 0 {
		return
	}
	clear(s.journal)
	s.journal = s.journal[:0]
}

// A Mark is a state of the session to which Rollback returns.
type Mark int64

// A mark is a Mark with its place in the journal.
type mark struct {
	name Mark
	from int
}

// Mark remembers the present state. Until Commit or Rollback the session keeps what it needs to return there:
// memory for each change.
func (s *Session) Mark() Mark {
	s.marked++
	s.marks = append(s.marks, mark{Mark(s.marked), len(s.journal)})
	return Mark(s.marked)
}

// Rollback returns to the state of a mark: buffers, places, rules, capacities and the order of arrival. The mark
// and all later ones are gone then. The error is for a mark that is gone.
func (s *Session) Rollback(m Mark) error {
	k, err := s.markOf(m)
	if err != nil {
		return err
	}
	s.undo(s.marks[k].from)
	s.marks = s.marks[:k]
	return nil
}

// Commit drops a mark and all later ones, and keeps the changes. An earlier mark still returns to
// its own state. The error is for a mark that is gone.
func (s *Session) Commit(m Mark) error {
	k, err := s.markOf(m)
	if err != nil {
		return err
	}
	s.marks = s.marks[:k]
	s.forget()
	return nil
}

func (s *Session) markOf(m Mark) (int, error) {
	for k := len(s.marks) - 1; k >= 0; k-- {
		if s.marks[k].name == m {
			return k, nil
		}
	}
	return 0, fault("", "mark", int64(m), fmt.Sprintf("is gone: %d marks are left", len(s.marks)))
}
