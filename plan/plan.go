// Package plan is what every planner has in common: the one interface, the
// options and results, the limits, and the registry that knows each planner by
// name.
//
// A planner is a package of its own that calls Register from an init function,
// and is known wherever that package is imported, as image/png is. The root
// package imports what its default planner needs; planner/baselines and
// planner/milp bring more. A program may register planners of its own.
//
//	plan.go      Planner, Info: what a planner is
//	options.go   Options: what a run takes
//	result.go    Result, Progress, Explanation: what a run gives
//	move.go      Move: what a search tries
//	errors.go    the kinds of refusal
//	registry.go  the planners by name
package plan

import (
	"context"

	"github.com/stowage-go/stowage/model"
)

// A Planner makes plans. If it is registered (Register), Solve finds it by its name.
//
// Plan is given a problem that has been validated. The capacity that counts is that of the
// options, not the problem's. Plan changes neither. It returns soon after ctx ends, with
// the best plan so far; the timeout is a deadline of ctx. The error is for a problem that
// the planner does not take (ErrUnsupported, which plan.Unsupported makes), never for an
// outcome: an outcome is a Status. A plan above Options.Capacity does not count. If there
// is no other, the Status is Unknown, or Infeasible if that is proven, without Offsets.
// Feasible or Optimal with such a plan is a mistake, ErrInvalidPlan. Plan may be called
// from many goroutines.
//
// Whoever runs a planner completes its result: the planner's name, the elapsed time, the
// height from the offsets, why the run ended, and what follows from bounds alone. Solve
// verifies the plan. It believes the planner that a problem is infeasible, or that a bound
// is proven. A planner that panics is not caught.
type Planner interface {
	Info() Info
	Plan(ctx context.Context, p *model.Problem, o Options) (Result, error)
}

// Info, which is PlannerInfo in the root package, describes a planner.
type Info struct {
	// Name identifies the planner in Options.Planner, on the command line and in JSON, in
	// lower case with hyphens.
	Name string
	// Summary says in one line how it plans.
	Summary string
	// Source is the paper or project that it follows.
	Source string
	// Exact planners prove optimality and infeasibility, given time.
	Exact bool
	// Moves says that the planner reports its moves (Options.Moves), itself or by a planner
	// that it runs.
	Moves bool
	// Techniques can be switched off by name (Options.Without).
	Techniques []Technique
	// Params can be set by name (Options.Params).
	Params []Param
	// Check, if set, refuses values of options that the planner does not take. It is called
	// before a run begins.
	Check func(Options) error
}

// A Technique is a part of a planner that can be switched off.
type Technique struct {
	// Name is the name for Options.Without.
	Name string
	// Summary says in one line what it does.
	Summary string
}

// A Param is a tunable of a planner.
type Param struct {
	// Name is the key in Options.Params.
	Name string
	// Default is the value where the key is missing.
	Default string
	// Values says in words which texts it takes, such as "a whole number from 1 to 100". It
	// is empty if any will do.
	Values string
	// Summary says in one line what it sets.
	Summary string
}
