package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/digest"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a long run keeps its best plan and its bound in a file, and the next run with that file goes on from there. The
// file is an ordinary plan in JSON, so every command reads it. It is replaced as a whole, so a kill leaves the file of
// the second before.
//
// Invariant: the plan in the file is checked like any plan to start from. The bound in it is taken only for the same
// buffers, by their digest.
//
// Complexity: at most one file a second, and none if nothing has changed.

// checkpointEvery is how much of a run a kill may lose.
const checkpointEvery = time.Second

// byCheckpoint says who proved a bound that an earlier run left.
const byCheckpoint = "checkpoint"

// A checkpoint is the file of --checkpoint.
type checkpoint struct {
	path string
	p    *stowage.Problem
	low  int64 // the bound of earlier runs

	mu      sync.Mutex
	best    stowage.Progress // the lowest plan with offsets, and the highest bound
	changed bool
}

// resume reads the file, if there is one, and makes a run with these options start from its plan. The run ends if it
// reaches the bound that the file has.
func (c *checkpoint) resume(ctx context.Context, o *stowage.Options) (context.Context, error) {
	f, err := format.ReadFileWith(c.path, format.Options{})
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return ctx, err
	case f.Plan == nil || digest.Of(f.Problem) != digest.Of(c.p):
		return ctx, fmt.Errorf("%s: is no checkpoint of this problem: the buffers are others; name another file, or "+
			"delete this one", c.path)
	default:
		c.low = f.Plan.LowerBound
		if f.Plan.Offsets != nil {
			o.Start = f.Plan.Offsets
			c.best = stowage.Progress{Height: f.Plan.Height, Offsets: f.Plan.Offsets}
		}
		c.best.LowerBound = c.low
	}
	ctx, cancel := context.WithCancel(ctx)
	before := o.Progress
	o.Progress = func(q stowage.Progress) {
		if c.see(q) {
			cancel()
		}
		if before != nil {
			before(q)
		}
	}
	if c.see(stowage.Progress{}) {
		cancel() // the earlier runs have the answer: the planner returns its start
	}
	return ctx, nil
}

// see keeps a snapshot that is better. It reports whether no plan can be lower by the bound of earlier runs.
func (c *checkpoint) see(q stowage.Progress) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.Offsets != nil && (c.best.Offsets == nil || q.Height < c.best.Height) {
		c.best.Height, c.best.Offsets, c.changed = q.Height, slices.Clone(q.Offsets), true
	}
	if q.LowerBound > c.best.LowerBound {
		c.best.LowerBound, c.changed = q.LowerBound, true
	}
	return c.low > 0 && c.best.Offsets != nil && c.best.Height <= c.low
}

// keep writes the file again and again until end is called.
func (c *checkpoint) keep() (end func() error) {
	var failed error
	stop := each(checkpointEvery, func() bool {
		c.mu.Lock()
		best, changed := c.best, c.changed
		c.changed = false
		c.mu.Unlock()
		if changed {
			failed = c.write(best)
		}
		return failed == nil
	})
	return func() error {
		stop()
		return failed
	}
}

// write replaces the file.
func (c *checkpoint) write(best stowage.Progress) error {
	free := *c.p
	free.Capacity = 0 // the plan may be above the capacity of this run
	d := &document{problem: &free, offsets: best.Offsets, height: best.Height, lowerBound: best.LowerBound}
	d.result = &stowage.Result{Status: stowage.Unknown, Planner: stowage.DefaultPlanner}
	if best.Offsets != nil {
		d.result.Status = stowage.Feasible
		if best.Height <= best.LowerBound {
			d.result.Status = stowage.Optimal
		}
	}
	if err := format.WriteFile(c.path, func(w io.Writer) error { return writeJSON(w, d) }); err != nil {
		return outputError{c.path, err}
	}
	return nil
}

// finish adds the bound of earlier runs to a result, and writes the file a last time.
func (c *checkpoint) finish(r *stowage.Result) error {
	if c.low > r.LowerBound && r.Status != stowage.Infeasible {
		r.LowerBound = c.low
		if r.Status.HasPlan() && r.Height <= c.low {
			r.LowerBound, r.Status, r.ProvedBy, r.Stopped = r.Height, stowage.Optimal, byCheckpoint, plan.Finished
		}
	}
	c.see(stowage.Progress{Height: r.Height, Offsets: r.Offsets, LowerBound: r.LowerBound})
	return c.write(c.best)
}
