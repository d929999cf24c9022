package greedy

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the largest buffer first, each at the lowest offset where it conflicts
// with none of those placed before. Large buffers are hard to place late, and
// small ones fill the holes that are left. Where a candidate offset is in use,
// the next one is the end of what is in use there (offset jumping).
//
// Invariant: sizes do not increase; equal sizes keep the input's order, so that
// the plan is a function of the file alone.
//
// Complexity: that of Place; 18,692 long-lived buffers take some 30 ms.
//
// Source: IREE wave (ceaa2b5), "Optimizing Shared Memory Allocations", whose
// worked example is a test. Its lifetimes are inclusive: (1, 5) is [1, 6) here.
// Fixed offsets, gaps, windows and alignment are additions.
//
// Tried and dropped: breaking ties by duration, which takes idealloc's S_1 from
// 4.2% over the load to 2.9%, but pangu_2.6B from 0.8% to 3.3%.

func init() { run.Register(firstFit{}) }

type firstFit struct{}

// Info describes the planner.
func (firstFit) Info() plan.Info {
	return plan.Info{
		Name:    "first-fit",
		Summary: "largest first, each at the lowest free offset",
		Source:  "IREE wave, Optimizing Shared Memory Allocations",
	}
}

// Plan places all buffers once. It has no use for NodeLimit, Seed and Workers.
// A plan above the capacity proves nothing, so the status is then Unknown.
func (firstFit) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return planOnce(ctx, tl, o, sorted(tl, "Z"), FirstFit), nil
}

// planOnce places the buffers in one order and judges the outcome.
func planOnce(ctx context.Context, tl *timeline.Timeline, o plan.Options, order []int32, fit Fit) plan.Result {
	limit := int64(math.MaxInt64)
	if o.Capacity > 0 {
		limit = o.Capacity + 1
	}
	r := plan.Result{Stats: plan.Stats{Nodes: int64(len(order))}}
	if !fixedFit(tl.Problem, o.Capacity) {
		r.Status = model.Infeasible
		return r
	}
	offsets, end := place(ctx, tl, order, fit, limit)
	switch end {
	case placed:
		r.Status, r.Offsets = model.Feasible, offsets
		r.Height = model.HeightOf(tl.Problem, offsets)
	case collided:
		r.Status = model.Infeasible
	case tooHigh, stopped:
		// The placement may have ended before it met a collision.
		if collide(tl) {
			r.Status = model.Infeasible
		}
	}
	return r
}

// fixedFit reports whether each buffer with a fixed offset ends within the
// capacity; 0 means that there is none.
func fixedFit(p *model.Problem, capacity int64) bool {
	for i := range p.Buffers {
		if b := &p.Buffers[i]; capacity > 0 && b.Fixed != nil && *b.Fixed > capacity-b.Size {
			return false
		}
	}
	return true
}
