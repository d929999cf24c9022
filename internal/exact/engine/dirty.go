package engine

import (
	"math"
	"math/bits"
)

// Idea: the suffix bound and not-first can only find something in a section
// where a bound has changed since they last looked, or from which a buffer was
// taken: the section is dirty. And sections between which no unplaced piece
// begins or ends have the same unplaced pieces, so that only the first of such a
// run is ever looked at. Both are bit sets over the sections, and to mark what a
// buffer touches is to or the runs that begin in it into what is dirty, a word
// at a time.
//
// On the challenging suite half of the sections equal the one before them.
//
// Invariant: runs has the sections where edges is not zero; dirty is empty but
// from a placement to the end of the inferences from it.
//
// Complexity: O(sections of the buffer / 64) to mark.

// enter and leave count a piece that begins or ends at section s.
func (k *kernel) enter(s Section) {
	k.edges[s]++
	k.runs[s>>6] |= 1 << (s & 63)
}

func (k *kernel) leave(s Section) {
	if k.edges[s]--; k.edges[s] == 0 {
		k.runs[s>>6] &^= 1 << (s & 63)
	}
}

// mark makes the sections of [first, last) dirty in which a run begins.
func (k *kernel) mark(first, last Section) {
	low, high := first>>6, (last-1)>>6
	from, to := uint64(math.MaxUint64)<<(first&63), uint64(math.MaxUint64)>>(63-(last-1)&63)
	if low == high {
		k.dirty[low] |= k.runs[low] & from & to
		return
	}
	k.dirty[low] |= k.runs[low] & from
	for w := low + 1; w < high; w++ {
		k.dirty[w] |= k.runs[w]
	}
	k.dirty[high] |= k.runs[high] & to
}

// markAround is mark for what is placed: the run that its first section is in may
// begin before it.
func (k *kernel) markAround(first, last Section) {
	k.mark(first, last)
	if k.live[first] > 0 {
		s := k.runOf(first)
		k.dirty[s>>6] |= 1 << (s & 63)
	}
}

// runOf returns the first section of the run that s is in.
func (k *kernel) runOf(s Section) Section {
	w := s >> 6
	word := k.runs[w] & (math.MaxUint64 >> (63 - s&63))
	for word == 0 && w > 0 {
		w--
		word = k.runs[w]
	}
	return w<<6 + Section(63-bits.LeadingZeros64(word|1))
}
