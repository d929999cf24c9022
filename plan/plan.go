// Package plan holds what all planners share: the interface Planner, the options and
// results of a run, and the registry that finds a planner by its name.
//
// A planner is a package that calls Register from an init function. A program has the planner if it imports that
// package, as with image/png. The root package imports what its default planner needs; plan/all has the others of
// Stowage, lab/baselines and lab/milp those of the laboratory. A program may register planners of its own.
//
//	plan.go      Planner, Info: what a planner is
//	options.go   Options: what a run takes
//	result.go    Result, Progress, Explanation: what a run returns
//	bounds.go    Bounds: what results say of all capacities of a problem; curve.go: of many problems
//	move.go      Move: a step of a search
//	errors.go    the kinds of errors
//	registry.go  the planners by name
package plan

import (
	"context"

	"github.com/stowage-go/stowage/model"
)

// A Planner makes plans. After Register, Solve finds it by its name.
//
// Plan gets a validated problem, and options whose Capacity already includes the problem's own. It must change neither.
// The timeout is a deadline of ctx: Plan must return soon after ctx ends, with the best plan so far. Plan must be safe
// to call from many goroutines at once.
//
// The error is only for a problem that the planner does not take; plan.Unsupported makes it, of the kind
// ErrUnsupported. Every outcome of a run is a Status. Plan must not return a plan above Options.Capacity. If it has no
// other, the Status is Unknown, or Infeasible if that is proven, without Offsets. Solve refuses a plan above the
// capacity with ErrInvalidPlan.
//
// Solve completes the result: the planner's name, the elapsed time, the height, why the run ended, and what follows
// from the bounds of the problem. Solve verifies the plan. It does not check that a lower bound, or the Status
// Infeasible, is proven. It does not recover from a panic of the planner.
type Planner interface {
	Info() Info
	Plan(ctx context.Context, p *model.Problem, o Options) (Result, error)
}

// Info, which is PlannerInfo in the root package, describes a planner.
type Info struct {
	// Name is the planner's name in Options.Planner, on the command line and in JSON: lower case, with hyphens.
	Name string
	// Summary says in one line how the planner works.
	Summary string
	// Source is the paper or project that the planner follows.
	Source string
	// Exact says that the planner proves optimality and infeasibility if it has the time.
	Exact bool
	// Moves says that the planner, or a planner that it runs, calls Options.Moves.
	Moves bool
	// Techniques are the parts of the planner that Options.Without can switch off.
	Techniques []Technique
	// Params are the parameters that Options.Params can set.
	Params []Param
	// Check returns an error for values of options that the planner does not take; nil
	// checks nothing. It is called before a run begins.
	Check func(Options) error
}

// A Technique is a part of a planner that can be switched off.
type Technique struct {
	// Name is the name in Options.Without.
	Name string
	// Summary says in one line what the technique does.
	Summary string
}

// A Param is a parameter of a planner.
type Param struct {
	// Name is the key in Options.Params.
	Name string
	// Default is the value if the key is missing.
	Default string
	// Values says in words which values are valid, such as "a whole number from 1 to 100". It is empty if every text
	// is valid.
	Values string
	// Summary says in one line what the parameter does.
	Summary string
}
