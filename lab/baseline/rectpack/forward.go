package rectpack

import "github.com/stowage-go/stowage/internal/planners/pairwise"

// Idea: a pair has two sides. If the matrix contradicts one side, the other must hold. If it contradicts both, the
// branch is dead. This is forward checking. If the matrix implies one side, the pair is satisfied and need not be
// decided: a subsumed variable.
//
// Only a pair whose own entries have risen can have changed. So only those pairs are checked, in the order in which
// entries rise.
//
// In one dimension the two sides exclude each other, so a side that is implied makes the other dead. Subsumption is
// worth something only without forward checking.
//
// Invariant at a fixpoint: each open pair has two possible sides, neither implied.
//
// Complexity: O(1) for a pair and a change, and O(n²) for each side forced.
//
// Source: Stergiou and Koubarakis (removal of subsumed variables) and Tsamardinos and Pollack (incremental forward
// checking), as Moffitt and Pollack 2006 have them in rectangle packing.
//
// Left out: semantic branching, which adds the negation of the first side to the second. Here the second side implies
// it, since the two exclude each other: Up + Down > 1. In rectangle packing "above" does not exclude "left of".

// propagate brings the pairs to a fixpoint after entries of the matrix have risen. It returns false at a contradiction.
func (s *metaSolver) propagate() bool {
	m := s.m
	for k := 0; k < len(m.moved); k++ {
		entry := m.moved[k]
		a, b := entry/int32(m.n), entry%int32(m.n)
		p := s.pairAt[entry]
		if p < 0 {
			continue
		}
		for ; int(p) < len(s.e.Pairs); p++ {
			q := &s.e.Pairs[p]
			if !(q.I == a && q.J == b || q.I == b && q.J == a) {
				break
			}
			if !s.look(p) {
				return false
			}
		}
	}
	m.moved = m.moved[:0]
	return true
}

// look forces or drops one pair.
func (s *metaSolver) look(p int32) bool {
	if s.side[p] != pairwise.Open {
		return true
	}
	q := &s.e.Pairs[p]
	up, down := s.m.at(q.I, q.J), s.m.at(q.J, q.I)
	if s.forward {
		upDead, downDead := down+q.Up > 0, up+q.Down > 0
		switch {
		case upDead && downDead:
			return false
		case upDead:
			return s.take(p, pairwise.Below)
		case downDead:
			return s.take(p, pairwise.Above)
		}
	}
	if s.subsume {
		switch {
		case up >= q.Up:
			s.mark(p, pairwise.Above)
		case down >= q.Down:
			s.mark(p, pairwise.Below)
		}
	}
	return true
}

// take decides a side and carries it into the matrix.
func (s *metaSolver) take(p int32, side pairwise.Choice) bool {
	s.mark(p, side)
	q := &s.e.Pairs[p]
	if side == pairwise.Above {
		return s.m.add(q.I, q.J, q.Up)
	}
	return s.m.add(q.J, q.I, q.Down)
}

// mark notes the side of a pair on the trail.
func (s *metaSolver) mark(p int32, side pairwise.Choice) {
	s.side[p] = side
	s.decided = append(s.decided, p)
}
