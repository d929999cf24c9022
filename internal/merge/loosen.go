package merge

import (
	"math/rand/v2"
	"slices"
)

// Idea: composites that suit the base may leave a pair apart no room, since each has its parts at fixed places. The
// smaller the composites with a tie are, the more plans there are, and the longer the search. So they are taken apart
// level by level, and each level has a short attempt, which mostly ends in a plan or in a proof that there is none.
// One level in a restart has dives. Every other time some composites without a tie are taken apart, too.
//
// Invariant: the forest is as it was before.
//
// Complexity: an attempt of settleNodes nodes for each root and level.
//
// Source: Stowage.

// loosenMost is how many levels are taken apart at most.
const loosenMost = 8

// loosen takes the roots with ties apart, level by level, and makes an attempt after each level.
func (s *search) loosen(m *merger, rng *rand.Rand, hard []bool) {
	if !s.set.loosening || s.done() {
		return
	}
	m.log = m.log[:0]
	others := rng.IntN(2) == 0
	dive := 1 + rng.IntN(loosenMost)
	for level := 1; level <= loosenMost && !s.done(); level++ {
		before := len(m.log)
		for _, r := range slices.Clone(m.live) {
			if c := &m.all[r]; c.shape != single && (c.tied || others && rng.IntN(3) == 0) {
				m.split(r)
				m.log = append(m.log, step{r, false})
			}
		}
		if len(m.log) == before {
			break
		}
		s.attemptWithin(m, rng, settleNodes)
		s.settle(m, rng, hard)
		if level == dive {
			s.dives(m, rng)
		}
	}
	for _, x := range slices.Backward(m.log) {
		m.rejoin(x.p)
	}
}
