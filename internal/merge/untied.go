package merge

import "github.com/stowage-go/stowage/model"

// Idea: with pairs apart groups have gaps for the rules: slots in which only the two live (aside.go).
// Without these slots each group has one life, and what is left of the rules is a few ties. So ejections plan the
// groups without ties, and what is in the groups is then arranged so that the ties hold (settle.go). Two buffers share
// a byte in few plans if they are small, and a plan of five ties often keeps all. If one stays broken, the next attempt
// has another plan.
//
// Ejections come before settling, and once they have lowered the plan settling has tiedShare of all nodes.
//
// Invariant: a plan that breaks a tie is not kept.
//
// Complexity: that of an attempt and of arrange.
//
// Source: Stowage.
//
// Trials: docs/lab/merge.md (pairs apart).

const (
	// tiedShare is the part of all nodes for settling once an ejection has lowered the plan.
	tiedShare = 8
	// untiedFew is the number of groups up to which ejections leave ties to settling: exact search plans few groups in
	// few nodes.
	untiedFew = attemptFew
)

// ejected returns what ejections plan: the roots without the sections that are set aside. It returns nil if some root
// has gaps that stay, or a fixed offset, and if few roots have ties.
func (s *search) ejected(m *merger) *model.Problem {
	if m.base.aside == nil || !s.set.untying {
		return m.problem(s.tl)
	}
	if len(m.live) <= untiedFew {
		return nil
	}
	p := &model.Problem{Buffers: make([]model.Buffer, len(m.live))}
	for k, r := range m.live {
		c := &m.all[r]
		if c.sealed {
			return nil
		}
		p.Buffers[k] = model.Buffer{Lower: int64(c.first), Upper: int64(c.last), Size: c.size, Alignment: c.align}
	}
	return p
}

// keepRoots keeps a plan of the roots, if there is one, if it is lower than the lowest so far and all ties hold.
func (s *search) keepRoots(m *merger, offsets []int64) {
	if offsets == nil {
		return
	}
	if len(m.base.ties) == 0 {
		s.keep(m.expand(s.tl.Problem, offsets))
		return
	}
	a := newArrangement(s.tl.Problem, m, m.rng)
	at, _ := a.arrange(offsets)
	m.spend(a.work)
	s.charge(m)
	if at != nil {
		s.keep(at)
	}
}
