package canonical

import (
	"math"
	"math/bits"
)

// Idea: the suffix bound and not-first can find something new in a section only if a bound changed there since
// their last look, or if a buffer was taken out. Such a section is dirty. Consecutive sections between which no
// unplaced piece begins or ends have the same unplaced pieces. They are a run, and only the first section of a
// run is ever looked at. Both are bit sets over the sections. To mark the sections of a buffer is to "or" the
// starts of runs into the dirty set, a word at a time.
//
// On the challenging suite half of the sections equal the one before them.
//
// Invariant: runs has exactly the sections where edges is not zero. dirty is empty except between a placement and
// the end of the inferences that follow it.
//
// Complexity: O(sections of the buffer / 64) to mark.

// enter and leave count a piece that begins or ends at section s.
func (k *Kernel) enter(s Section) {
	k.edges[s]++
	k.runs[s>>6] |= 1 << (s & 63)
}

func (k *Kernel) leave(s Section) {
	if k.edges[s]--; k.edges[s] == 0 {
		k.runs[s>>6] &^= 1 << (s & 63)
	}
}

// mark makes those sections of [first, last) dirty in which a run begins.
func (k *Kernel) mark(first, last Section) {
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

// markAround is mark for a placed buffer. The run that contains its first section may begin before that section.
func (k *Kernel) markAround(first, last Section) {
	k.mark(first, last)
	if k.live[first] > 0 {
		s := k.runOf(first)
		k.dirty[s>>6] |= 1 << (s & 63)
	}
}

// runOf returns the first section of the run that contains s.
func (k *Kernel) runOf(s Section) Section {
	w := s >> 6
	word := k.runs[w] & (math.MaxUint64 >> (63 - s&63))
	for word == 0 && w > 0 {
		w--
		word = k.runs[w]
	}
	return w<<6 + Section(63-bits.LeadingZeros64(word|1))
}
