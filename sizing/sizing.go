// Package sizing says which capacities are enough, for one problem and for many.
//
// A plan fits every capacity from its height up. A proof that no plan is lower than some
// height rules out every capacity below that height. So two numbers answer every capacity:
//
//	capacity >= Height        a plan is known that fits      Feasible
//	capacity <  LowerBound    it is proven that none fits    Infeasible
//	in between                nobody knows                   Unknown
//
// A Range holds these numbers for one problem. Of reads them from the result of any run,
// with a capacity or without, and Join adds up what several runs have shown. At counts the
// answers of many problems at one capacity, which is a point of a curve.
//
//	sizing.go  Range: what is known of one problem
//	curve.go   At, Steps, Least: many problems
//
// The package runs no planner. stowage.Size does.
package sizing

import (
	"fmt"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Range is what is known of the capacities of one problem. The zero value says that
// nothing is.
type Range struct {
	// Status says what Height is. Optimal: the least capacity, so that LowerBound is the
	// same. Feasible: a capacity that is enough; a smaller one may be too. Unknown: no plan
	// is known, and Height is 0. Infeasible: no capacity is enough, because two fixed
	// offsets collide, and Height is 0.
	Status model.Status
	// LowerBound is a proven bound in bytes: no plan is lower.
	LowerBound int64
	// Height is the height in bytes of the lowest plan that is known.
	Height int64
}

// Of returns what the result of a run says of all capacities. The run may have had a
// capacity: then Infeasible means that this capacity is not enough, unless
// Result.Collision is set.
func Of(r *plan.Result) Range {
	known := Range{LowerBound: r.LowerBound}
	switch {
	case r.Status.HasPlan():
		known.Status, known.Height = model.Feasible, r.Height
	case r.Status == model.Infeasible && r.Collision != nil:
		known.Status = model.Infeasible
	case r.Status == model.Unknown && r.Enough > 0:
		known.Status, known.Height = model.Feasible, r.Enough
	}
	return known.settled()
}

// settled returns a range with the status that its numbers have shown.
func (r Range) settled() Range {
	if r.Status == model.Feasible && r.LowerBound == r.Height {
		r.Status = model.Optimal
	}
	return r
}

// Fits says whether a plan fits a capacity in bytes: Feasible if one is known, Infeasible if
// it is proven that there is none, and Unknown otherwise. A capacity of 0 is zero bytes here:
// only a problem without buffers fits.
func (r Range) Fits(capacity int64) model.Status {
	switch {
	case r.Status == model.Infeasible || capacity < r.LowerBound:
		return model.Infeasible
	case r.Status.HasPlan() && capacity >= r.Height:
		return model.Feasible
	}
	return model.Unknown
}

// Join returns what two ranges of the same problem say together: the lower of the heights
// and the higher of the bounds. The error is for two ranges that contradict each other, such as
// a plan that is lower than the other's bound. One of the two is then wrong, or they are of
// two problems.
func (r Range) Join(o Range) (Range, error) {
	joint := Range{LowerBound: max(r.LowerBound, o.LowerBound)}
	for _, one := range [...]Range{r, o} {
		if one.Status.HasPlan() && (joint.Status != model.Feasible || one.Height < joint.Height) {
			joint.Status, joint.Height = model.Feasible, one.Height
		}
	}
	never := r.Status == model.Infeasible || o.Status == model.Infeasible
	switch {
	case joint.Status == model.Feasible && never:
		return Range{}, fmt.Errorf("sizing: a plan has the height %d, but no capacity is said to be enough", joint.Height)
	case joint.Status == model.Feasible && joint.Height < joint.LowerBound:
		return Range{}, fmt.Errorf("sizing: a plan has the height %d, but no plan is said to be lower than %d", joint.Height,
			joint.LowerBound)
	case never:
		joint.Status = model.Infeasible
	}
	return joint.settled(), nil
}
