package rectpack

import "github.com/stowage-go/stowage/internal/planners/pairwise"

// Idea: a pair has two sides. Where the matrix contradicts one, the other must
// hold, and where it contradicts both the branch is dead: forward checking.
// Where it implies one already, the pair is satisfied, whatever else is decided,
// and need not be decided at all: a subsumed variable.
//
// Only a pair whose own entries have risen can have changed, so those are
// looked at: the checking is incremental, in the order in which entries rise.
//
// With one dimension the second follows from the first: the two sides exclude
// each other, so a side that is implied makes the other dead. Subsumption is
// worth something only where forward checking is switched off.
//
// Invariant at a fixpoint: each open pair has two possible sides, neither
// implied.
//
// Complexity: O(1) for a pair and a change, and O(n²) for each side forced.
//
// Source: Stergiou and Koubarakis (removal of subsumed variables) and Tsamardinos
// and Pollack (incremental forward checking), as Moffitt and Pollack 2006 have
// them in rectangle packing.
//
// Tried and dropped: semantic branching. It adds, with the second side of a
// pair, the negation of the first. Here the second side implies that already,
// since the two exclude each other: Up + Down > 1. It pays in rectangle packing
// proper, where "above" does not exclude "left of".

// settle brings the pairs to a fixpoint with what has moved in the matrix, and
// reports whether no contradiction shows.
func (s *metaSolver) settle() bool {
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
