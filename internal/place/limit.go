package place

import (
	"context"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// small is the number of buffers up to which a placement takes a few
// milliseconds at most.
const small = 4096

// Watch returns a watch for one placement of tl. A small problem is placed
// whole whatever the clock says: its plan is then a function of the problem.
func Watch(ctx context.Context, tl *timeline.Timeline) *run.Watch {
	if len(tl.Problem.Buffers) <= small {
		return run.Endless(ctx)
	}
	return run.NewWatch(ctx)
}
