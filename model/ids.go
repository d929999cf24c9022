package model

import "hash/maphash"

// Idea: whether a million IDs are distinct is asked at each run, and a map of
// strings takes longer to make than a plan. A table of indices, open addressing,
// with a part of the hash beside each, is 16 bytes a buffer and compares two
// strings only where that part is equal.
//
// Invariant: entries are never removed; a slot holds the upper half of the
// hash and the index + 1, 0 where it is free.
//
// Complexity: O(1) expected a buffer.

// ids is a set of buffers with distinct IDs.
type ids struct {
	buffers []Buffer
	slots   []uint64
	seed    maphash.Seed
}

func newIDs(buffers []Buffer) *ids {
	size := 4
	for size < 2*len(buffers) {
		size *= 2
	}
	return &ids{buffers: buffers, slots: make([]uint64, size), seed: maphash.MakeSeed()}
}

// add adds buffer i and returns it, or the buffer of the same ID that was added
// before.
func (s *ids) add(i int) int {
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
