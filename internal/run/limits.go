package run

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// A limit is a timeout, a number of nodes, or the end of the context. It may end a search. It never decides an outcome.
//
//	time     A timeout covers all of Solve, which sets time aside for the check. Run sets it again
//	         if a planner is called without Solve. auto, Explain, Certify, graph.Make and tflm divide it among their calls.
//	nodes    A search counts its nodes and compares them with Options.NodeLimit. auto converts the nodes of its members
//	         (the comment of Auto). internal/ruled divides nodes among its runs and adds them up.
//	notice   A search asks Watch.Over, which knows the context alone. A placement of a small problem ignores it
//	         (place/limit.go).
//	plan     place/finish.go completes a plan that is cut short. keepStart returns the plan to start from if it is better.
//	         If the plan fits, the status is feasible, else unknown.
//	reason   stopped in run.go decides the plan.Stop of one run, and Why that of several. Solve decides it if no planner
//	         has run.
//	none     Without a limit some searches end by themselves: Endless (declare.go), limited (merge/merge.go), rounds
//	         (auto/turns.go).
//
// Idea: a search of several runs gives each run a share of the time or of the nodes. A run that uses up its share is cut
// off, even if the whole limit never comes. So the context notes each share that runs out, and Why reads the note.
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
