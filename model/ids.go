package model

import "hash/maphash"

// Idea: every run checks that IDs are distinct. The table is a hash table with open addressing.
// A slot has a part of the hash beside the index of the buffer, so two strings are compared only
// if that part is equal. That is 16 bytes a buffer.
//
// Measured (go test -bench IDs ./model): a million buffers take 0.2 s, with a map of strings 0.9 to
// 1.4 s; a hundred buffers take 4 µs, with a map 6 µs. A plan of a million buffers takes 0.5 s.
//
// Invariant: entries are never removed. A slot holds
//
//	upper half of the hash | index + 1    0 if it is free
//
// Complexity: O(1) expected for each buffer.

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

// add adds buffer i and returns i. If a buffer of the same ID was added before, add returns
// that one instead.
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
