package beam

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner that makes problems of its own, as merge does of groups of buffers, uses ejections without passes.
// What they begin with need not be a plan of all buffers: some have no offset yet.

// Ejector is the ejections of one problem.
type Ejector struct {
	search search
	e      *ejection
}

// NewEjector returns nil if the problem is too large, or if it has gaps or fixed offsets. The watch ends attempts.
func NewEjector(w *run.Watch, tl *timeline.Timeline, seed uint64) *Ejector {
	if !Able(tl) {
		return nil
	}
	x := &Ejector{}
	x.search = search{watch: w, problem: tl.Problem, o: &plan.Options{Seed: seed}, lower: tl.LowerBound}
	x.search.settings.slide = true
	if x.e = newEjection(newPass(&x.search, tl, false)); x.e == nil {
		return nil
	}
	return x
}

// Attempt looks for a plan that ends at the ceiling or, if none is found, between it and most. It begins with the given
// offsets. Buffers with a negative one are out, and the others must not overlap. It returns the plan, or nil, and the
// nodes that it took, of so many at most.
func (x *Ejector) Attempt(start []int64, ceiling, most, nodes int64) (offsets []int64, taken int64) {
	before := x.search.nodes
	offsets = x.e.attempt(start, ceiling/x.e.granule, most/x.e.granule, before+nodes)
	return offsets, x.search.nodes - before
}
