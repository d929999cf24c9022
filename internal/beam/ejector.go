package beam

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner that makes problems of its own, as merge does of groups of buffers, uses ejections without passes.
// What they begin with need not be a plan of all buffers: some have no offset yet, or none has.
//
// With none, a height that no plan has come near can be tried. In most of that time a quarter of the buffers is out,
// and then all come to rest soon after each other, or do not. So the ceiling has more patience than if a plan is
// mended.

// persistence and persistStep are what an attempt from nothing has in place of ejectPatience and costStep. With a step
// of 16 a buffer that found no place costs more than any number of others do at first.
const persistence, persistStep = 30, 16

// Ejector is the ejections of one problem.
type Ejector struct {
	search search
	e      *ejection
	none   []int64 // a plan of no buffers
}

// NewEjector returns nil if the problem is too large, or if it has windows or fixed offsets. The watch ends attempts.
// Buffers come back by what they take of what is scarce (scarce.go), or by area.
func NewEjector(w *run.Watch, tl *timeline.Timeline, seed uint64, scarce bool) *Ejector {
	if !Ejects(tl) {
		return nil
	}
	x := &Ejector{}
	x.search = search{watch: w, problem: tl.Problem, o: &plan.Options{Seed: seed}, lower: tl.LowerBound}
	x.search.settings.slide = true
	if x.e = newEjection(newPass(&x.search, tl, false)); x.e == nil {
		return nil
	}
	if scarce {
		x.e.ranking = x.e.rankBy(x.e.scarcity())
	}
	x.none = make([]int64, len(tl.Problem.Buffers))
	for i := range x.none {
		x.none[i] = -1
	}
	return x
}

// Attempt looks for a plan that ends at the ceiling or, if none is found, between it and most. It begins with the given
// offsets. Buffers with a negative one are out, and the others must not overlap. It returns the plan, or nil, and the
// nodes that it took, of so many at most.
func (x *Ejector) Attempt(start []int64, ceiling, most, nodes int64) (offsets []int64, taken int64) {
	before := x.search.nodes
	x.e.begin(start, ceiling/x.e.granule, most/x.e.granule)
	offsets = x.e.proceed(before + nodes)
	return offsets, x.search.nodes - before
}

// Persist looks as Attempt does. All buffers are out at first, and the ceiling has more patience. Higher ones have no
// more than in Attempt.
func (x *Ejector) Persist(ceiling, most, nodes int64) (offsets []int64, taken int64) {
	patience, step := x.e.patience, x.e.step
	x.e.patience, x.e.step = persistence, persistStep
	offsets, taken = x.Attempt(x.none, ceiling, most, nodes)
	x.e.patience, x.e.step = patience, step
	return offsets, taken
}

// Lower lowers a plan of that height step by step, with so many nodes: ceilings are part of the way down to the goal.
// It returns the lowest plan, which may be the first one.
func (x *Ejector) Lower(start []int64, height, goal, nodes int64) (offsets []int64, taken int64) {
	before := x.search.nodes
	x.e.try.under = false
	offsets, _ = x.e.run(start, height, goal, nodes)
	return offsets, x.search.nodes - before
}
