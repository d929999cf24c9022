package run

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a search of several runs gives each of them a share of the time or of the nodes that are left. A run may end
// with its share while much of the whole is left, and the search may come to its end before the limit. It was the limit
// nevertheless that cut something off: with more time the run would have gone on. So the context notes it if a share
// runs out, and Why reads the note.
//
// Invariant: Why says plan.StopEffort only if no limit, and no share of one, has ended a part of the search.

// cuts notes which limits have cut off a part of a search.
type cuts struct{ time, nodes atomic.Bool }

type cutsKey struct{}

// Noting returns a context that notes which limits cut off parts of a search, for Why.
func Noting(ctx context.Context) context.Context {
	return context.WithValue(ctx, cutsKey{}, &cuts{})
}

// Cut notes that a share of the time (plan.StopTimeout) or of the nodes (plan.StopNodes) has cut off a part of the
// search.
func Cut(ctx context.Context, by plan.Stop) {
	c, _ := ctx.Value(cutsKey{}).(*cuts)
	switch {
	case c == nil:
	case by == plan.StopTimeout:
		c.time.Store(true)
	case by == plan.StopNodes:
		c.nodes.Store(true)
	}
}

// Share returns a context that ends after one of so many parts of the time that is left, for a question among several.
// Without a deadline it is ctx. The function that is returned must be called at the end of the question. It notes if
// the time came first.
func Share(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	return Shares(ctx, 1, parts)
}

// Shares is Share for some of so many parts.
func Shares(ctx context.Context, some, parts int) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	short, cancel := context.WithTimeout(ctx, time.Until(end)*time.Duration(some)/time.Duration(parts))
	return short, func() {
		if errors.Is(short.Err(), context.DeadlineExceeded) {
			Cut(ctx, plan.StopTimeout)
		}
		cancel()
	}
}

// Why returns the limit that cut off a search of several runs, which have taken so many nodes of limit (0: none). It is
// plan.StopEffort if the context has not ended, nodes are left, and no share of either has run out.
func Why(ctx context.Context, nodes, limit int64) plan.Stop {
	c, _ := ctx.Value(cutsKey{}).(*cuts)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return plan.StopTimeout
	case ctx.Err() != nil || looksEnded(ctx):
		return plan.StopInterrupt
	case limit > 0 && nodes >= limit:
		return plan.StopNodes
	case c != nil && c.time.Load():
		return plan.StopTimeout
	case c != nil && c.nodes.Load():
		return plan.StopNodes
	}
	return plan.StopEffort
}
