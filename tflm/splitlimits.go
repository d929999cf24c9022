package tflm

import (
	"context"
	"errors"
	"time"

	"github.com/stowage-go/stowage"
)

// Idea: a timeout is for all of Split. Three quarters of it are for the search for strips, and the rest for the last
// plan. Each of the two rounds that look at chains takes at most half of what is left of the search. So choices of the
// chains that were looked at are planned, even if time is short.
//
// An interrupt ends all searches at once. The plan is then the best so far.

// limited returns the context of the search.
func (c *chooser) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := c.options.Solve.Timeout; limit > 0 {
		return context.WithDeadline(ctx, c.began.Add(limit*3/4))
	}
	return context.WithCancel(ctx)
}

// part returns the context of a round that looks at chains.
func (c *chooser) part(ctx context.Context) (context.Context, context.CancelFunc) {
	if until, limited := ctx.Deadline(); limited {
		return context.WithTimeout(ctx, time.Until(until)/2)
	}
	return context.WithCancel(ctx)
}

// note notes what has ended a part of the search.
func (c *chooser) note(ctx context.Context) {
	switch err := ctx.Err(); {
	case err == nil || c.out.Stopped != "":
	case errors.Is(err, context.DeadlineExceeded):
		c.out.Stopped = "the timeout"
	default:
		c.out.Stopped = "an interrupt"
	}
}

// rest returns the options of the last plan: the time that is left.
func (c *chooser) rest() stowage.Options {
	run := c.options.Solve
	if run.Timeout > 0 {
		run.Timeout = max(run.Timeout-time.Since(c.began), time.Millisecond)
	}
	return run
}
