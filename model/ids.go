package model

import (
	"hash/maphash"
	"sync"
)

// Idea: every run checks that IDs are distinct. Most tools end names in a number that counts. While these numbers rise,
// the IDs are distinct, whatever stands before the numbers. From the first ID that has no number or a lower one, all
// are in a hash table with open addressing. A slot has a part of the hash beside the index of the buffer, so two
// strings are compared only if that part is equal. That is 16 bytes a buffer.
//
// Trials: docs/lab/formats.md (a table is three times as fast as a map of strings, rising numbers 30 times).
//
// Invariant: entries are never removed. While there is no table, the numbers of the IDs that were added rise up to that
// of the last. A slot holds
//
//	upper half of the hash | index + 1    0 if it is free
//
// Complexity: O(1) expected for each buffer. A table of few buffers is used again.

// ids is a set of buffers with distinct IDs. Buffers are added in their order; those with an empty ID are left out.
type ids struct {
	buffers []Buffer
	added   int                // the buffers up to here were added, or are left out
	number  int64              // of the last that was added
	slots   []uint64           // nil while the numbers rise
	lent    *[tableMost]uint64 // what has the slots, if they are few
	seed    maphash.Seed
}

func newIDs(buffers []Buffer) *ids { return &ids{buffers: buffers, number: -1} }

// usedTables has tables of at most tableMost slots that nobody uses.
var usedTables sync.Pool

const tableMost = 1 << 12

// close ends the use of the set.
func (s *ids) close() {
	if s.slots != nil && len(s.slots) <= tableMost {
		usedTables.Put(s.lent)
	}
}

// add adds buffer i and returns i. If a buffer of the same ID was added before, add returns that one instead.
func (s *ids) add(i int) int {
	if s.slots == nil {
		if n := endNumber(s.buffers[i].ID); n > s.number {
			s.number, s.added = n, i+1
			return i
		}
		s.table()
	}
	return s.enter(i)
}

// endNumber returns the number in which an ID ends, up to 18 digits of it, or -1.
func endNumber(id string) int64 {
	n, unit := int64(-1), int64(1)
	for k := len(id) - 1; k >= 0 && k >= len(id)-18 && id[k] >= '0' && id[k] <= '9'; k-- {
		n, unit = max(n, 0)+int64(id[k]-'0')*unit, unit*10
	}
	return n
}

// table makes the table of those that were added.
func (s *ids) table() {
	size := 4
	for size < 2*len(s.buffers) {
		size *= 2
	}
	s.seed = maphash.MakeSeed()
	if size > tableMost {
		s.slots = make([]uint64, size)
	} else {
		if s.lent, _ = usedTables.Get().(*[tableMost]uint64); s.lent == nil {
			s.lent = new([tableMost]uint64)
		}
		s.slots = s.lent[:size]
		clear(s.slots)
	}
	for i := range s.added {
		if s.buffers[i].ID != "" {
			s.enter(i)
		}
	}
}

// enter is add for the table.
func (s *ids) enter(i int) int {
	h := maphash.String(s.seed, s.buffers[i].ID)
	const half = 1<<32 - 1
	for k := h & uint64(len(s.slots)-1); ; k = (k + 1) & uint64(len(s.slots)-1) {
		switch at := s.slots[k]; {
		case at == 0:
			s.slots[k] = h&^half | uint64(i+1)
			return i
		case at&^half == h&^half && s.buffers[at&half-1].ID == s.buffers[i].ID:
			return int(at&half - 1)
		}
	}
}
