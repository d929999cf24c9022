package main

import (
	"context"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/model"
)

// Idea: what does not fit is drawn as the lowest plan without the capacity, with the line
// of the capacity across it and the buffers in conflict in red. So one sees by how much it
// fails, where, and because of whom.

// mostDrawing is how long the lowest plan is looked for, for the sake of a picture.
const mostDrawing = 10 * time.Second

// misfit returns the picture of a problem that cannot fit. It has no plan if none is found
// in time, or if more than two fixed offsets collide; the load is then drawn.
func misfit(ctx context.Context, p *stowage.Problem, o stowage.Options, x *stowage.Explanation, conflict []int, why string) *document {
	free, back := explain.Drawable(p, x)
	limits := stowage.Options{Minimize: true, Timeout: mostDrawing, NodeLimit: o.NodeLimit, Seed: o.Seed, Workers: o.Workers}
	if o.Timeout > 0 {
		limits.Timeout = min(limits.Timeout, o.Timeout)
	}
	with := *p
	with.Capacity = x.Capacity
	d := &document{problem: &with, warning: why, conflict: conflict}
	// The problem was planned before, so nothing is wrong with it.
	if r, err := stowage.Solve(ctx, free, limits); err == nil {
		d.lowerBound = r.LowerBound
		if r.Status.HasPlan() {
			back(r.Offsets)
			d.offsets, d.height = r.Offsets, model.HeightOf(p, r.Offsets)
		}
	}
	return d
}
