package plan

import (
	"time"

	"github.com/stowage-go/stowage/model"
)

// A Result is what a planner returns. NewResult makes one of a status and offsets. A
// literal has the offsets in the Plan that is embedded: Plan: Plan{Offsets: offsets}.
type Result struct {
	// Status says what is known: Optimal and Feasible come with a plan.
	Status model.Status
	// Plan has the offsets, in the order of Problem.Buffers, and the height, in bytes. If
	// no plan fits, Offsets is nil and Height is 0.
	model.Plan
	// LowerBound is a proven bound in bytes: no plan is lower. If Status is Infeasible, it
	// is above the capacity.
	LowerBound int64
	// Enough is set only if Status is Unknown: the smallest capacity, above the requested
	// one, for which the run found a plan; 0 if it found none. Capacities below LowerBound
	// are proven not to be enough.
	Enough int64
	// Collision, if set, is the reason why Status is Infeasible whatever the capacity.
	Collision *model.Collision
	// Planner is the name of the planner that ran.
	Planner string
	// Member says, for a portfolio, which of its parts made the plan; it is
	// empty for all others.
	Member string
	// Stopped says what ended the run before it had an answer.
	Stopped Stop
	// Stats count the effort.
	Stats Stats
}

// NewResult returns the result of a planner that has found offsets, in the order of
// Problem.Buffers, or nil if there is no plan. The rest may be left out: whoever runs the
// planner fills in the height, the planner's name and the time, and never lowers the bound.
func NewResult(status model.Status, offsets []int64) Result {
	return Result{Status: status, Plan: model.Plan{Offsets: offsets}}
}

// A Stop says why a run ended without an answer. If the run minimises, that means without a
// proof. If any plan that fits will do, it means without a plan or a proof.
type Stop string

// The reasons. A run with an answer is Finished, and so is a heuristic that reached its own
// end.
const (
	Finished      Stop = ""
	StopTimeout   Stop = "timeout"   // Options.Timeout or the context's deadline came
	StopNodes     Stop = "nodes"     // Options.NodeLimit came
	StopInterrupt Stop = "interrupt" // the context was cancelled
	StopEffort    Stop = "effort"    // no limit came: the planner ended by itself
)

// Stats count the effort of a run.
type Stats struct {
	// Nodes counts search nodes, or placements for a heuristic.
	Nodes int64
	// Backtracks counts nodes whose children all failed.
	Backtracks int64
	// Minor and Major split Backtracks if a planner counts them separately. A minor
	// backtrack is a node that failed at once, and a major one a node whose candidates all
	// failed. Otherwise both are 0.
	Minor, Major int64
	// Elapsed is the wall-clock time of the run.
	Elapsed time.Duration
}

// Progress is a snapshot of a running search.
type Progress struct {
	// Height is that of the lowest plan so far, in bytes; 0 for none.
	Height int64
	// Offsets are those of that plan if the planner has it at hand, or nil. They are valid
	// during the call only.
	Offsets []int64
	// LowerBound is proven: no plan is lower.
	LowerBound int64
	// Nodes counts the nodes searched so far.
	Nodes int64
	// Elapsed is the wall-clock time since the start of the run.
	Elapsed time.Duration
}

// An Explanation names buffers that together cannot fit a capacity.
type Explanation struct {
	// Status is Infeasible if a reason was found, Feasible if the problem has a plan, and
	// Unknown if a limit came first.
	Status model.Status
	// Buffers index an infeasible subset of Problem.Buffers, ascending.
	Buffers []int
	// Irreducible says that the rest fit if any one of the buffers is removed. If it is
	// false, a limit came first, and a part of the buffers may be enough. Another
	// irreducible subset may have fewer buffers.
	Irreducible bool
	// Smallest says that no infeasible subset has fewer buffers. Only
	// ExplainSmallest looks for that.
	Smallest bool
	// AtLeast is a proven lower bound on the number of buffers of an infeasible subset: any
	// AtLeast-1 buffers of the problem fit. It is 0 if that was not asked.
	AtLeast int
	// Collision, if set, says that two buffers have fixed offsets at which they collide, so
	// that they fit no capacity.
	Collision *model.Collision
	// Capacity is the capacity in bytes that the buffers cannot fit. It is 0 if they fit no
	// capacity and none was asked for.
	Capacity int64
	// Load is the contention peak of the subset in bytes: the most that is live
	// at once.
	Load int64
	// At is the half-open slice of logical time in which the peak stands.
	At [2]int64
	// Runs counts the searches that it took.
	Runs int
}
