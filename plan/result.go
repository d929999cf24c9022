package plan

import (
	"time"

	"github.com/stowage-go/stowage/model"
)

// A Result is the outcome of a run. NewResult makes one from a status and offsets. A
// literal has the offsets in the embedded Plan: Plan: Plan{Offsets: offsets}.
type Result struct {
	// Status is the outcome. Optimal and Feasible come with a plan.
	Status model.Status
	// Plan has the offsets, in the order of Problem.Buffers, and the height, both in
	// bytes. If there is no plan that fits, Offsets is nil and Height is 0.
	model.Plan
	// LowerBound is a proven bound in bytes: no plan is lower. It is above the capacity if Status is Infeasible.
	LowerBound int64
	// Objective lists the measures that the run minimised, the first first. It is set only if the problem has rules.
	Objective []model.Measure
	// Measures has every measure of the plan; nil if the problem has no rules, or there is no plan.
	Measures []model.Value
	// Bounds has a proven lower bound of each measure of Objective, for plans that have the best values of the measures
	// before it. A bound that equals its measure is a proof. It is nil if the problem has no rules.
	Bounds []model.Value
	// Enough: set only if Status is Unknown. The smallest capacity in bytes, above the requested one, for which the run
	// found a plan; 0 if it found none. A capacity below LowerBound is proven not to be enough.
	Enough int64
	// Collision: set only if Status is Infeasible because of two fixed offsets. No capacity is enough then.
	Collision *model.Collision
	// Planner is the name of the planner that ran.
	Planner string
	// Member is the name of the part that made the plan, if the planner runs several,
	// such as auto; it is empty otherwise.
	Member string
	// ProvedBy says who proved that the plan is the lowest, or that none fits: the name of a
	// planner; "bound" if the lower bound that needs no search was enough; or "collision" if
	// two fixed offsets collide. It is empty if Status is neither Optimal nor Infeasible.
	ProvedBy string
	// Stopped says what ended the run before it had an answer; Finished (empty) if it has one.
	Stopped Stop
	// Stats count the effort.
	Stats Stats
}

// NewResult returns a result with a status, and offsets in the order of Problem.Buffers, or nil if there is no plan. A
// planner may leave the other fields empty: Solve fills in the height, the planner's name and the time, and raises
// LowerBound if it knows a higher one.
func NewResult(status model.Status, offsets []int64) Result {
	return Result{Status: status, Plan: model.Plan{Offsets: offsets}}
}

// A Stop says why a run ended before it had an answer. If the run minimises, the answer is a plan that is proven to be
// the lowest, or a proof that none fits. Otherwise it is any plan that fits, or that proof.
type Stop string

// The reasons for the end of a run. Finished is for a run that has its answer, and for a
// heuristic that came to its end.
const (
	Finished      Stop = ""
	StopTimeout   Stop = "timeout"   // Options.Timeout, or the deadline of the context, came
	StopNodes     Stop = "nodes"     // Options.NodeLimit came
	StopInterrupt Stop = "interrupt" // the context was cancelled
	StopEffort    Stop = "effort"    // the planner gave up by itself: no limit came
)

// Stats count the effort of a run.
type Stats struct {
	// Nodes counts search nodes; for a heuristic it counts placements.
	Nodes int64
	// Backtracks counts the nodes that failed.
	Backtracks int64
	// Minor and Major split Backtracks if the planner distinguishes them, and are 0 if it does not. Minor counts the
	// nodes that failed at once; Major counts the nodes that failed after all of their candidates had.
	Minor, Major int64
	// Elapsed is the wall-clock time of the run.
	Elapsed time.Duration
}

// Progress is a snapshot of a running search.
type Progress struct {
	// Height is the height in bytes of the lowest plan so far; 0 if there is none.
	Height int64
	// Offsets has the offsets of that plan, in the order of Problem.Buffers; nil if the
	// planner does not have them at this moment. They are valid only during the call.
	Offsets []int64
	// LowerBound is a proven bound in bytes: no plan is lower.
	LowerBound int64
	// Nodes counts the nodes searched so far.
	Nodes int64
	// Elapsed is the wall-clock time since the start of the run.
	Elapsed time.Duration
}

// An Explanation names buffers that cannot fit a capacity together.
type Explanation struct {
	// Status is Infeasible if a reason was found, Feasible if the problem has a plan, and
	// Unknown if a limit came first.
	Status model.Status
	// Buffers has the buffers that cannot fit together, as indices into Problem.Buffers, ascending.
	Buffers []int
	// Irreducible says that without any one of Buffers, the others fit. If it is false, a limit came, and a part of
	// Buffers may already be too much. Another irreducible set may have fewer buffers.
	Irreducible bool
	// Smallest says that every set of buffers that cannot fit has at least as many
	// buffers as this one. Only ExplainSmallest sets it.
	Smallest bool
	// AtLeast is a proven lower bound on the number of buffers of a set that cannot fit:
	// any AtLeast-1 buffers of the problem fit. It is 0 except after ExplainSmallest.
	AtLeast int
	// Collision: set only if the two buffers have fixed offsets that collide, so that no capacity is enough.
	Collision *model.Collision
	// Capacity is the capacity in bytes that Buffers cannot fit. It is 0 if no capacity is
	// enough and none was asked for.
	Capacity int64
	// Load is the peak load of Buffers: the most of their bytes that are live at one time.
	Load int64
	// At is the logical time [At[0], At[1]) at which Load is reached.
	At [2]int64
	// Reason says in words which pools and rules Buffers cannot keep. It is set only if the
	// problem has rules, and Capacity and Load are then 0.
	Reason string
	// Runs counts the searches that were made.
	Runs int
}
