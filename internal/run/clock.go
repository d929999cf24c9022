package run

import (
	"context"
	"errors"
	"time"

	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a timeout is for the whole of Solve, but a plan that comes a little late is worth more than none. So a timeout
// does not end validation and preparation: the planner then begins after its limit, and returns the cheapest plan it
// has, a sweep. All that takes about half a microsecond for each buffer. The time that the check of the plan takes is
// set aside.
//
// A context that ends is an order to stop, so validation and preparation look at it as planners do. They take a few
// milliseconds for 65,536 pieces; up to that many they are done in any case, and the planner makes a plan.

// A Clock is what may end the preparation. The zero value never does.
type Clock struct {
	ctx     context.Context
	watch   *Watch
	release func()      // of the watch
	came    bool        // Over has said so: something was left undone
	over    func() bool // Over; nil if nobody has asked for it
}

// Start makes it the clock of a run in a context, until Close. It returns that context for the run, with the watch of
// the clock.
func (c *Clock) Start(ctx context.Context) context.Context {
	if ctx == nil {
		ctx = context.Background() // the caller refuses it
	}
	c.ctx, c.release = Watched(ctx)
	c.watch, c.came = NewWatch(c.ctx), false
	return c.ctx
}

// Close ends the watch of the context, and lets go of the context.
func (c *Clock) Close() {
	c.release()
	c.ctx, c.watch, c.release = nil, nil, nil
}

// Limit returns Over as a function. It is made once.
func (c *Clock) Limit() func() bool {
	if c.over == nil {
		c.over = c.Over
	}
	return c.over
}

// Came reports whether Over has said so: something was left undone.
func (c *Clock) Came() bool { return c.came }

// Over reports whether the context has ended.
func (c *Clock) Over() bool {
	c.came = c.came || c.watch != nil && c.watch.Over()
	return c.came
}

// Unknown returns the result of a run whose context ended in the preparation.
func (c *Clock) Unknown(planner string, began time.Time) plan.Result {
	r := plan.Result{Status: model.Unknown, Planner: planner, Stopped: plan.StopTimeout}
	if err := c.ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		r.Stopped = plan.StopInterrupt
	}
	r.Stats.Elapsed = time.Since(began)
	return r
}

// PlanUntil returns when the planner must end, if the run began at one time, is prepared at another, and may take the
// timeout in all. What comes after the planner is given at most half of the time that is left.
func PlanUntil(began, prepared time.Time, timeout time.Duration, gaps bool) time.Time {
	end := began.Add(timeout)
	times := time.Duration(thresholds.EndingTimes)
	if gaps {
		times = thresholds.EndingTimesWithGaps
	}
	aside := times * prepared.Sub(began)
	return end.Add(-min(aside, max(0, end.Sub(prepared)/2)))
}
