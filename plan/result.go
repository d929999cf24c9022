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
	// Plan has the offsets, in the order of Problem.Buffers, and the height,
	// in bytes. Offsets is nil where there is no plan that fits; Height then is
	// 0 as well.
	model.Plan
	// LowerBound is a proven bound in bytes: no plan is lower. Where Status is
	// Infeasible it is above the capacity.
	LowerBound int64
	// Enough is, where Status is Unknown, the least capacity for which a plan was found
	// on the way, above the one that was asked for; 0 for none. What is under LowerBound
	// is proven not to be enough.
	Enough int64
	// Collision, where set, is why Status is Infeasible whatever the capacity.
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
// Problem.Buffers; nil if there is no plan. The rest may be left out: whoever runs the
// planner fills in the height, the planner's name and the time, and never lowers the
// bound.
func NewResult(status model.Status, offsets []int64) Result {
	return Result{Status: status, Plan: model.Plan{Offsets: offsets}}
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
	StopEffort    Stop = "effort"    // no limit came: the planner ended by itself
)

// Stats count the effort of a run.
type Stats struct {
	// Nodes counts search nodes, or placements for a heuristic.
	Nodes int64
	// Backtracks counts nodes all of whose children failed.
	Backtracks int64
	// Minor and Major split Backtracks where a planner tells them apart: a
	// node that failed at once, and one all of whose candidates failed. Else
	// both are 0.
	Minor, Major int64
	// Elapsed is the wall-clock time of the run.
	Elapsed time.Duration
}

// Progress is a snapshot of a running search.
type Progress struct {
	// Height is that of the lowest plan so far, in bytes; 0 for none.
	Height int64
	// Offsets are those of that plan, where the planner has it at hand, else
	// nil. They are valid during the call only.
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
	// Status is Infeasible where a reason was found, Feasible where the
	// problem has a plan, Unknown where a limit came first.
	Status model.Status
	// Buffers index an infeasible subset of Problem.Buffers, ascending.
	Buffers []int
	// Irreducible says that without any one of them the rest fit. Otherwise a
	// limit came, and a part of them may be enough. Another irreducible subset
	// may have fewer buffers.
	Irreducible bool
	// Smallest says that no infeasible subset has fewer buffers. Only
	// ExplainSmallest looks for that.
	Smallest bool
	// AtLeast is a proven lower bound on how many buffers an infeasible subset
	// has: any AtLeast-1 buffers of the problem fit. It is 0 where that was not
	// asked.
	AtLeast int
	// Collision, where set, says that the two buffers have fixed offsets at
	// which they meet, so that they fit no capacity.
	Collision *model.Collision
	// Capacity is the capacity in bytes that they cannot fit; 0 where they fit
	// none and none was asked for.
	Capacity int64
	// Load is the contention peak of the subset in bytes: the most that is live
	// at once.
	Load int64
	// At is the half-open slice of logical time in which the peak stands.
	At [2]int64
	// Runs counts the searches that it took.
	Runs int
}
