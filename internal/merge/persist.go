package merge

import "github.com/stowage-go/stowage/internal/beam"

// Idea: near the goal the lowest plan is a trap. What lies too high there has no place, since the rest was laid without
// it. So some attempts begin with nothing, at the goal (beam.Ejector.Persist). One that fails there goes on at higher
// ceilings below the lowest plan, as others do. It says little about the next, so they go on with other random choices,
// and with other composites after each restart.
//
// They may use persistShare times as many nodes as attempts from the lowest plan, which come first.
//
// Complexity: a node places one composite, see internal/beam.
//
// Source: Stowage.
//
// Trials: docs/lab/merge.md (shares).

// persistShare is how many times as many nodes attempts from nothing get.
const persistShare = 16

// mayPersist reports whether the next attempt begins with nothing.
func (s *search) mayPersist() bool {
	return s.set.persistence && s.ejecting.persisted < persistShare*s.ejecting.mended
}

// persist makes an attempt from nothing.
func (s *search) persist(m *merger, e *beam.Ejector) {
	offsets, nodes := e.Persist(s.goal, max(s.goal, s.height-s.step), s.left())
	s.nodes += nodes
	s.ejecting.persisted += nodes
	s.keepRoots(m, offsets)
}
