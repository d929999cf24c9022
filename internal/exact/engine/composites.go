package engine

import (
	"github.com/stowage-go/stowage/internal/tune"
	"github.com/stowage-go/stowage/plan"
)

// Idea: what fits together hardly by accident is planned as one (package merge). On full
// problems of hundreds of buffers that finds in a millisecond what this search finds in
// years, and it has nothing to say where it fails. So it has a turn between rounds,
// with as many nodes as all orders may take for the partitions in the round before, and
// other restarts each time.
//
// merge plans its composites with this package, so it cannot be imported here. Who wants
// its turns passes it in Planner.Composites, as package exact does.
//
// Invariant: a turn only ever brings a plan, never a refutation.

// composites plans composites to get within the capacity, or lower than the plan so far
// where minimize says so, in a turn after a round in which each order had so many halves.
func (e *engine) composites(capacity int64, minimize bool, halves int64) {
	n := int64(len(e.tl.Problem.Buffers))
	if e.composer == nil || n > tune.MergeMost || e.over() {
		return
	}
	o := plan.Options{
		Capacity: capacity, Minimize: minimize, Start: e.best,
		NodeLimit: e.within(halves * n / 2 * int64(len(e.orders))), Seed: e.seed, Workers: e.workers,
	}
	e.seed++
	r, err := e.composer.Plan(e.ctx, e.tl, o)
	e.stats.Nodes += r.Stats.Nodes
	if err == nil && r.Status.HasPlan() {
		e.start(r.Offsets)
	}
}
