package session

import (
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: every change of a session goes through the five methods below. Each writes down how to undo its
// change. A call that fails undoes its own entries, and Rollback undoes those since a mark. This is the
// only file that undoes.
//
// Invariant: undoing the entries from the last to the first restores every field of the session: buffers
// and their indices, offsets, numbers, the load and the counters. The tree of the load has one shape for
// each set of times, so it is restored too.
//
// Complexity: O(log n) for each entry. Without a mark the journal is empty between calls.

// An action is what an entry undoes.
type action uint8

const (
	inserted action = iota // a buffer came, at the last index
	removed                // a buffer left
	replaced               // a buffer has another size, lifespan, alignment, pin or gaps
	moved                  // a buffer has another offset
	limited                // the capacity is another
)

// An entry undoes one change.
type entry struct {
	action action
	i      int32        // index of the buffer
	offset int64        // its old offset, or the old capacity
	number int64        // its number, if it left
	buffer model.Buffer // the old buffer, if it left or was replaced
}

// insert adds a buffer without an offset, and returns its index.
func (s *Session) insert(b model.Buffer) int32 {
	i := int32(len(s.at))
	s.append(b, away, s.next)
	s.next++
	s.journal = append(s.journal, entry{action: inserted})
	return i
}

// append puts a buffer at the last index.
func (s *Session) append(b model.Buffer, at, number int64) {
	s.index[b.ID] = int32(len(s.at))
	s.p.Buffers = append(s.p.Buffers, b)
	s.at = append(s.at, at)
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
}

// exchange exchanges the buffers at two indices.
func (s *Session) exchange(i, j int32) {
	b := s.p.Buffers
	b[i], b[j] = b[j], b[i]
	s.at[i], s.at[j] = s.at[j], s.at[i]
	s.life[i], s.life[j] = s.life[j], s.life[i]
	s.number[i], s.number[j] = s.number[j], s.number[i]
	s.index[b[i].ID], s.index[b[j].ID] = i, j
}

// remove takes a buffer out. The last buffer gets its index.
func (s *Session) remove(i int32) {
	s.journal = append(s.journal, entry{removed, i, s.at[i], s.number[i], s.p.Buffers[i]})
	s.exchange(i, int32(len(s.at)-1))
	s.drop()
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

// move gives a buffer another offset.
func (s *Session) move(i int32, offset int64) {
	if s.at[i] != offset {
		s.journal = append(s.journal, entry{action: moved, i: i, offset: s.at[i]})
		s.at[i] = offset
	}
}

// limit gives the session another capacity.
func (s *Session) limit(capacity int64) {
	s.journal = append(s.journal, entry{action: limited, offset: s.p.Capacity})
	s.p.Capacity = capacity
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
			s.append(e.buffer, e.offset, e.number)
			s.exchange(e.i, int32(len(s.at)-1))
		case replaced:
			s.put(e.i, e.buffer)
		case moved:
			s.at[e.i] = e.offset
		case limited:
			s.p.Capacity = e.offset
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
	if s.ruled != nil {
		return s.ruled.mark()
	}
	s.marked++
	s.marks = append(s.marks, mark{Mark(s.marked), len(s.journal)})
	return Mark(s.marked)
}

// Rollback returns to the state of a mark: buffers, offsets, capacity and the order of arrival. The mark
// and all later ones are gone then. The error is for a mark that is gone.
func (s *Session) Rollback(m Mark) error {
	if s.ruled != nil {
		return s.ruled.drop(m, true)
	}
	k, err := s.find(m)
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
	if s.ruled != nil {
		return s.ruled.drop(m, false)
	}
	k, err := s.find(m)
	if err != nil {
		return err
	}
	s.marks = s.marks[:k]
	s.forget()
	return nil
}

func (s *Session) find(m Mark) (int, error) {
	for k := len(s.marks) - 1; k >= 0; k-- {
		if s.marks[k].name == m {
			return k, nil
		}
	}
	return 0, gone(m, len(s.marks))
}

// gone is the error for a mark that is gone.
func gone(m Mark, left int) error {
	var issues model.Issues
	issues.Add(model.Issue{Field: "mark", Value: strconv.FormatInt(int64(m), 10), Message: fmt.Sprintf("is gone: %d marks are left", left)})
	return issues.Err()
}
