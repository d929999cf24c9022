package plan

// Idea: a plan fits every capacity from its height up. A proof that no plan is lower than some height rules out every
// capacity below that height. So two numbers answer every capacity of a problem:
//
//	capacity >= Height        a plan is known that fits      Feasible
//	capacity <  LowerBound    it is proven that none fits    Infeasible
//	in between                nobody knows                   Unknown

import (
	"fmt"

	"github.com/stowage-go/stowage/model"
)

// Bounds are what is known of the capacities of one problem. The zero value says that nothing is.
type Bounds struct {
	// Status says what Height is. Optimal: the least capacity, so that LowerBound is the same. Feasible: a capacity
	// that is enough; a smaller one may be too. Unknown: no plan is known, and Height is 0. Infeasible: no capacity is
	// enough, because two fixed offsets collide, and Height is 0.
	Status model.Status
	// LowerBound is a proven bound in bytes: no plan is lower.
	LowerBound int64
	// Height is the height in bytes of the lowest plan that is known.
	Height int64
}

// BoundsOf returns what the result of a run says of all capacities. The run may have had a capacity: then Infeasible
// means that this capacity is not enough, unless Result.Collision is set.
func BoundsOf(r *Result) Bounds {
	known := Bounds{LowerBound: r.LowerBound}
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

// settled returns the bounds with the status that its numbers have shown.
func (b Bounds) settled() Bounds {
	if b.Status == model.Feasible && b.LowerBound == b.Height {
		b.Status = model.Optimal
	}
	return b
}

// Fits says whether a plan fits a capacity in bytes: Feasible if one is known, Infeasible if it is proven that there is
// none, and Unknown otherwise. A capacity of 0 is zero bytes here: only a problem without buffers fits.
func (b Bounds) Fits(capacity int64) model.Status {
	switch {
	case b.Status == model.Infeasible || capacity < b.LowerBound:
		return model.Infeasible
	case b.Status.HasPlan() && capacity >= b.Height:
		return model.Feasible
	}
	return model.Unknown
}

// Join returns what two Bounds of the same problem say together: the lower of the heights and the higher of the bounds.
// The error is for two that contradict each other, such as a plan that is lower than the other's bound. One of the two
// is then wrong, or they are of two problems.
func (b Bounds) Join(o Bounds) (Bounds, error) {
	joint := Bounds{LowerBound: max(b.LowerBound, o.LowerBound)}
	for _, one := range [...]Bounds{b, o} {
		if one.Status.HasPlan() && (joint.Status != model.Feasible || one.Height < joint.Height) {
			joint.Status, joint.Height = model.Feasible, one.Height
		}
	}
	never := b.Status == model.Infeasible || o.Status == model.Infeasible
	switch {
	case joint.Status == model.Feasible && never:
		return Bounds{}, fmt.Errorf("bounds: a plan has the height %d, but no capacity is said to be enough", joint.Height)
	case joint.Status == model.Feasible && joint.Height < joint.LowerBound:
		return Bounds{}, fmt.Errorf("bounds: a plan has the height %d, but no plan is said to be lower than %d", joint.Height,
			joint.LowerBound)
	case never:
		joint.Status = model.Infeasible
	}
	return joint.settled(), nil
}
