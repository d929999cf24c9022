package merge

// Idea: a false merge leaves others without their other half, so the roots that are
// left are near it. Everything around a boundary is taken apart and merged again with
// other noise; what leaves no more roots than before is kept.
//
// Invariant: the journal undone, last step first, gives the forest as it was.

// overlaps reports whether p is alive in one of the sections [low, high).
func (m *merger) overlaps(p piece, low, high int32) bool {
	c := &m.all[p]
	return c.first < high && c.last > low
}

// tear takes apart what is alive in the sections [low, high), and returns the pieces.
func (m *merger) tear(low, high int32) (torn []piece) {
	for k := 0; k < len(m.live); {
		if p := m.live[k]; m.all[p].shape != single && m.overlaps(p, low, high) {
			m.split(p) // live[k] is another now
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

// round tears [low, high) apart and merges again. It reports whether there are no more
// roots than before; else all is as it was.
func (m *merger) round(low, high int32) bool {
	before := len(m.live)
	m.log, m.heap = m.log[:0], m.heap[:0]
	for _, p := range m.tear(low, high) {
		m.ask(p)
	}
	m.settle()
	if len(m.live) <= before && !m.ended {
		for _, s := range m.log {
			if !s.joint {
				m.drop(s.p)
			}
		}
		return true
	}
	for k := len(m.log) - 1; k >= 0; k-- {
		if s := m.log[k]; s.joint {
			m.split(s.p)
			m.drop(s.p)
		} else {
			m.again(s.p)
		}
	}
	return false
}
