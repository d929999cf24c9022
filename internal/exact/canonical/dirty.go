package canonical

import (
	"math"
	"math/bits"
)

// Idea: the suffix bound and not-first can find something new in a section only if a bound changed there since their
// last look, or if a buffer was taken out. Such a section is dirty. Consecutive sections between which no unplaced
// piece begins or ends have the same unplaced pieces. They are a run, and only the first section of a run is ever
// looked at. Both are bit sets over the sections. Marking the sections of a buffer is an "or" of the starts of runs
// into the dirty set, a word at a time.
//
// On the challenging suite half of the sections equal the one before them.
//
// Invariant: starts has exactly the sections where edges is not zero. dirty is empty except between a placement and
// the end of the inferences that follow it.
//
// Complexity: O(sections of the buffer / 64) to mark.

// runs has the runs of sections, and which of them are dirty.
type runs struct {
	edges  []int32  // per section: unplaced pieces that begin or end there
	starts []uint64 // the sections in which a run begins, as a bit set
	dirty  []uint64 // those of them that inference has to look at
}

func (r *runs) add(a *arrays) {
	a.counts.Add(a.m+1, &r.edges)
	a.words.Add(a.m/64+1, &r.starts, &r.dirty)
}

// reset counts the edges of all pieces.
func (r *runs) reset(pieces []span) {
	clear(r.edges)
	clear(r.starts)
	for x := range pieces {
		r.edges[pieces[x].first]++
		r.edges[pieces[x].last]++
	}
	for s, edges := range r.edges {
		if edges > 0 {
			r.starts[s>>6] |= 1 << (s & 63)
		}
	}
}

// enter and leave count a piece that begins or ends at section s.
func (r *runs) enter(s Section) {
	r.edges[s]++
	r.starts[s>>6] |= 1 << (s & 63)
}

func (r *runs) leave(s Section) {
	if r.edges[s]--; r.edges[s] == 0 {
		r.starts[s>>6] &^= 1 << (s & 63)
	}
}

// mark makes those sections of [first, last) dirty in which a run begins.
func (r *runs) mark(first, last Section) {
	low, high := first>>6, (last-1)>>6
	from, to := uint64(math.MaxUint64)<<(first&63), uint64(math.MaxUint64)>>(63-(last-1)&63)
	if low == high {
		r.dirty[low] |= r.starts[low] & from & to
		return
	}
	r.dirty[low] |= r.starts[low] & from
	for w := low + 1; w < high; w++ {
		r.dirty[w] |= r.starts[w]
	}
	r.dirty[high] |= r.starts[high] & to
}

// markAround is mark for a placed buffer. The run that contains its first section may begin before that section.
// live says whether an unplaced piece is left in the first section.
func (r *runs) markAround(first, last Section, live bool) {
	r.mark(first, last)
	if live {
		s := r.first(first)
		r.dirty[s>>6] |= 1 << (s & 63)
	}
}

// markAll makes every section dirty in which a run begins.
func (r *runs) markAll() { copy(r.dirty, r.starts) }

// clean makes all sections clean.
func (r *runs) clean() { clear(r.dirty) }

// take makes section s clean. It reports whether the section was dirty.
func (r *runs) take(s Section) bool {
	word, bit := &r.dirty[s>>6], uint64(1)<<(s&63)
	dirty := *word&bit != 0
	*word &^= bit
	return dirty
}

// takeFirst makes the first dirty section of [from, last) clean and returns it. It returns last if there is none.
func (r *runs) takeFirst(from, last Section) Section {
	for w := from >> 6; w<<6 < last; w++ {
		if rest := masked(r.dirty[w], int(w), int(from), int(last)); rest != 0 {
			r.dirty[w] &^= rest & -rest
			return w<<6 + Section(bits.TrailingZeros64(rest))
		}
	}
	return last
}

// takeLast makes the last dirty section of [first, to) clean and returns it. It returns a section before first if there
// is none.
func (r *runs) takeLast(first, to Section) Section {
	for w := (to - 1) >> 6; w >= first>>6; w-- {
		if rest := masked(r.dirty[w], int(w), int(first), int(to)); rest != 0 {
			b := 63 - Section(bits.LeadingZeros64(rest))
			r.dirty[w] &^= 1 << b
			return w<<6 + b
		}
	}
	return first - 1
}

// first returns the first section of the run that contains s.
func (r *runs) first(s Section) Section {
	w := s >> 6
	word := r.starts[w] & (math.MaxUint64 >> (63 - s&63))
	for word == 0 && w > 0 {
		w--
		word = r.starts[w]
	}
	return w<<6 + Section(63-bits.LeadingZeros64(word|1))
}
