package command

import (
	"context"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/model"
)

// Idea: a problem that does not fit is drawn as its lowest plan without the capacity. A line marks the capacity, and
// the buffers in conflict are red. So the picture shows how much is missing, where, and which buffers are the cause.

// mostDrawing is how long the lowest plan for a picture is searched.
const mostDrawing = 10 * time.Second

// misfit returns the picture of a problem that does not fit. If no plan is found in time, or if
// more than two fixed offsets collide, the picture has no plan and shows the load.
func misfit(ctx context.Context, p *stowage.Problem, o stowage.Options, x *stowage.Explanation, conflict []int,
	why string,
) *document {
	free, back := explain.Drawable(p, x)
	limits := stowage.Options{
		Minimize: true, Timeout: mostDrawing, NodeLimit: o.NodeLimit, Seed: o.Seed, Workers: o.Workers,
	}
	if o.Timeout > 0 {
		limits.Timeout = min(limits.Timeout, o.Timeout)
	}
	with := *p
	with.Capacity = x.Capacity
	d := &document{problem: &with, warning: why, conflict: conflict}
	// The problem was planned before, so it has no faults.
	if r, err := stowage.Solve(ctx, free, limits); err == nil {
		d.lowerBound = r.LowerBound
		if r.Status.HasPlan() {
			back(r.Offsets)
			d.offsets, d.height = r.Offsets, model.HeightOf(p, r.Offsets)
		}
	}
	return d
}
