package place

import (
	"context"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Watch returns a watch for one placement of tl. A problem of at most thresholds.WholeMost buffers and
// thresholds.WholeSpansMost spans is placed whole, whatever the clock says. So its plan follows from the problem alone.
func Watch(ctx context.Context, tl *timeline.Timeline) *run.Watch {
	n, spans := len(tl.Problem.Buffers), 0
	if n <= thresholds.WholeMost {
		for i := range n {
			spans += len(tl.Spans(i))
		}
	}
	if n > thresholds.WholeMost || spans > thresholds.WholeSpansMost {
		return run.NewWatch(ctx)
	}
	return run.Endless(ctx)
}
