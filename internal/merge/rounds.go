package merge

import (
	"math/bits"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: a wrong merge leaves other roots without their other half. So what is wrong is near
// the roots that are left. A round takes apart what is around a boundary, and merges it
// again with other noise. It is kept if it leaves no more roots than before.
//
// In a packing that straight cuts made, most of what is around a boundary is right. There a round takes apart only a
// part of it (the technique parts): each root has a depth of its own, drawn at random, to which it is split. Many
// roots stay whole, and a few are split down to their buffers. Thousands of such rounds go from hundreds of roots to
// one, where rounds that take everything apart stay at dozens. If few roots are left, exact search has an attempt
// before the rounds end, since a plan of the roots may be one that no merge makes.
//
// Invariant: undoing the log, its last step first, restores the forest.
//
// Complexity: a round costs what it takes apart, and a look at all roots.
//
// Source: destroying and repairing a part of a solution is large neighbourhood search (Shaw, 1998).

const (
	// stale ends the rounds of a restart: after stale·2^t rounds in a row that left no fewer roots,
	// where 2^t is the greatest power of 2 that divides the restart's number: 30, 60, 30, 120, …
	stale = 30
	// stalePacking is stale with the technique parts. Of 12 packings of 1,000 buffers in 120 moments and 1,024 units
	// some needed 1,000 rounds, others 100,000. With 1,000 in its place 7 of 70 runs end above the load, not 1.
	stalePacking = 3000
	// attemptFew is the number of roots up to which exact search has an attempt between such rounds.
	attemptFew = 64
)

// inParts reports whether rounds are to take only parts of the roots apart: in a packing that merging has brought down
// to a third of its buffers. More are left if no straight cuts made it.
func (s *search) inParts(roots, buffers int) bool {
	return s.set.parts && s.walled >= whole && 3*roots <= buffers
}

// rounds makes rounds until many in a row have left no fewer roots. Then it makes an attempt. k is the restart's
// number.
func (s *search) rounds(m *merger, rng *rand.Rand, k int) {
	if !s.set.rounds || s.done() {
		return
	}
	m.noise = noises[rng.IntN(len(noises))]
	patience := stale
	if s.parts {
		patience = stalePacking
	}
	patience <<= bits.TrailingZeros(uint(k + 1))
	for idle := 0; idle < patience && len(m.live) > 1 && !s.done(); idle++ {
		c := &m.all[m.live[rng.IntN(len(m.live))]]
		at, radius := [2]int32{c.first, c.last}[rng.IntN(2)], int32(1)<<rng.IntN(4)
		if s.parts {
			m.noise = 0.5 + rng.Float64()
		}
		before := len(m.live)
		m.round(at-radius, at+radius, s.parts)
		s.charge(m)
		if len(m.live) < before {
			idle = -1
		} else if s.parts && idle == stale && len(m.live) <= attemptFew {
			s.attempt(m, rng)
		}
	}
	s.attempt(m, rng)
}

// overlaps reports whether p is alive in one of the sections [low, high).
func (m *merger) overlaps(p id, low, high int32) bool {
	c := &m.all[p]
	return c.first < high && c.last > low
}

// tear takes apart the composites that are alive in the sections [low, high), with parts only some of them. It returns
// the roots that are in these sections or meet them.
func (m *merger) tear(low, high int32, parts bool) []id {
	if parts {
		m.tearParts(low, high)
	} else {
		for k := 0; k < len(m.live); {
			if p := m.live[k]; m.all[p].shape != single && m.overlaps(p, low, high) {
				m.tearOne(p) // another root takes the place live[k]
				continue
			}
			k++
		}
	}
	m.torn = m.torn[:0]
	for _, p := range m.live {
		c := &m.all[p]
		if c.first <= high && c.last >= low {
			m.torn = append(m.torn, p)
		}
	}
	return m.torn
}

// tearOne splits a root, and keeps a log of it.
func (m *merger) tearOne(p id) {
	m.split(p)
	m.log = append(m.log, step{p, false})
}

// tearParts takes apart some of the roots that are alive in the sections [low, high). For each it draws the probability
// with which it and each of its parts there are split.
func (m *merger) tearParts(low, high int32) {
	m.torn = append(m.torn[:0], m.live...)
	for _, p := range m.torn {
		m.tearSome(p, low, high, m.rng.Float64())
	}
}

// tearSome splits a root that is alive in the sections [low, high), with the probability share, and then its parts.
func (m *merger) tearSome(p id, low, high int32, share float64) {
	c := &m.all[p]
	if c.shape == single || !m.overlaps(p, low, high) || m.rng.Float64() >= share {
		return
	}
	m.tearOne(p)
	for _, q := range c.part[:c.count()] {
		m.tearSome(q, low, high, share)
	}
}

// round takes the sections [low, high) apart, with parts only some roots, and merges again. It returns true if there
// are no more roots than before. Otherwise it restores the forest and returns false.
func (m *merger) round(low, high int32, parts bool) bool {
	before := len(m.live)
	var roots []id
	if invariants.Enabled {
		roots = m.roots()
	}
	m.log, m.heap = m.log[:0], m.heap[:0]
	for _, p := range m.tear(low, high, parts) {
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
