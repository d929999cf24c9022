package place

import (
	"context"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// A placement of so many buffers, and of so many spans, which gaps make of them, takes
// a few milliseconds at most.
const (
	small      = 4096
	smallSpans = 4 * small
)

// Watch returns a watch for one placement of tl. A small problem is placed
// whole whatever the clock says: its plan is then a function of the problem.
func Watch(ctx context.Context, tl *timeline.Timeline) *run.Watch {
	n, spans := len(tl.Problem.Buffers), 0
	if n <= small {
		for i := range n {
			spans += len(tl.Spans(i))
		}
	}
	if n > small || spans > smallSpans {
		return run.NewWatch(ctx)
	}
	return run.Endless(ctx)
}
