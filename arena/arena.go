// Package arena plans the steps of a running program. stowage_arena.c, in this folder, records what a
// program allocates, and later serves it from the plan that Make makes of the recording. The C file
// needs no Go and nothing else of Stowage; docs/arena.md describes it and both formats.
//
//	arena.go    a trace becomes plans, each stream planned by Stowage
//	caching.go  what PyTorch's caching allocator would take, simulated
//	compare.go  what other allocators would take
package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stowage-go/stowage"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a step that repeats is a cycle, and the allocations of a stream in this cycle are a
// problem with a period. Streams pass no bytes to one another, so each has a region of its own, and the
// height is the sum of their heights. The sum of their bounds is a bound for all plans that keep streams apart.
//
// Complexity: that of the planner, once for each stream.

// Options say how to plan a trace. The zero value is usable.
type Options struct {
	// Solve has the options of each run: planner, limits, workers, seed. Its timeout is for all
	// streams together; 0 means DefaultTimeout. Capacity must be 0.
	Solve stowage.Options
	// Alignment is the least alignment of every allocation, in bytes: a power of two, at most 2^30. 0 means 64.
	Alignment int64
	// Guard is how many bytes behind each allocation stay free, at most 2^20, so that guard mode sees what is
	// written behind it.
	Guard int64
	// All also plans steps that come only once in the trace. Usually they are the first steps, which differ.
	All bool
	// Apart tells steps that ask for the same apart by which allocations survive them, if one plan for all of them would
	// have to leave something to the usual allocator. The arena then chooses by what is live when a step begins.
	Apart bool
	// Baselines names planners whose heights the plan carries beside its own, behind the
	// simulation of PyTorch's caching allocator, which it always carries. See Compare.
	Baselines []string
}

// DefaultTimeout is the limit of a call of Make without one.
const DefaultTimeout = 20 * time.Second

// ErrNothing means that a trace has no whole step with an allocation.
var ErrNothing = errors.New("the trace has no whole step with an allocation: begin and end a step around the work, " +
	"and record at least two")

// Make plans the steps of a trace: a plan for each kind of step that comes at least twice, or for
// the last step if none does. The plans share one block; its height is the Height of each. A
// plan's Status is Optimal if no plan with a region for each stream is lower. Each plan has passed the verifier.
//
// The error is ErrNothing, or for bad options, or says that ctx ended before there was a plan.
func Make(ctx context.Context, t *trace.Trace, o Options) ([]trace.Plan, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	plans := trace.Fold(t, trace.FoldOptions{Alignment: o.Alignment, Guard: o.Guard, All: o.All, Apart: o.Apart})
	if len(plans) == 0 {
		return nil, ErrNothing
	}
	if o.Solve.Timeout == 0 {
		o.Solve.Timeout = DefaultTimeout
	}
	heaps := trace.Heaps(plans)
	baselines, err := Compare(ctx, plans, o.Baselines)
	if err != nil {
		return nil, err
	}
	alignment := int64(1)
	for i := range plans {
		alignment = max(alignment, plans[i].Alignment)
	}
	began := time.Now()
	var regions []trace.Region
	height, bound, status := int64(0), int64(0), model.Optimal
	for k := range heaps {
		h := &heaps[k]
		run := o.Solve
		run.Timeout = max(1, (o.Solve.Timeout-time.Since(began))/time.Duration(len(heaps)-k))
		r, err := stowage.Minimize(ctx, h.Problem, run)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", h.Name(), err)
		}
		if !r.Status.HasPlan() {
			return nil, fmt.Errorf("stream %s: no plan: %s", h.Name(), r.Stopped)
		}
		if r.Status != model.Optimal {
			status = model.Feasible
		}
		height = up(height, alignment)
		bound = up(bound, alignment) + r.LowerBound
		regions = append(regions, trace.Region{Stream: h.Stream, Offset: height, Size: r.Height})
		for b, of := range h.Of {
			plans[of[0]].Lanes[of[1]].Allocations[of[2]].Offset = height + r.Offsets[b]
		}
		height += r.Height
	}
	for i := range plans {
		p := &plans[i]
		p.Alignment, p.Height, p.Bound, p.Status = alignment, height, min(bound, height), status
		p.Regions, p.Baselines = regions, baselines
	}
	return plans, nil
}

func up(x, step int64) int64 { return (x + step - 1) / step * step }

// check says what is wrong with the options. All faults are in one error.
func (o *Options) check() error {
	var issues model.Issues
	if a := o.Alignment; a < 0 || a > 1<<30 || a&(a-1) != 0 {
		issues.Say("alignment", fmt.Sprint(a), "must be a power of two, at most 2^30")
	}
	if o.Guard < 0 || o.Guard > 1<<20 {
		issues.Say("guard", fmt.Sprint(o.Guard), "must be from 0 to 2^20")
	}
	if o.Solve.Capacity != 0 {
		issues.Say("capacity", fmt.Sprint(o.Solve.Capacity), "must be 0: a plan of an arena is the lowest")
	}
	for _, name := range o.Baselines {
		if _, err := plan.Find(name); err != nil && name != CachingName {
			issues.Say("baselines", "", err.Error())
		}
	}
	return issues.Err()
}

// Verify checks plans by the rules of their problems: no two allocations that are live together share bytes. (That each
// lies in the region of its stream is checked when a plan is read.) It returns a report for each stream, in the order
// of trace.Heaps. The error is for a plan that lacks an offset, or is no valid problem.
func Verify(plans []trace.Plan) ([]*stowage.Report, error) {
	var all []*stowage.Report
	for _, h := range trace.Heaps(plans) {
		if h.Offsets == nil {
			return nil, fmt.Errorf("stream %s: an allocation has no offset", h.Name())
		}
		r, err := stowage.VerifyPlan(h.Problem,
			&stowage.Plan{Offsets: h.Offsets, Height: model.HeightOf(h.Problem, h.Offsets)})
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", h.Name(), err)
		}
		all = append(all, r)
	}
	return all, nil
}
