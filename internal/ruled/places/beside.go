package places

import (
	"cmp"
	"slices"
)

// Idea: two bodies that may only be in the same pool, and conflict, have places beside each other if for some
// allowed range [low, high] of distances there are places a of the first and b of the second with
//
//	low <= a - b <= high
//
// The outer ranges have no end, so the extremes decide: the highest a less the lowest b, and the other way round. They
// decide for most pairs, even without knowing who conflicts. A range between two forbidden ranges is tried place by
// place, for the body with fewer places.
//
// Invariant: two bodies are a fault only if every pair of their places is forbidden.
//
// Complexity: O(n log n) for the bodies of a pool, and O(1) for each two whose extremes are too close. mostTried
// places of a body.

// mostTried is the most places of a body that are tried one by one. A body with more places counts as having room.
const mostTried = 1 << 12

// beside looks for two bodies that have no places beside each other.
func (s *Sets) beside() {
	in := make([][]int32, len(s.pools)) // the bodies that may only be in a pool
	for k := range s.bodies {
		b := &s.bodies[k]
		some, pool := 0, 0
		for q := range b.in {
			if len(b.in[q].spans) > 0 {
				some, pool = some+1, q
			}
		}
		if some == 1 && !b.in[pool].open && !b.done {
			in[pool] = append(in[pool], int32(k))
		}
	}
	for q := range in {
		last := func(k int32) int64 { x := s.bodies[k].in[q].spans; return x[len(x)-1].last }
		first := func(k int32) int64 { return s.bodies[k].in[q].spans[0].first }
		slices.SortStableFunc(in[q], func(a, b int32) int { return cmp.Compare(last(a), last(b)) })
		for _, b := range in[q] {
			for _, a := range in[q] {
				if last(a) >= first(b)+s.bodies[b].end {
					break // a, and all after it, have room above b
				}
				if s.effort--; s.effort < 0 {
					return
				}
				if a < b && last(b) < first(a)+s.bodies[a].end && !s.compatible(a, b, int32(q)) {
					s.fault = &fault{a, b, int32(q)}
					return
				}
			}
		}
	}
}

// compatible reports whether two bodies may have places beside each other in a pool.
func (s *Sets) compatible(k, m, pool int32) bool {
	a, b := &s.bodies[k], &s.bodies[m]
	var bans []span // open ranges of origin of a - origin of b
	for _, i := range a.members {
		for _, j := range b.members {
			s.effort -= lookEffort
			base := s.from(j) - s.from(i)
			s.pairs.Between(i, j, func(low, high int64) {
				if high-low > 1 {
					bans = append(bans, span{base + low, base + high})
				}
			})
		}
	}
	if len(bans) == 0 {
		return true
	}
	slices.SortFunc(bans, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	x, y := &a.in[pool], &b.in[pool]
	least, most := x.spans[0].first-y.spans[len(y.spans)-1].last, x.spans[len(x.spans)-1].last-y.spans[0].first
	if least <= bans[0].first {
		return true
	}
	top := bans[0].last
	for _, r := range bans[1:] {
		if r.first >= top && s.between(x, y, top, r.first) {
			return true
		}
		top = max(top, r.last)
	}
	return most >= top
}

// between reports whether two sets may have places a and b with low <= a - b <= high.
func (s *Sets) between(x, y *set, low, high int64) bool {
	if y.places() < x.places() {
		x, y, low, high = y, x, -high, -low
	}
	if x.places() > mostTried {
		return true
	}
	for _, r := range x.spans {
		for a := r.first; a <= r.last; a += x.grid.Step {
			s.effort--
			for _, t := range y.spans {
				if y.grid.Up(max(t.first, a-high)) <= min(t.last, a-low) {
					return true
				}
			}
		}
	}
	return false
}

// places returns how many places a set has, or a number above mostTried.
func (x *set) places() (sum int64) {
	for _, r := range x.spans {
		sum = min(sum+(r.last-r.first)/x.grid.Step+1, mostTried+1)
	}
	return sum
}
