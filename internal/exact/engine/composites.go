package engine

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: package merge finds buffers that fit together too well for chance, and plans each group as one buffer. On
// full problems of hundreds of buffers it finds in a millisecond what this search would take years to find. It proves
// nothing if it fails. So it is called between rounds, with a new seed each time. Its node limit is the sum of all
// orders' limits for the partitions in the round before.
//
// merge plans its groups with this package, so this package cannot import it. The caller
// passes it in Planner.Composites, as package exact does.
//
// Invariant: a call can bring a plan, but never a refutation.

// composites calls the composer, to fit the capacity or, if minimize is set, to get below the incumbent. In the round
// before, the node limit of each order was halves/2 times the number of buffers.
func (e *engine) composites(capacity int64, minimize bool, halves int64) {
	n := int64(len(e.tl.Problem.Buffers))
	if e.composer == nil || n > thresholds.MergeMost || e.over() {
		return
	}
	o := plan.Options{
		Capacity: capacity, Minimize: minimize, Start: e.best,
		NodeLimit: e.within(halves * n / 2 * int64(len(e.orders))), Seed: e.seed, Workers: e.workers,
	}
	e.seed++
	r, err := run.Run(e.ctx, e.composer, e.tl, o)
	e.stats.Nodes += r.Stats.Nodes
	if err != nil || !r.Status.HasPlan() {
		return
	}
	by := e.composer.Name()
	if e.best != nil && model.HeightOf(e.tl.Problem, r.Offsets) >= e.height {
		by = e.by // it may be the plan that the composer has begun with
	}
	e.start(r.Offsets, by)
}
