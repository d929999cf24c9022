package ruled

import (
	"context"

	"github.com/stowage-go/stowage/internal/ruled/floor"
	"github.com/stowage-go/stowage/model"
)

// mostFloors is the most buffers of a problem whose bounds are raised. Raising takes a few milliseconds for a thousand
// buffers.
const mostFloors = 10_000

// raise raises the bounds of an unproven result to bounds that need no search, measure by measure. If the plan meets
// all of them, it is proven.
//
// Invariant: a measure is held at its value only if its bound is met. So each bound holds for all plans that are as
// good in the measures before it.
func (a *attempt) raise(context.Context) error {
	p, r := a.p, &a.r
	if !r.Status.HasPlan() || len(p.Buffers) > mostFloors || len(r.Bounds) != len(p.Objective()) {
		return nil
	}
	f, proven := floor.New(p), true
	for k := range r.Bounds {
		b := &r.Bounds[k]
		value := model.ValueOf(r.Measures, b.Measure)
		b.Value = max(b.Value, min(value, f.Least(b.Measure)))
		if proven = proven && b.Value == value; proven {
			f.Hold(b.Measure, value)
		}
	}
	if proven {
		r.Status, r.ProvedBy = model.Optimal, r.Planner
	}
	if r.Bounds[0].Measure == model.MeasureHeight {
		r.LowerBound = max(r.LowerBound, r.Bounds[0].Value)
	}
	return nil
}
