package poolchoice

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/heights"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: loads and costs say nothing about who shares an object. So buffers are placed one after the other, into the
// pool and the object that raise the objective least, in better and better orders (internal/ruled/heights). Then each
// pool is planned by itself, which proves how low it is with its buffers.
//
// Invariant: a plan proves nothing about other pools.
//
// Complexity: that of heights.Field.Descend.

// divided reports whether some pool is divided into objects, and buffers have a choice.
func (c *chooser) divided() bool { return c.loads != nil && c.lowering.Problem.Rules.HasObjects() }

// share looks for a plan of an order.
func (c *chooser) share(ctx context.Context) error {
	goals := c.sharing()
	if len(goals) == 0 {
		return nil
	}
	f := heights.Shared(c.lowering, c.loads, goals)
	if f == nil {
		return nil
	}
	within, end := run.Share(ctx, 4)
	defer end()
	found := f.Descend(within, make([]int64, len(goals)))
	if found == nil {
		return nil
	}
	return c.keep(within, &model.Plan{Offsets: found.Offsets, Pools: found.Pools}, true)
}

// sharing returns the measures that come first and that orders can lower: heights and the number of objects. Measures
// that are 0 in each plan count for nothing.
func (c *chooser) sharing() (goals []model.Measure) {
	p := c.lowering.Problem
	priced := slices.ContainsFunc(p.Rules.Pools, func(q model.Pool) bool { return q.Cost > 0 || len(q.Sizes) > 0 }) ||
		slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Extra != nil && len(b.Extra.Costs) > 0 })
	for _, m := range p.Objective() {
		switch {
		case m == model.MeasureEviction, m == model.MeasureCost && !priced, m == model.MeasurePenalty && len(p.Rules.Penalties) == 0:
		case m == model.MeasureCost || m == model.MeasurePenalty:
			return goals
		default:
			goals = append(goals, m)
		}
	}
	return goals
}
