package run

import (
	"context"
	"errors"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Share returns a context that ends after one of so many parts of the time that is left, for a question among several.
// Without a deadline it is ctx.
func Share(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithTimeout(ctx, time.Until(end)/time.Duration(parts))
	}
	return ctx, func() {}
}

// Why returns the limit that cut off a search of several runs, which have taken so many nodes of limit (0: none). It is
// plan.StopEffort if the context has not ended and nodes are left.
func Why(ctx context.Context, nodes, limit int64) plan.Stop {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return plan.StopTimeout
	case ctx.Err() != nil:
		return plan.StopInterrupt
	case limit > 0 && nodes >= limit:
		return plan.StopNodes
	}
	return plan.StopEffort
}
