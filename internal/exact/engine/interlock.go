package engine

import (
	"github.com/stowage-go/stowage/internal/exact/clauses"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/exact/ladder"
)

// Idea: if windows interlock, a partition may have no canonical plan although it has a plan. Then
// the search among pairs (package pairs) decides. The canonical search runs first: a plan that it
// finds is a plan, but its failure proves nothing there.

// windows says whether the windows of a partition interlock, once that is known.
type windows struct{ interlock, known bool }

// interlocks asks whether the windows of partition p interlock. It is not known if the run ends meanwhile.
func (e *engine) interlocks(p int) windows {
	s := &e.parts[p]
	if w := &s.windows; !w.known {
		w.interlock, w.known = e.tl.Interlocks(e.tl.Partitions[p], e.watch.Over)
		w.interlock = w.interlock && (!s.kernel.Shifted || e.geared(p))
	}
	return s.windows
}

// geared reports whether a buffer of partition p can lie in the middle of another. If the run
// ends meanwhile, it says yes, from which nothing follows.
func (e *engine) geared(p int) bool {
	buffers := e.tl.Partitions[p].Buffers
	for _, i := range buffers {
		for _, j := range e.tl.AppendConflicts(nil, int(i)) {
			if len(e.tl.Forbid(int(i), int(j))) > 1 || e.watch.Over() {
				return true
			}
		}
	}
	return false
}

// completion has the complete searches of a partition; each is nil until it is first run.
type completion struct {
	clauses  *clauses.Search
	refuting *clauses.Search // of capacities near the bound: what is learned there holds for no higher one
	ladder   *ladder.Search
}

// complete runs the complete search on partition p. r is what the canonical search had.
func (e *engine) complete(p int, capacity, limit int64, r common.Outcome) common.Verdict {
	if e.over() {
		return common.Undecided
	}
	v := e.askClauses(p, capacity, limit)
	if e.parts[p].completion.clauses == nil {
		// With too many pairs, nothing but a canonical plan can be found.
		e.stuck = r == common.Exhausted
	}
	return v
}
