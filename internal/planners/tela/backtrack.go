package tela

import "math/bits"

// Idea: if all candidates of a point have failed, the search goes back to the latest point whose placement was a reason
// for a failure. The points between had no part in it.
//
// The candidates that just failed become the target's next candidates: they only came too late. The starved buffer goes
// in front of them, that is, the buffer that had no room after the first of them. No heuristic may ever have picked it.
//
// If a subtree takes too many backtracks, the search leaves it as a whole: the deepest point with such a subtree
// gives up its choice. The points above it then get as many backtracks again. Otherwise the next backtrack would
// leave the next of them at once.
//
// Invariant: a point's conflict set is points above it.
//
// Complexity: O(depth/64) a backtrack, O(depth) for a stuck one.
//
// Source: section 5.4 of the paper, which keeps only the reason of the last failure. The starved buffer is Stowage's.
//
// Trials: docs/lab/planners.md (conflict sets, more candidates and other limits solved fewer problems).

// backjump returns the point to go to from point d, whose candidates have all failed. It returns -1 if there is none.
func (s *search) backjump(d int32) int32 {
	s.total++
	s.limits.counters.Major++
	if d == 0 {
		return -1
	}
	p := &s.points[d]
	latest := p.conflict.last()
	t := d - 1
	if s.set.conflictSet && latest >= 0 {
		t = latest
	}
	if s.set.stuck {
		// The conflict set leaves the subtree of a later point anyway.
		if stuck := s.stuckPoint(d); stuck >= 0 && stuck < t {
			s.limits.counters.Stuck++
			t = stuck
		}
	}
	s.promote(p, &s.points[t], t)
	return t
}

// stuckPoint returns the deepest point above d whose subtree has had too many backtracks, or -1. It starts the count of
// that point, and of the points above it, again.
func (s *search) stuckPoint(d int32) int32 {
	t := d - 1
	for t >= 0 && s.total < s.points[t].patience {
		t--
	}
	for k := range t + 1 {
		s.points[k].patience = s.total + s.set.stuckAfter
	}
	return t
}

// promote puts the failed candidates and the starved buffer in front of the candidates that the target, point t, has
// not tried.
func (s *search) promote(failed, target *point, t int32) {
	s.untried = append(s.untried[:0], target.list[target.tried:]...)
	target.list = target.list[:target.tried]
	if j := failed.starved; s.set.starved && j >= 0 {
		s.list(target, j)
	}
	if s.set.promotion {
		for _, j := range failed.list {
			s.list(target, j)
		}
	}
	for _, j := range s.untried {
		s.list(target, j)
	}
}

// list adds a candidate to a point if the point may have more candidates and has not had this one.
func (s *search) list(p *point, j int32) {
	if s.takesMore(p) && !s.listed(p, j) {
		p.list = append(p.list, j)
	}
}

// takesMore reports whether a point has fewer candidates than it may have. Candidates that it has tried count only in a
// narrow tree (rounds.go). In other trees a promotion always finds room, so the search never goes to a point with
// nothing left to try.
func (s *search) takesMore(p *point) bool {
	held := len(p.list)
	if !s.set.narrow {
		held -= int(p.tried)
	}
	return held < s.set.candidates
}

// A pointSet is a set of points. It is only as long as its greatest point needs: a deep path has many sets, and few are
// used.
type pointSet []uint64

func (b *pointSet) clear() { *b = (*b)[:0] }

func (b *pointSet) add(t int32) {
	b.grow(int(t/64) + 1)
	(*b)[t/64] |= 1 << (t % 64)
}

func (b *pointSet) grow(words int) {
	for len(*b) < words {
		*b = append(*b, 0)
	}
}

func (b *pointSet) union(c pointSet) {
	b.grow(len(c))
	for w, x := range c {
		(*b)[w] |= x
	}
}

// last returns the greatest point, or -1 if the set is empty.
func (b *pointSet) last() int32 {
	for w := len(*b) - 1; w >= 0; w-- {
		if x := (*b)[w]; x != 0 {
			return int32(64*w + 63 - bits.LeadingZeros64(x))
		}
	}
	return -1
}
