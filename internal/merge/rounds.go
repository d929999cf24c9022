package merge

import "github.com/stowage-go/stowage/internal/invariants"

// Idea: a wrong merge leaves other roots without their other half. So what is wrong is near
// the roots that are left. A round takes everything around a boundary apart, and merges it
// again with other noise. It is kept if it leaves no more roots than before.
//
// Invariant: undoing the log, its last step first, restores the forest.

// overlaps reports whether p is alive in one of the sections [low, high).
func (m *merger) overlaps(p id, low, high int32) bool {
	c := &m.all[p]
	return c.first < high && c.last > low
}

// tear splits the composites that are alive in the sections [low, high). It returns the roots
// that are in these sections or meet them.
func (m *merger) tear(low, high int32) (torn []id) {
	for k := 0; k < len(m.live); {
		if p := m.live[k]; m.all[p].shape != single && m.overlaps(p, low, high) {
			m.split(p) // another root takes the place live[k]
			m.log = append(m.log, step{p, false})
			continue
		}
		k++
	}
	for _, p := range m.live {
		c := &m.all[p]
		if c.first <= high && c.last >= low {
			torn = append(torn, p)
		}
	}
	return torn
}

// round takes the sections [low, high) apart and merges again. It returns true if there are
// no more roots than before. Otherwise it restores the forest and returns false.
func (m *merger) round(low, high int32) bool {
	before := len(m.live)
	var roots []id
	if invariants.Enabled {
		roots = m.roots()
	}
	m.log, m.heap = m.log[:0], m.heap[:0]
	for _, p := range m.tear(low, high) {
		m.offerPairs(p)
	}
	m.mergeAll()
	if len(m.live) <= before && !m.ended {
		for _, s := range m.log {
			if !s.joint {
				m.release(s.p)
			}
		}
		if invariants.Enabled {
			m.recheck()
		}
		return true
	}
	for k := len(m.log) - 1; k >= 0; k-- {
		if s := m.log[k]; s.joint {
			m.split(s.p)
			m.release(s.p)
		} else {
			m.rejoin(s.p)
		}
	}
	if invariants.Enabled {
		m.restored(roots)
	}
	return false
}
