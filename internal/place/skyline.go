package place

import "github.com/stowage-go/stowage/internal/lent"

// Idea: a planner that never looks into holes asks one question: what is the highest end of
// the placed buffers in these sections? A segment tree over the sections answers it.
//
// Invariant: top[k] is the highest end that Raise has set in any section of node k, at node k
// or below it. cover[k] is the highest end that Raise has set at node k, for all its sections.
//
// Complexity: O(log m) for a question and for a placement, for m sections.

// A Skyline knows the highest end in each section.
type Skyline struct {
	leaves     int
	top, cover []int64
}

// NewSkyline returns a skyline of height 0.
func NewSkyline(sections int) *Skyline {
	s := SkylineFrom(nil, sections)
	return &s
}

// SkylineFrom returns a skyline of height 0 in memory from a shelf. A nil shelf makes it.
func SkylineFrom(shelf *lent.Shelf[int64], sections int) Skyline {
	s := Skyline{leaves: 1}
	for s.leaves < sections {
		s.leaves *= 2
	}
	s.top, s.cover = shelf.Take(2*s.leaves), shelf.Take(2*s.leaves)
	return s
}

// Highest returns the highest end in the sections [first, last), or 0 if there is none.
func (s *Skyline) Highest(first, last int32) int64 {
	var high int64
	for l, h := int(first)+s.leaves, int(last)+s.leaves; l < h; l, h = l/2, h/2 {
		if l&1 == 1 {
			high = max(high, s.top[l])
			l++
		}
		if h&1 == 1 {
			h--
			high = max(high, s.top[h])
		}
	}
	// All nodes that lie above the nodes read also lie above one of the two outer leaves.
	for k := (int(first) + s.leaves) / 2; k >= 1; k /= 2 {
		high = max(high, s.cover[k])
	}
	for k := (int(last) - 1 + s.leaves) / 2; k >= 1; k /= 2 {
		high = max(high, s.cover[k])
	}
	return high
}

// Raise sets the end in each of the sections [first, last) to at least the given end.
func (s *Skyline) Raise(first, last int32, end int64) {
	low, high := int(first)+s.leaves, int(last)+s.leaves
	for l, h := low, high; l < h; l, h = l/2, h/2 {
		if l&1 == 1 {
			s.top[l], s.cover[l] = max(s.top[l], end), max(s.cover[l], end)
			l++
		}
		if h&1 == 1 {
			h--
			s.top[h], s.cover[h] = max(s.top[h], end), max(s.cover[h], end)
		}
	}
	for k := low / 2; k >= 1; k /= 2 {
		s.top[k] = max(s.top[k], end)
	}
	for k := (high - 1) / 2; k >= 1; k /= 2 {
		s.top[k] = max(s.top[k], end)
	}
}
