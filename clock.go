package stowage

import (
	"context"
	"errors"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a timeout is for the whole of Solve, so validation and preparation look at
// it as planners do. They take a few milliseconds for 65,536 pieces; below that they
// are done whatever the clock says, and the planner makes a plan. Above that
// (timeline.Large) a limit that comes first leaves nothing to plan with.

// clock is the limit of the preparation. The zero value never ends.
type clock struct {
	ctx    context.Context
	cancel context.CancelFunc
	watch  *run.Watch
	came   bool // over has said so: something was left undone
}

// newClock returns the clock of a run that begins now; a timeout of 0 is none.
func newClock(ctx context.Context, timeout time.Duration) *clock {
	if ctx == nil {
		ctx = context.Background() // prepare refuses it
	}
	c := &clock{ctx: ctx, cancel: func() {}}
	if timeout > 0 {
		c.ctx, c.cancel = context.WithTimeout(ctx, timeout)
	}
	c.watch = run.NewWatch(c.ctx)
	return c
}

func (c *clock) close() {
	c.watch.Close()
	c.cancel()
}

// over reports whether the limit has come.
func (c *clock) over() bool {
	c.came = c.came || c.watch != nil && c.watch.Over()
	return c.came
}

// unknown returns the result of a run for which there was no time.
func (c *clock) unknown(planner string, began time.Time) *Result {
	r := &Result{Status: Unknown, Planner: planner, Stopped: plan.StopTimeout}
	if err := c.ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		r.Stopped = plan.StopInterrupt
	}
	r.Stats.Elapsed = time.Since(began)
	return r
}

// grace is by how much a run may outlive its timeout.
const grace = 100 * time.Millisecond

// late reports whether a run must outlive its timeout by more than grace if it is to
// have a plan at all.
func late(began, prepared time.Time, timeout time.Duration) bool {
	took := prepared.Sub(began)
	return took+ending*took-grace > timeout // a timeout may be the longest there is
}

// ending is how many times as long as the preparation it takes to stack what the limit
// has left without a place, twice at most, and to check the plan.
const ending = 2

// gapsEnding is that where there are gaps: their pieces are sorted to be checked, not to
// be prepared.
const gapsEnding = 5

// planUntil returns when the planner must end, of a run that began at one time,
// is prepared at another, and may take so long in all. What comes after it is given no
// more than half of what is left.
func planUntil(began, prepared time.Time, timeout time.Duration, gaps bool) time.Time {
	end := began.Add(timeout)
	times := time.Duration(ending)
	if gaps {
		times = gapsEnding
	}
	aside := times * prepared.Sub(began)
	return end.Add(-min(aside, max(0, end.Sub(prepared)/2)))
}
