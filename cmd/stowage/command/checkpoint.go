package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	wrote   fs.FileInfo // the file as this run has written it; nil before
}

// resume reads the file, if there is one, and makes a run with these options start from its plan. The run ends if it
// reaches the bound that the file has.
func (c *checkpoint) resume(ctx context.Context, o *stowage.Options) (context.Context, error) {
	if ext := filepath.Ext(c.path); ext != ".json" {
		return ctx, usagef("--checkpoint %s: the file is a plan in JSON, so its name ends in .json", c.path)
	}
	switch kept, err := c.read(); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return ctx, err
	default:
		c.best, c.low = kept, kept.LowerBound
		if kept.Offsets != nil {
			o.Start = kept.Offsets
		}
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

// read returns the plan and the bound in the file.
func (c *checkpoint) read() (kept stowage.Progress, err error) {
	f, err := format.ReadFileWith(c.path, format.Options{})
	if err != nil {
		return kept, err
	}
	if f.Plan == nil || digest.Of(f.Problem) != digest.Of(c.p) {
		return kept, fmt.Errorf("%s: is no checkpoint of this problem: the buffers are others; name another file, or "+
			"delete this one", c.path)
	}
	return stowage.Progress{Height: f.Plan.Height, Offsets: f.Plan.Offsets, LowerBound: f.Plan.LowerBound}, nil
}

// see keeps a snapshot that is better. It reports whether the bound of earlier runs is the answer.
func (c *checkpoint) see(q stowage.Progress) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.Offsets != nil && (c.best.Offsets == nil || q.Height < c.best.Height) {
		c.best.Height, c.best.Offsets, c.changed = q.Height, slices.Clone(q.Offsets), true
	}
	if q.LowerBound > c.best.LowerBound {
		c.best.LowerBound, c.changed = q.LowerBound, true
	}
	capacity := c.p.Capacity
	return c.low > 0 && (capacity > 0 && c.low > capacity ||
		c.best.Offsets != nil && c.best.Height <= c.low && (capacity == 0 || c.best.Height <= capacity))
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

// joined adds what another run has written meanwhile, if it is better. The file is not locked: of two runs that write in
// the same moment, one writes again later.
func (c *checkpoint) joined(best stowage.Progress) stowage.Progress {
	now, err := os.Stat(c.path)
	if err != nil || c.wrote != nil && os.SameFile(now, c.wrote) && now.ModTime().Equal(c.wrote.ModTime()) {
		return best
	}
	other, err := c.read()
	if err != nil {
		return best
	}
	if other.Offsets != nil && (best.Offsets == nil || other.Height < best.Height) {
		if r, err := stowage.Verify(c.p, other.Offsets, 0); err == nil && r.OK() {
			best.Height, best.Offsets = r.Height, other.Offsets
		}
	}
	if other.LowerBound > best.LowerBound && (best.Offsets == nil || other.LowerBound <= best.Height) {
		best.LowerBound = other.LowerBound
	}
	return best
}

// write replaces the file.
func (c *checkpoint) write(best stowage.Progress) error {
	best = c.joined(best)
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
	c.wrote, _ = os.Stat(c.path)
	return nil
}

// finish adds the bound of earlier runs to a result, and writes the file a last time. A plan below that bound shows that
// the bound is false: it is dropped, and the run is not to be believed.
func (c *checkpoint) finish(r *stowage.Result) error {
	if r.Status.HasPlan() && r.Height < c.low {
		os.Remove(c.path) // else its bound would be joined
		c.best = stowage.Progress{Height: r.Height, Offsets: r.Offsets}
		return cmp.Or(c.write(c.best), fmt.Errorf("%s: its lower bound %d is false, since a plan is %d high; the bound is dropped: "+
			"run again", c.path, c.low, r.Height))
	}
	if c.low > r.LowerBound {
		r.LowerBound = c.low
		switch {
		case r.Status.HasPlan() && r.Height == c.low:
			r.Status, r.ProvedBy, r.Stopped = stowage.Optimal, byCheckpoint, plan.Finished
		case !r.Status.HasPlan() && c.p.Capacity > 0 && c.low > c.p.Capacity:
			r.Status, r.ProvedBy, r.Stopped, r.Enough = stowage.Infeasible, byCheckpoint, plan.Finished, 0
		}
	}
	c.see(stowage.Progress{Height: r.Height, Offsets: r.Offsets, LowerBound: r.LowerBound})
	return c.write(c.best)
}
