package stowage

import (
	"context"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/sizing"
)

// A Sizing says which capacities are enough for a problem.
type Sizing struct {
	// Range has the lower bound and the height of the plan, in bytes. Its method Fits
	// answers every capacity.
	sizing.Range
	// Result is the run that found this out, with the same Status, LowerBound and Height. If it
	// has a plan, that plan fits every capacity from Height up.
	Result *Result
}

// Size finds which capacities are enough for p: the least one, with a proof, if no limit
// comes first. It takes as long as Minimize. The capacities of p and o do not count. A problem with
// rules is refused (ErrUnsupported).
//
//	s, err := stowage.Size(ctx, p, stowage.Options{Timeout: time.Second})
//	switch s.Fits(512 << 10) {
//	case stowage.Feasible:   // s.Result.Offsets fit
//	case stowage.Infeasible: // proven: no plan fits
//	default:                 // a limit came first; s.LowerBound <= the least capacity <= s.Height
//	}
//
// LowerBound may be above that of Minimize, because Size rounds it up to a height that the
// sizes of the buffers can make: if all sizes are multiples of 64, so is the least height. A
// heuristic, such as first-fit, proves little more than the load; Join of package sizing adds
// up what several planners have shown. Package sizing also counts many problems.
//
// The error is an *InputError or one of those that Solve has.
func Size(ctx context.Context, p *Problem, o Options) (*Sizing, error) {
	o.Capacity = 0
	if p != nil {
		free := *p
		free.Capacity = 0
		p = &free
	}
	if p != nil && p.Ruled() {
		return nil, noRules("Size does not take")
	}
	r, err := Minimize(ctx, p, o)
	if err != nil {
		return nil, err
	}
	known, err := sizing.Of(r).Join(sizing.Range{LowerBound: bound.Up(r.LowerBound, bound.Step(p))})
	if err != nil {
		return nil, plan.Invalid(r.Planner, err.Error())
	}
	r.LowerBound = known.LowerBound
	if known.Status == Optimal && r.Status != Optimal {
		r.Status, r.ProvedBy, r.Stopped = Optimal, run.Bound, Finished
	}
	return &Sizing{Range: known, Result: r}, nil
}
