package merge

import (
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/beam"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: if a problem is nearly full, one or two hundred composites are left, and no order of them is good everywhere.
// But the lowest plan is too high at a few moments only. So ejections (internal/beam) mend it: composites above a
// ceiling are taken out, and come back where they displace least. The first ceiling is the goal itself. If composites
// stay out for long, the ceiling goes up by half of the way to the lowest plan, up to three times. What has come to
// rest stays.
//
// The next restart merges other buffers. It begins with the composites whose parts lie in the lowest plan as the
// composite has them; the others are out. So restarts share one plan.
//
// Most attempts begin with no composite in place, though (persist.go).
//
// If an attempt lowers the plan, the next one begins at once. If ejectTries in a row fail, it is time for other
// composites. Ejections may use
//
//	nodes/4   usually, and the first attempt in any case
//	nodes·3/4 if there are ties (untied.go), since the nodes of other searches then take far longer
//	all       once an ejection has lowered the plan; attempts then have nodes/32, and dives as dives.go says
//
// of all nodes so far. In packings only merging helps, and there are no ejections.
//
// Invariant: the composites of start do not overlap, since each is just the bytes of its parts.
//
// Complexity: a node places one composite, see internal/beam.
//
// Source: Stowage. Ejections of buffers are the technique eject of beam.
//
// Trials: docs/lab/merge.md (ceilings on the way to the goal, other patience, prices by lifespan, orders).

const (
	// ejectTries is how many attempts in a row may fail before the next restart.
	ejectTries = 3
	// ejectMost is the largest number of composites for ejections. Above it an attempt takes seconds.
	ejectMost = thresholds.GlanceMost
	// rivals is the part of all nodes that attempts get, and dives, once an ejection has lowered the plan.
	// Their nodes take three times as long.
	rivals = 32
)

// ejecting is what ejections have found out.
type ejecting struct {
	mended    int64 // nodes of attempts from the lowest plan
	persisted int64 // of those from nothing (persist.go)
	settled   int64 // of settling, which keeps ties (untied.go)
	won       bool  // an ejection has lowered the plan
}

// mayEject reports whether ejections have nodes left.
func (s *search) mayEject() bool {
	g := &s.ejecting
	share := s.nodes / 4
	if s.base != nil && len(s.base.ties) > 0 {
		share *= 3
	}
	return !s.done() && (g.won || g.mended+g.persisted <= share)
}

// ejections mends the lowest plan as a plan of the roots.
func (s *search) ejections(m *merger, rng *rand.Rand) {
	if !s.set.ejections || s.walled >= whole || len(m.live) > ejectMost || !s.mayEject() {
		return
	}
	p := s.ejected(m)
	if p == nil {
		return
	}
	tl := timeline.NewUnless(p, s.watch.Over)
	if tl == nil {
		return
	}
	e := beam.NewEjector(s.watch, tl, rng.Uint64(), s.set.scarcity)
	if e == nil {
		return
	}
	start := make([]int64, len(m.live))
	for failed := 0; failed < ejectTries && s.mayEject(); failed++ {
		before := s.height
		if s.mayPersist() {
			s.persist(m, e)
		} else {
			s.mend(m, e, start)
		}
		if s.height < before {
			s.ejecting.won, failed = true, -1
		}
	}
}

// mend makes an attempt from the lowest plan. start has room for the offsets of the roots.
func (s *search) mend(m *merger, e *beam.Ejector, start []int64) {
	m.asIn(s.best, start)
	offsets, nodes := e.Attempt(start, s.goal, max(s.goal, s.height-s.step), s.left())
	s.nodes += nodes
	s.ejecting.mended += nodes
	s.keepRoots(m, offsets)
}

// left is how many nodes an attempt may take.
func (s *search) left() int64 {
	if s.o.NodeLimit > 0 {
		return s.o.NodeLimit - s.nodes
	}
	return math.MaxInt64 / 2
}

// asIn sets the offset of each root as it is in a plan. It is negative if the plan has the parts elsewhere.
func (m *merger) asIn(plan, offsets []int64) {
	for k, r := range m.live {
		at := plan[m.leaf(r)]
		if offsets[k] = at; !m.lies(r, at, plan) {
			offsets[k] = -1
		}
	}
}

// lies reports whether a plan has all parts of composite p as they are if p is at an offset.
func (f *forest) lies(p id, at int64, plan []int64) bool {
	c := &f.all[p]
	if c.shape == single {
		return plan[p] == at
	}
	up := f.ups(c)
	for k, q := range c.part[:c.count()] {
		if !f.lies(q, at+up[k], plan) {
			return false
		}
	}
	return true
}
