package clauses

// Idea: the entries of the trail are looked at once, in their order. A literal that holds passes bounds on, and makes
// clauses shorter. A bound that rose passes on along the literals that hold, and refutes what it leaves no room for.
// Then the cliques with a change are looked at (cliques.go).
//
// Lower and upper bounds are mirror images: with side 0 for the lower bound and 1 for the upper one, negated, the
// literal that pushes from a bound of j on side s to the same bound of k is "j below k" on side 0 and "k below j" on
// side 1.
//
// Complexity: O(halves of the buffers whose bounds move), and what the clauses and cliques of these take.

// propagate returns false if there is a contradiction, and then fail has the reason.
func (s *Search) propagate() bool {
	s.watchCycles()
	for {
		for s.head < int32(len(s.trail)) {
			t := s.head
			s.head++
			v := s.trail[t].v
			if v < 0 && !s.literal(^v) || v >= 0 && s.at[v] == t && !s.bound(v) {
				s.clean()
				return false
			}
		}
		c, number := s.nextClique()
		if c == nil {
			return true
		}
		if !s.look(c, number) {
			s.clean()
			return false
		}
	}
}

// literal follows what holds because m does.
func (s *Search) literal(m int32) bool {
	lower, upper := s.ends(m)
	d := s.distance[m]
	if !s.raise(2*upper, s.value[2*lower]+d, pushed, s.at[2*lower], m) ||
		!s.raise(2*lower+1, s.value[2*upper+1]+d, pushed, s.at[2*upper+1], m) {
		return false
	}
	s.touch(lower, upper)
	return s.watches(m)
}

// bound follows what holds because bound v has risen.
func (s *Search) bound(v int32) bool {
	j, side := v>>1, v&1
	x := s.value[v]
	for h := s.from[j]; h < s.from[j+1]; h++ {
		k, m := s.other[h], s.halves[h]^side
		switch s.order[m>>1] {
		case 2 - uint8(m&1): // m is false
		case 1 + uint8(m&1):
			if !s.raise(2*k+side, x+s.distance[m], pushed, s.at[v], m) {
				return false
			}
		default:
			if x+s.distance[m]+s.value[(2*k+side)^1] > 0 {
				s.set(m^1, clashed, s.at[v], s.at[(2*k+side)^1])
			}
		}
	}
	s.touch(j, j)
	return true
}

// watches looks at the clauses in which the complement of m is watched.
func (s *Search) watches(m int32) bool {
	no := m ^ 1
	list := s.watched[no]
	kept := list[:0]
	for n := 0; n < len(list); n++ {
		w := list[n]
		if s.holds(w.blocker) {
			kept = append(kept, w)
			continue
		}
		c := s.clauses[w.clause].literals
		if c[0] == no {
			c[0], c[1] = c[1], no
		}
		if c[0] != w.blocker && s.holds(c[0]) {
			kept = append(kept, watch{w.clause, c[0]})
			continue
		}
		moved := false
		for k := 2; k < len(c); k++ {
			if !s.refuted(c[k]) {
				c[1], c[k] = c[k], no
				s.watched[c[1]] = append(s.watched[c[1]], watch{w.clause, c[0]})
				moved = true
				break
			}
		}
		if moved {
			continue
		}
		kept = append(kept, watch{w.clause, c[0]})
		if s.refuted(c[0]) {
			kept = append(kept, list[n+1:]...)
			s.watched[no] = kept
			s.fail = s.fail[:0]
			for _, l := range c {
				s.fail = append(s.fail, item{at: s.orderAt[l>>1], v: -1})
			}
			return false
		}
		s.set(c[0], clause, w.clause, 0)
	}
	s.watched[no] = kept
	return true
}
