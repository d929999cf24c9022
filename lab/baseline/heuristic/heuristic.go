// Package heuristic holds the two heuristics with which the TelaMalloc paper compares its search: `contention`, its
// own, and `bfc`, TensorFlow's allocator. Both use package greedy, which has their parts for orders of its own.
package heuristic

import (
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// movable refuses problems with fixed offsets on behalf of a planner.
func movable(tl *timeline.Timeline, planner string) error {
	for i := range tl.Problem.Buffers {
		if b := &tl.Problem.Buffers[i]; b.Fixed != nil {
			return plan.Unsupported(planner, "cannot honour fixed offsets: buffer "+b.ID+" has one")
		}
	}
	return nil
}

// judge makes a result of offsets that may be above the capacity. It stacks the buffers that have no offset after a
// limit.
func judge(tl *timeline.Timeline, o plan.Options, offsets []int64, whole bool) plan.Result {
	r := plan.Result{Stats: plan.Stats{Nodes: int64(len(tl.Problem.Buffers))}}
	if !whole {
		place.Finish(tl, offsets)
	}
	if o.Capacity == 0 || o.Fits(model.HeightOf(tl.Problem, offsets)) {
		r.Status, r.Offsets = model.Feasible, offsets
	}
	return r
}
