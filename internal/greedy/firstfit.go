package greedy

import (
	"context"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: place the largest buffer first. Each buffer goes to the lowest offset at which it
// conflicts with no buffer placed before. Large buffers are hard to place late, and small ones
// fill the holes that are left. If a candidate offset is in use, the next candidate is the end
// of the range in use (offset jumping).
//
// Invariant: sizes do not increase. Equal sizes keep the order of the input, so the plan
// follows from the file alone.
//
// Complexity: that of place.Place.
//
// Source: IREE wave (ceaa2b5), "Optimizing Shared Memory Allocations". Its worked example is a
// test. Its lifetimes are inclusive: (1, 5) is [1, 6) here. Fixed offsets, gaps, windows and
// alignment are additions.
//
// Trials: docs/lab/greedy.md (breaking ties by duration helps S_1 and hurts pangu_2.6B).

func init() { run.RegisterWith(&firstFit{}, false, func() run.Settings { return none{} }) }

type firstFit struct{}

// Name returns the planner's name.
func (*firstFit) Name() string { return "first-fit" }

// none is the type of the settings of a planner without settings.
type none struct{}

func (none) Declare(*run.Declaration) {}

// Info describes the planner.
func (p *firstFit) Info() plan.Info {
	return plan.Info{
		Name:    p.Name(),
		Summary: "largest first, each at the lowest free offset",
		Source:  "IREE wave, Optimizing Shared Memory Allocations",
	}
}

// Plan places all buffers once. It ignores NodeLimit, Seed and Workers. A plan above the
// capacity proves nothing, so the status is then Unknown.
func (*firstFit) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	w := place.Watch(ctx, tl)
	defer w.Close()
	order, below := Sorted(w, tl, "Z"), int64(place.Unlimited)
	if o.Capacity > 0 {
		below = o.Capacity + 1
	}
	r.Stats.Nodes = int64(len(order))
	if !place.FixedFit(tl.Problem, o.Capacity) {
		r.Status = model.Infeasible
		return r, nil
	}
	offsets, height, end := place.Below(w, tl, order, place.FirstFit, below)
	if offsets != nil {
		r.Status, r.Offsets, r.Height = model.Feasible, offsets, height
	} else if end == place.TooHigh {
		// The placement may have ended before it met a collision.
		end = place.Collide(w, tl)
	}
	if end == place.Collided {
		r.Status = model.Infeasible
	}
	return r, nil
}
