package clauses

import "github.com/stowage-go/stowage/internal/invariants"

// Idea: propagation is incremental. At each fixpoint, check works out from scratch what it keeps.
//
// Complexity: O(pairs + literals of all clauses) a call.

// check panics if an invariant does not hold.
func (s *Search) check() {
	for v, x := range s.value {
		if e := s.trail[s.at[v]]; e.v != int32(v) || e.value != x {
			invariants.Fail("bound %d is not that of its entry", v)
		}
		if x+s.value[v^1] > 0 || x%s.align[v/2] != 0 {
			invariants.Fail("buffer %d has no offset between its bounds", v/2)
		}
	}
	for m := range int32(2 * len(s.order)) {
		lower, upper := s.ends(m)
		d := s.distance[m]
		switch {
		case s.holds(m):
			if s.value[2*upper] < s.value[2*lower]+d || s.value[2*lower+1] < s.value[2*upper+1]+d {
				invariants.Fail("bounds break literal %d", m)
			}
		case !s.refuted(m) && s.value[2*lower]+d+s.value[2*upper+1] > 0:
			invariants.Fail("nothing is left of literal %d", m)
		}
	}
	for n := range s.clauses {
		open, held := 0, false
		for _, m := range s.clauses[n].literals {
			held = held || s.holds(m)
			if !s.refuted(m) {
				open++
			}
		}
		if !held && open < 2 {
			invariants.Fail("clause %d has %d open literals", n, open)
		}
	}
}
