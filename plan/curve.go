package plan

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// A CurvePoint is the answer of several problems at one capacity: how many of them fit, how many
// cannot, and of how many it is not known. The three add up to the number of problems.
type CurvePoint struct {
	Capacity   int64 // in bytes
	Feasible   int   // problems with a plan that fits
	Infeasible int   // problems that are proven not to fit
	Unknown    int   // problems that are undecided
}

// Add counts one more answer.
func (p *CurvePoint) Add(s model.Status) {
	switch {
	case s.HasPlan():
		p.Feasible++
	case s == model.Infeasible:
		p.Infeasible++
	default:
		p.Unknown++
	}
}

// CurveAt returns the point of the curve at a capacity in bytes, in O(n) time for n problems.
func CurveAt(problems []Bounds, capacity int64) CurvePoint {
	p := CurvePoint{Capacity: capacity}
	for _, r := range problems {
		p.Add(r.Fits(capacity))
	}
	return p
}

// CurveSteps returns the capacities at which the curve changes, ascending: each lower bound and each height. From one
// of them up to the next, all capacities have the same answers. Below the first, no problem fits.
func CurveSteps(problems []Bounds) []int64 {
	var steps []int64
	for _, r := range problems {
		if r.Status != model.Infeasible {
			steps = append(steps, r.LowerBound)
		}
		if r.Status.HasPlan() {
			steps = append(steps, r.Height)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// LeastCapacity returns the least capacity in bytes at which at least count of the problems are known
// to fit; ok is false if plans are known for fewer. count is from 1 to the number of problems.
func LeastCapacity(problems []Bounds, count int) (capacity int64, ok bool) {
	var heights []int64
	for _, r := range problems {
		if r.Status.HasPlan() {
			heights = append(heights, r.Height)
		}
	}
	if count < 1 || count > len(heights) {
		return 0, false
	}
	slices.Sort(heights)
	return heights[count-1], true
}
