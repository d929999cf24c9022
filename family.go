package stowage

import (
	"context"

	"github.com/stowage-go/stowage/internal/shapes"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// SolveFamily plans a family of problems, which differ in the sizes of their buffers alone: a model with dynamic
// shapes. It plans the largest sizes as Solve does, and finds one order of the buffers for all sizes. Offsets for any
// sizes follow from the order in microseconds:
//
//	r, err := stowage.SolveFamily(ctx, f, stowage.Options{Timeout: 10 * time.Second})
//	height, err := r.Order.Place(sizes, offsets)
//
// No order is above the plan of the largest sizes, so an arena of r.Height holds all. SolveFamily sets the sizes of
// f.Problem to the largest: see model.Family. The error is as of Solve.
func SolveFamily(ctx context.Context, f *Family, o Options) (*FamilyResult, error) {
	return SolveFamilyOrders(ctx, f, 1, o)
}

// SolveFamilyOrders is SolveFamily with up to n orders. If one order is not at the load everywhere, it looks for
// several. The value of one symbol, or the number of the scenario, says which holds: see Switched in the result.
// The arena is the same. It takes the time of up to twenty families. Families with several pools get one order.
func SolveFamilyOrders(ctx context.Context, f *Family, n int, o Options) (*FamilyResult, error) {
	if err := f.Complete(); err != nil {
		return nil, err
	}
	r, err := shapes.SolveOrders(ctx, f, o, n, Solve)
	if err != nil || r.Order == nil {
		return r, err
	}
	report := verify.CheckFamily(f, r.Order.Below(), &r.Plan, r.Points)
	if report.OK() && r.Switched != nil {
		report = verify.CheckSwitched(f, r.Switched, r.Points, r.Height)
	}
	if !report.OK() {
		return nil, plan.Invalid(r.Planner, report.Violations[0].Message)
	}
	return r, nil
}

// VerifySwitched checks several orders of a family, each as VerifyFamily does, and the heights that they claim at
// points of the plan, which may not be above the arena, in bytes.
func VerifySwitched(f *Family, s *Switched, points []model.Point, arena int64) (*Report, error) {
	if err := f.Complete(); err != nil {
		return nil, err
	}
	return verify.CheckSwitched(f, s, points, arena), nil
}

// VerifyFamily checks an order of the buffers of a family: of any two buffers that are live together in one pool, one
// must lie above the other, so that they never overlap, whatever their sizes. below has, for each buffer, the indices
// of those that it must lie above. It also checks what plan and points claim: offsets and pools at the largest sizes,
// heights and loads. The report lists the faults. The error is an *InputError if the family is bad.
//
// It shares no code with the planners.
func VerifyFamily(f *Family, below [][]int32, plan *Plan, points []model.Point) (*Report, error) {
	if err := f.Complete(); err != nil {
		return nil, err
	}
	if err := model.Validate(f.Problem); err != nil {
		return nil, err
	}
	return verify.CheckFamily(f, below, plan, points), nil
}
