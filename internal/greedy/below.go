package greedy

import (
	"context"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: planners that try one order after another want a plan only where it is
// lower than the best so far; most orders fail long before their last buffer.
//
// Invariant, complexity: those of Place.

// PlaceBelow is Place with a limit: it returns the plan of the order and its
// height, or nil and 0 once a buffer would end at or above below, where ctx
// ends first, or where fixed buffers collide. A limit never changes a plan:
// there is the same one or none.
func PlaceBelow(ctx context.Context, tl *timeline.Timeline, order []int32, fit Fit, below int64) (offsets []int64, height int64) {
	offsets, end := place(ctx, tl, order, fit, below)
	if end != placed {
		return nil, 0
	}
	return offsets, model.HeightOf(tl.Problem, offsets)
}
