// Package plan is what every planner has in common: the one interface, the one
// result type, the limits, and the registry that knows each planner by name.
//
// A planner is a package of its own that calls Register from an init function,
// and is known wherever that package is imported, as image/png is. The root
// package imports what its default planner needs; planner/baselines and
// planner/milp bring more. A program may register planners of its own.
package plan

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/model"
)

// Options steer a planner. The zero value minimises without limits.
type Options struct {
	// Planner names the planner to run; empty means auto. Planners themselves
	// ignore it.
	Planner string
	// Capacity is the number of bytes to fit into; 0 means no limit.
	Capacity int64
	// Minimize asks for the lowest plan (within Capacity, where that is set).
	// Without it any plan that fits Capacity will do. It is implied where
	// Capacity is 0.
	Minimize bool
	// Timeout ends the search after this much wall-clock time; 0 means never.
	Timeout time.Duration
	// NodeLimit ends the search after this many nodes (a planner's own
	// deterministic unit of effort); 0 means never.
	NodeLimit int64
	// Workers is the number of goroutines that may search side by side; 0
	// means one. With one worker, the same input, seed and NodeLimit give the
	// same plan.
	Workers int
	// Seed drives every random choice.
	Seed uint64
	// Without names techniques to switch off, from Info.Techniques.
	Without []string
	// Params sets tunables by name, from Info.Params.
	Params map[string]string
	// Start, where set, holds the offsets of a valid plan to improve on.
	Start []int64
	// Progress, where set, is called now and then from the searching
	// goroutine. It must return quickly.
	Progress func(Progress)
}

// Minimizing reports whether the lowest plan is wanted.
func (o *Options) Minimizing() bool { return o.Minimize || o.Capacity == 0 }

// Fits reports whether a height is within the capacity.
func (o *Options) Fits(height int64) bool { return o.Capacity == 0 || height <= o.Capacity }

// Progress is a snapshot of a running search.
type Progress struct {
	Height     int64         // the lowest plan so far; 0 for none
	Offsets    []int64       // of that plan, where the planner has it at hand; valid during the call only
	LowerBound int64         // no plan is lower than this
	Nodes      int64         // nodes searched so far
	Elapsed    time.Duration // since the start of the run
}

// A Result is what a planner returns. Offsets is nil where there is no plan
// that fits; Height then is 0 as well.
type Result struct {
	Status model.Status
	model.Plan
	// LowerBound is a proven bound: no plan is lower. Where Status is
	// Infeasible it is above the capacity.
	LowerBound int64
	// Planner is the name of the planner that ran.
	Planner string
	// Member says, for a portfolio, which of its parts made the plan; it is
	// empty for all others.
	Member string
	// Stopped says what ended the run before it had an answer.
	Stopped Stop
	Stats   Stats
}

// A Stop says why a run ended without an answer: without a proof where it
// minimises, without a plan or a proof where any plan that fits would do.
type Stop string

// The reasons. A run that has its answer is Finished, and so is a heuristic
// that came to its own end.
const (
	Finished      Stop = ""
	StopTimeout   Stop = "timeout"   // Options.Timeout or the context's deadline came
	StopNodes     Stop = "nodes"     // Options.NodeLimit came
	StopInterrupt Stop = "interrupt" // the context was cancelled
	StopEffort    Stop = "effort"    // no limit came: the planner gave up by itself
)

// Stats count the effort of a run.
type Stats struct {
	Nodes      int64 // search nodes, or placements for a heuristic
	Backtracks int64 // nodes all of whose children failed
	// Minor and Major split Backtracks where a planner tells them apart: a node that
	// failed at once, and one all of whose candidates failed. Else both are 0.
	Minor, Major int64
	Elapsed      time.Duration // wall-clock time in the planner
}

// A Planner makes plans. Plan must return soon after ctx ends, with the best
// plan so far. The error is for input that the planner cannot take, never for
// an outcome: those are Statuses.
//
// The problem has been validated. Options.Capacity counts, not the problem's.
type Planner interface {
	Info() Info
	Plan(ctx context.Context, p *model.Problem, o Options) (Result, error)
}

// Info describes a planner.
type Info struct {
	Name    string // as the command line and the JSON have it
	Summary string // one line
	Source  string // paper or project that it follows
	// Exact planners prove optimality and infeasibility, given time.
	Exact bool
	// Techniques can be switched off by name (Options.Without).
	Techniques []Technique
	// Params can be set by name (Options.Params).
	Params []Param
	// Check, where set, refuses values of options that the planner cannot take.
	// CheckOptions calls it for names that are in Techniques and Params.
	Check func(Options) error
}

// A Technique is a part of a planner that can be switched off.
type Technique struct{ Name, Summary string }

// A Param is a tunable of a planner. Values says in words which texts it takes,
// such as "a whole number from 1 to 100"; it is empty where any will do.
type Param struct{ Name, Default, Values, Summary string }
