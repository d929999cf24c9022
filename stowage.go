// Package stowage plans static memory. Given buffers whose sizes and lifespans
// are known before a program runs, it gives each an offset so that no two that
// are live at once overlap, and the whole fits a capacity or is as low as can
// be, with a proof where there is one.
//
//	p := &stowage.Problem{Buffers: []stowage.Buffer{
//		{ID: "b1", Lower: 0, Upper: 3, Size: 4},
//		{ID: "b2", Lower: 3, Upper: 9, Size: 4},
//	}}
//	r, err := stowage.Minimize(ctx, p, stowage.Options{})
//
// Time is logical and half-open. Sizes and offsets are int64 in any unit.
// Every plan that this package returns has passed Verify.
package stowage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// The types of a problem and its plan.
type (
	Problem = model.Problem
	Buffer  = model.Buffer
	Gap     = model.Gap
	Window  = model.Window
	Plan    = model.Plan
	Status  = model.Status
)

// The outcomes of a run.
const (
	Unknown    = model.Unknown
	Feasible   = model.Feasible
	Optimal    = model.Optimal
	Infeasible = model.Infeasible
)

// What a run takes and gives.
type (
	Options     = plan.Options
	Progress    = plan.Progress
	Result      = plan.Result
	Stats       = plan.Stats
	PlannerInfo = plan.Info
	Technique   = plan.Technique
	Param       = plan.Param
)

// What Verify reports.
type (
	Report    = verify.Report
	Violation = verify.Violation
)

// What is wrong with an input.
type (
	InputError = model.InputError
	Issue      = model.Issue
)

// An Explanation names buffers that together cannot fit.
type Explanation = explain.Explanation

// DefaultPlanner is the planner that runs where Options.Planner is empty.
const DefaultPlanner = "auto"

// ErrInvalidPlan means that a planner returned a plan that Verify refuses: a
// mistake in this package, not in its input.
var ErrInvalidPlan = errors.New("stowage: a planner returned an invalid plan")

// Solve plans p. With a capacity (o.Capacity, or else p.Capacity) any plan that
// fits will do, unless o.Minimize asks for the lowest; without one it minimises.
//
// The error is for bad input (an *InputError, or an unknown planner, technique
// or parameter); that no plan exists or none was found in time is a Status. A
// context that ends stops the search, which then returns its best plan so far.
//
// The timeout covers everything from here on: validation, preparation, the
// planner, and the check of its plan, for which time is set aside.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	began := time.Now()
	if o.Capacity == 0 {
		o.Capacity = p.Capacity
	}
	if o.Planner == "" {
		o.Planner = DefaultPlanner
	}
	planner, err := run.Lookup(o.Planner)
	if err != nil {
		return nil, err
	}
	if err := plan.CheckOptions(planner.Info(), o); err != nil {
		return nil, err
	}
	if err := validate(p, o.Capacity); err != nil {
		return nil, err
	}
	if o.Start != nil {
		if err := checkStart(p, o.Start); err != nil {
			return nil, err
		}
	}
	tl := timeline.New(p)
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, planUntil(began, time.Now(), o.Timeout))
		defer cancel()
	}
	r, err := run.Run(ctx, planner, tl, o)
	if err != nil {
		return nil, err
	}
	if r.Status.HasPlan() {
		if report := verify.Check(p, r.Offsets, o.Capacity); !report.OK() || report.Height != r.Height {
			message := "the height is wrong"
			if !report.OK() {
				message = report.Violations[0].Message
			}
			return nil, fmt.Errorf("%w: %s: %s", ErrInvalidPlan, r.Planner, message)
		}
	}
	return &r, nil
}

// planUntil returns when the planner must end, of a run that began at one time,
// is prepared at another, and may take so long in all. The check of a plan takes
// about as long as the preparation; but it is given no more than half of what is left.
func planUntil(began, prepared time.Time, timeout time.Duration) time.Time {
	end := began.Add(timeout)
	return end.Add(-min(prepared.Sub(began), max(0, end.Sub(prepared)/2)))
}

// Minimize is Solve with Options.Minimize set: it looks for the lowest plan and
// goes on until that is proven or a limit comes.
func Minimize(ctx context.Context, p *Problem, o Options) (*Result, error) {
	o.Minimize = true
	return Solve(ctx, p, o)
}

// Verify checks offsets, in the order of p.Buffers, against the problem and its
// capacity (0 for none). It shares no code with the planners.
func Verify(p *Problem, offsets []int64, capacity int64) *Report {
	return verify.Check(p, offsets, capacity)
}

// Explain finds an irreducible set of buffers that cannot fit the capacity
// (o.Capacity, or else p.Capacity): without any one of them the rest fit. Where
// the problem is feasible, or a limit comes before an answer, the explanation's
// Status says so.
func Explain(ctx context.Context, p *Problem, o Options) (*Explanation, error) {
	if o.Capacity == 0 {
		o.Capacity = p.Capacity
	}
	if o.Planner == "" {
		o.Planner = DefaultPlanner
	}
	planner, err := run.Lookup(o.Planner)
	if err != nil {
		return nil, err
	}
	if err := plan.CheckOptions(planner.Info(), o); err != nil {
		return nil, err
	}
	if err := validate(p, o.Capacity); err != nil {
		return nil, err
	}
	if o.Capacity == 0 {
		return nil, errors.New("stowage: explain needs a capacity")
	}
	return explain.Irreducible(ctx, p, planner, o)
}

// Planners describes the planners that are registered, by name.
func Planners() []PlannerInfo {
	var infos []PlannerInfo
	for _, p := range run.All() {
		infos = append(infos, p.Info())
	}
	return infos
}

// LowerBound returns a height that no plan of p can be under: the contention
// peak, sharpened by alignment and fixed offsets.
func LowerBound(p *Problem) (int64, error) {
	if err := model.Validate(p); err != nil {
		return 0, err
	}
	return timeline.New(p).LowerBound, nil
}

// checkStart refuses a plan to start from that breaks a rule. It may be above
// the capacity: what counts is where it leads.
func checkStart(p *Problem, offsets []int64) error {
	var issues model.Issues
	for _, v := range verify.Check(p, offsets, 0).Violations {
		issues.Add(Issue{Field: "start", Message: v.Message})
	}
	return issues.Err()
}

// validate checks p as if capacity were its own.
func validate(p *Problem, capacity int64) error {
	with := *p
	with.Capacity = capacity
	return model.Validate(&with)
}
