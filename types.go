package stowage

import (
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// This file names the types of model and plan again, so that a user needs one
// import. Go's documentation shows no fields for an alias; so each has those of
// its type, with its methods, in its comment. TestTypes holds the comments
// against the types, and go test . -run TestTypes -update writes them.

// A Problem is a set of buffers and, optionally, a capacity to fit them into.
//
//	type Problem struct {
//		// Name says where the problem comes from, for messages and pictures. It may be empty.
//		Name string
//		// Buffers are the blocks to place. Plan.Offsets has their order; planners use the
//		// order only to break ties.
//		Buffers []Buffer
//		// Capacity is the number of bytes that the plan must fit into;
//		// 0 means that there is no limit. It must be 0 if there are Rules.Pools, which have their own.
//		Capacity int64
//		// Rules say what one strip of bytes cannot: pools, pairs apart, penalties and so on; nil for
//		// nothing.
//		Rules *Rules
//	}
//
//	// AllPools returns the pools of p: those of the rules, or the one pool that a problem without
//	// has, whose ID is empty.
//	func (p *Problem) AllPools() []Pool
//
//	// CapacityOr returns capacity, or p.Capacity if capacity is 0. The result is 0 if both
//	// are.
//	func (p *Problem) CapacityOr(capacity int64) int64
//
//	// Meet reports whether buffers i and j are live at the same time: no buffer ends before the other
//	// starts, or, with gaps, two of their pieces meet.
//	func (p *Problem) Meet(i, j int) bool
//
//	// Objective returns the measures that p asks to minimise, or the default if it names none.
//	func (p *Problem) Objective() []Measure
//
//	// Ruled reports whether p has rules, so that it is more than one strip of bytes.
//	func (p *Problem) Ruled() bool
type Problem = model.Problem

// A Buffer is one block of memory with a known size and lifespan.
//
//	type Buffer struct {
//		// ID names the buffer in files and messages. Every buffer of a Problem must have one,
//		// and no two buffers the same.
//		ID string
//		// Lower and Upper bound the lifespan, half-open: the buffer is live in the
//		// logical time slots Lower, Lower+1, …, Upper-1. Lower must be less than Upper.
//		Lower, Upper int64
//		// Size is the number of bytes (or any other unit of space) that the buffer
//		// takes, at least 1.
//		Size int64
//		// Alignment: the buffer's offset must be a multiple of it. 0 and 1 both mean no
//		// constraint.
//		Alignment int64
//		// Gaps are the times within the lifespan at which the buffer is inactive, in
//		// ascending order and disjoint.
//		Gaps []Gap
//		// Fixed is the only offset in bytes that the buffer may have; nil for any offset.
//		Fixed *int64
//		// Hint is an offset in bytes that a planner may try first, such as the buffer's place
//		// in an earlier plan; nil for none. A plan need not follow it.
//		Hint *int64
//		// Extra is what only problems with rules say of a buffer: its pools, costs, clocks and
//		// evictions; nil for nothing. It needs Problem.Rules, which may be empty.
//		Extra *Extra
//	}
//
//	// Align returns the buffer's alignment, or 1 if Alignment is below 1.
//	func (b *Buffer) Align() int64
//
//	// CostIn returns what the buffer costs in a pool.
//	func (b *Buffer) CostIn(pools []Pool, pool int32) int64
//
//	// HasWindow reports whether any gap of the buffer has a window.
//	func (b *Buffer) HasWindow() bool
//
//	// MayUse reports whether the buffer may be in a pool.
//	func (b *Buffer) MayUse(pool int32) bool
//
//	// Pieces is an iterator over the pieces of a valid buffer in the order of time:
//	// for piece := range b.Pieces. Outside of gaps a piece has all bytes of the buffer. During
//	// a gap it has the bytes of the window; a gap without a window has no piece. Neighbouring
//	// pieces may have the same bytes.
//	func (b *Buffer) Pieces(yield func(Piece) bool)
//
//	// SetClocks gives the buffer a lifespan by clocks. Lower and Upper of the buffer become the sums of the
//	// components. So if a buffer ends before another starts by the clocks, it does so by these sums, too.
//	func (b *Buffer) SetClocks(lower, upper []int64)
//
//	// Within returns the buffer with its life cut to [lower, upper), which must meet its life.
//	func (b *Buffer) Within(lower, upper int64) Buffer
type Buffer = model.Buffer

// A Piece is a stretch of a buffer's life during which it uses one range of its bytes.
//
//	type Piece struct {
//		Lower, Upper int64 // the logical time, half-open
//		From, To     int64 // the bytes in use, half-open, counted from the buffer's offset
//	}
type Piece = model.Piece

// A Gap is a stretch [Lower, Upper) of logical time, within a buffer's lifespan, in which
// the buffer is inactive. It then uses no space or, if Window is set, only that part of
// its space.
//
//	type Gap struct {
//		Lower  int64   // first time slot of the gap
//		Upper  int64   // one past the last time slot of the gap
//		Window *Window // space that stays in use during the gap; nil for none
//	}
type Gap = model.Gap

// A Window is the half-open range [Lower, Upper) of a buffer's own bytes,
// counted from the buffer's offset, that stays in use during a Gap.
//
//	type Window struct {
//		Lower int64 // first byte in use, relative to the buffer's offset
//		Upper int64 // one past the last byte in use, relative to the buffer's offset
//	}
type Window = model.Window

// A Plan gives an offset to each buffer of a problem.
//
//	type Plan struct {
//		// Offsets holds the offset of each buffer, in the order of Problem.Buffers.
//		Offsets []int64
//		// Height is the largest offset + size: the number of bytes that the plan needs. With several
//		// pools it is the sum over pools.
//		Height int64
//		// Pools holds the pool of each buffer, as an index into Rules.Pools; nil if there is one.
//		Pools []int32
//		// Parts has the buffers of which the plan takes evictions, in ascending order. Offsets and
//		// Pools then hold the first part.
//		Parts []Parts
//	}
//
//	// AddPart appends a part of an evicted buffer. The parts of a buffer are added one after another.
//	func (p *Plan) AddPart(buffer int32, part Part)
//
//	// PoolOf returns the pool of buffer i in a plan, as an index into Rules.Pools.
//	func (p *Plan) PoolOf(i int) int32
type Plan = model.Plan

// Options say how a planner runs. The zero value looks for the lowest plan, with the
// planner auto and without limits.
//
//	type Options struct {
//		// Planner is the name of the planner to run; empty means auto. Planners ignore it.
//		Planner string
//		// Capacity is the number of bytes that the plan must fit into. 0 means the problem's
//		// own capacity. If that is 0 too, there is none.
//		Capacity int64
//		// Minimize asks for the lowest plan that fits the capacity. If it is false, any plan
//		// that fits will do. Without a capacity planners always minimise.
//		Minimize bool
//		// Timeout ends the search after this much wall-clock time; 0 means never.
//		Timeout time.Duration
//		// NodeLimit ends the search after this many nodes; 0 means never. A node is the
//		// planner's own deterministic unit of effort.
//		NodeLimit int64
//		// Workers is the number of goroutines that may search in parallel. 0 means one; more
//		// than 1,024 count as 1,024. With one worker, the same input, seed and NodeLimit give
//		// the same plan.
//		Workers int
//		// Seed seeds every random choice. The default 0 is a seed like any other.
//		Seed uint64
//		// Without has the names of techniques to switch off. Info.Techniques lists them.
//		Without []string
//		// Params sets parameters by name. Info.Params lists them with their defaults, which
//		// hold for every parameter that is not set.
//		Params map[string]string
//		// Start has the offsets in bytes of a valid plan to improve, in the order of
//		// Problem.Buffers; nil for none. The plan may be above the capacity.
//		Start []int64
//		// Progress is called now and then during the search, never twice at the same time;
//		// nil for never. It must return quickly.
//		Progress func(Progress)
//		// Moves is called for each placement that a search makes or takes back, in order; nil
//		// for never. The search then runs with one worker, and is otherwise the same. Planners
//		// with Info.Moves do this: tela, exact, and auto (for its exact search).
//		Moves func(Move)
//		// Turns is called after each turn of a planner that runs several, such as auto, in
//		// order; nil for never.
//		Turns func(Turn)
//	}
//
//	// Fits reports whether a height in bytes is within Capacity. Every height is if Capacity
//	// is 0.
//	func (o *Options) Fits(height int64) bool
//
//	// Minimizing reports whether the planner must look for the lowest plan. It is for
//	// planners: for them Capacity already includes the problem's own.
//	func (o *Options) Minimizing() bool
//
//	// Validate checks the numbers that every planner has: Capacity, Timeout, NodeLimit and
//	// Workers must not be negative, and Capacity is at most MaxSum. The error is a
//	// *InputError that lists all faults.
//	func (o *Options) Validate() error
type Options = plan.Options

// Progress is a snapshot of a running search.
//
//	type Progress struct {
//		// Height is the height in bytes of the lowest plan so far; 0 if there is none.
//		Height int64
//		// Offsets has the offsets of that plan, in the order of Problem.Buffers; nil if the
//		// planner does not have them at this moment. They are valid only during the call.
//		Offsets []int64
//		// LowerBound is a proven bound in bytes: no plan is lower.
//		LowerBound int64
//		// Nodes counts the nodes searched so far.
//		Nodes int64
//		// Elapsed is the wall-clock time since the start of the run.
//		Elapsed time.Duration
//	}
type Progress = plan.Progress

// A Turn is one run of a part of a planner that runs several, such as auto. Each turn starts
// from the best plan so far.
//
//	type Turn struct {
//		// Planner is the name of the part: a planner, or "heuristics". In a run of auto, "exact" is
//		// exact search without the turns of merge that the planner exact has.
//		Planner string
//		// Round counts the rounds in which the parts take turns, from 1. It is 0 for a turn
//		// before the first round.
//		Round int
//		// Reason says in a few words why the turn came.
//		Reason string
//		// NodeLimit is the number of nodes that the part could take, as the part counts them; 0
//		// if only the limits of the run ended it.
//		NodeLimit int64
//		// Nodes counts the nodes that the turn took, as the whole run counts them.
//		Nodes int64
//		// Elapsed is the wall-clock time of the turn.
//		Elapsed time.Duration
//		// Height is the height in bytes of the lowest plan after the turn, even if it is above
//		// the capacity; 0 if there is none.
//		Height int64
//		// Member is the name of the part that found that plan, as Result.Member has it.
//		Member string
//		// LowerBound is the proven bound in bytes after the turn: no plan is lower.
//		LowerBound int64
//		// Measures are those of the best plan after the turn, if the problem has rules; nil if there is no plan.
//		// Planner then is the name of a stage.
//		Measures []Value
//	}
type Turn = plan.Turn

// A Move is one step of a search that places buffers one after the other: it places a
// buffer, or takes a placement back. A search undoes its latest placements first, so the
// placements form a stack. A search may also find plans in other ways, for example by
// ordering pairs of buffers. These steps are not reported as moves.
//
//	type Move struct {
//		// Kind says what happens.
//		Kind MoveKind
//		// Buffer is an index into Problem.Buffers. For MoveBegin, MoveDone and MovePlan it
//		// identifies the part of the problem that is searched: one of its buffers, always the
//		// same.
//		Buffer int
//		// Offset in bytes is the place of the buffer for MovePlace, the capacity that is asked
//		// about for MoveBegin, and the height found for MovePlan. It is 0 for other kinds.
//		Offset int64
//	}
type Move = plan.Move

// A Wait says that one buffer takes over bytes of another: Buffer must not begin at time At before For has
// ended at time Until. Barriers of the root package finds them.
//
//	type Wait struct {
//		// Buffer is the one that must wait, as an index into Problem.Buffers.
//		Buffer int
//		// At is the time at which Buffer begins to use the bytes: its Lower, or the end of a gap or of an eviction.
//		At int64
//		// For is the buffer whose bytes are taken over, as an index into Problem.Buffers.
//		For int
//		// Until is the time at which For ends its use: its Upper, or the start of a gap or of an eviction.
//		Until int64
//		// Turn is 0, unless time repeats (Rules.Period). It is then the turn of For, counted from that of
//		// Buffer: -1 is the turn before. At and Until are times as the problem has them, so that
//		// Until + Turn*Period <= At.
//		Turn int
//	}
type Wait = plan.Wait

// A MoveKind says what happens in a Move.
//
//	type MoveKind uint8
type MoveKind = plan.MoveKind

// The kinds of moves.
const (
	MoveBegin = plan.MoveBegin // a search of a part of the problem begins
	MovePlace = plan.MovePlace // the buffer is placed, or moved if it was placed already
	MoveBack  = plan.MoveBack  // the placement of the buffer, and every later one, is taken back
	MoveDone  = plan.MoveDone  // the unplaced buffers split into independent groups, one of which is placed
	MovePlan  = plan.MovePlan  // every buffer of the part is placed
)

// A Result is the outcome of a run. NewResult makes one from a status and offsets. A
// literal has the offsets in the embedded Plan: Plan: Plan{Offsets: offsets}.
//
//	type Result struct {
//		// Status is the outcome. Optimal and Feasible come with a plan.
//		Status Status
//		// Plan has the offsets, in the order of Problem.Buffers, and the height, both in
//		// bytes. If there is no plan that fits, Offsets is nil and Height is 0.
//		Plan
//		// LowerBound is a proven bound in bytes: no plan is lower. It is above the capacity
//		// if Status is Infeasible.
//		LowerBound int64
//		// Objective lists the measures that the run minimised, the first first. It is set only if the
//		// problem has rules.
//		Objective []Measure
//		// Measures has every measure of the plan; nil if the problem has no rules, or there is no plan.
//		Measures []Value
//		// Bounds has a proven lower bound of each measure of Objective, for plans that have the best
//		// values of the measures before it. A bound that equals its measure is a proof. It is nil if the
//		// problem has no rules.
//		Bounds []Value
//		// Enough: set only if Status is Unknown. The smallest capacity in bytes, above the
//		// requested one, for which the run found a plan; 0 if it found none. A capacity below
//		// LowerBound is proven not to be enough.
//		Enough int64
//		// Collision: set only if Status is Infeasible because of two fixed offsets. No
//		// capacity is enough then.
//		Collision *Collision
//		// Planner is the name of the planner that ran.
//		Planner string
//		// Member is the name of the part that made the plan, if the planner runs several,
//		// such as auto; it is empty otherwise.
//		Member string
//		// ProvedBy says who proved that the plan is the lowest, or that none fits: the name of a
//		// planner; "bound" if the lower bound that needs no search was enough; or "collision" if
//		// two fixed offsets collide. It is empty if Status is neither Optimal nor Infeasible.
//		ProvedBy string
//		// Stopped says what ended the run before it had an answer; Finished (empty) if it has
//		// one.
//		Stopped Stop
//		// Stats count the effort.
//		Stats Stats
//	}
type Result = plan.Result

// Status is the outcome of a run.
//
//	type Status uint8
//
//	// HasPlan reports whether a result of this status has a plan: Feasible and Optimal do.
//	func (s Status) HasPlan() bool
//
//	// MarshalText writes the status by its name.
//	func (s Status) MarshalText() ([]byte, error)
//
//	// String returns the status in lower case, as the command and its JSON have it.
//	func (s Status) String() string
//
//	// UnmarshalText reads a status by its name. The error is for any other text.
//	func (s *Status) UnmarshalText(text []byte) error
type Status = model.Status

// The outcomes. A limit is never reported as infeasible.
const (
	Unknown    = model.Unknown    // a limit came before a plan or a proof
	Feasible   = model.Feasible   // there is a plan that fits; it is not proven to be the lowest
	Optimal    = model.Optimal    // there is a plan that fits, and it is proven to be the lowest
	Infeasible = model.Infeasible // it is proven that no plan fits
)

// A Stop says why a run ended before it had an answer. If the run minimises, the answer is
// a plan that is proven to be the lowest, or a proof that none fits. Otherwise it is any
// plan that fits, or that proof.
//
//	type Stop string
type Stop = plan.Stop

// The reasons for the end of a run. Finished is for a run that has its answer, and for a
// heuristic that came to its end.
const (
	Finished      = plan.Finished      // ""
	StopTimeout   = plan.StopTimeout   // "timeout": Options.Timeout, or the deadline of the context, came
	StopNodes     = plan.StopNodes     // "nodes": Options.NodeLimit came
	StopInterrupt = plan.StopInterrupt // "interrupt": the context was cancelled
	StopEffort    = plan.StopEffort    // "effort": the planner gave up by itself: no limit came
)

// Stats count the effort of a run.
//
//	type Stats struct {
//		// Nodes counts search nodes; for a heuristic it counts placements.
//		Nodes int64
//		// Backtracks counts the nodes that failed.
//		Backtracks int64
//		// Minor and Major split Backtracks if the planner distinguishes them, and are 0 if it
//		// does not. Minor counts the nodes that failed at once; Major counts the nodes that
//		// failed after all of their candidates had.
//		Minor, Major int64
//		// Elapsed is the wall-clock time of the run.
//		Elapsed time.Duration
//	}
type Stats = plan.Stats

// A Report is the outcome of a check of a plan.
//
//	type Report struct {
//		// Height is the largest offset + size in bytes, recomputed. It is 0 if there are no
//		// buffers or the number of offsets is wrong. It is the largest int64 if a sum of
//		// offset and size is larger than that. With several pools it is the sum over pools.
//		Height int64
//		// Measures has every measure of the plan, recomputed, if the problem has Rules and the
//		// plan can be read; nil otherwise.
//		Measures []Value
//		// Violations has the first 1,000 violations, in the order of the buffers.
//		Violations []Violation
//		// Total is the number of violations in all. Two buffers that overlap more than once
//		// count once.
//		Total int
//		// Truncated says that the check stopped looking for overlaps after 1,048,576 of them.
//		// Total then is a lower bound, and Violations may lack overlaps of the first buffers.
//		Truncated bool
//	}
//
//	// OK reports whether the plan breaks no rule.
//	func (r *Report) OK() bool
type Report = model.Report

// A Violation is one breach of one rule.
//
//	type Violation struct {
//		// Rule is the rule that the plan breaks.
//		Rule Rule
//		// A and B are the buffers at fault, as indices into Problem.Buffers. B is -1 unless
//		// Rule is RuleOverlap, RuleApart or RuleTogether; then A < B. Both are -1 if no buffer
//		// is at fault.
//		A, B int
//		// Message names the buffers and the numbers, in one line.
//		Message string
//	}
type Violation = model.Violation

// A Rule is a rule that every plan must follow.
//
//	type Rule string
type Rule = model.Rule

// The rules of a plan.
const (
	RuleCount     = model.RuleCount     // "count": there is one offset for each buffer
	RuleSign      = model.RuleSign      // "negative": no offset is below zero
	RuleAlignment = model.RuleAlignment // "alignment": each offset is a multiple of its buffer's alignment
	RuleFixed     = model.RuleFixed     // "fixed": a buffer with a fixed offset has that offset
	RuleCapacity  = model.RuleCapacity  // "capacity": each buffer ends within the capacity, and within int64
	RuleOverlap   = model.RuleOverlap   // "overlap": no two buffers use the same bytes at the same time
	RuleHeight    = model.RuleHeight    // "height": the claimed height is the largest offset + size
)

// A Collision names two buffers whose fixed offsets make them use the same bytes at the
// same time. A problem with a collision has no valid plan, whatever the capacity.
//
//	type Collision struct {
//		// A and B are the buffers, as indices into Problem.Buffers, A < B.
//		A, B int
//		// Lower and Upper bound the logical time [Lower, Upper) at which they collide.
//		Lower, Upper int64
//		// Start and End bound the bytes [Start, End) that both use then.
//		Start, End int64
//	}
type Collision = model.Collision

// An Explanation names buffers that cannot fit a capacity together.
//
//	type Explanation struct {
//		// Status is Infeasible if a reason was found, Feasible if the problem has a plan, and
//		// Unknown if a limit came first.
//		Status Status
//		// Buffers has the buffers that cannot fit together, as indices into Problem.Buffers,
//		// ascending.
//		Buffers []int
//		// Irreducible says that without any one of Buffers, the others fit. If it is false, a
//		// limit came, and a part of Buffers may already be too much. Another irreducible set
//		// may have fewer buffers.
//		Irreducible bool
//		// Smallest says that every set of buffers that cannot fit has at least as many
//		// buffers as this one. Only ExplainSmallest sets it.
//		Smallest bool
//		// AtLeast is a proven lower bound on the number of buffers of a set that cannot fit:
//		// any AtLeast-1 buffers of the problem fit. It is 0 except after ExplainSmallest.
//		AtLeast int
//		// Collision: set only if the two buffers have fixed offsets that collide, so that no
//		// capacity is enough.
//		Collision *Collision
//		// Capacity is the capacity in bytes that Buffers cannot fit. It is 0 if no capacity is
//		// enough and none was asked for.
//		Capacity int64
//		// Load is the peak load of Buffers: the most of their bytes that are live at one time.
//		Load int64
//		// At is the logical time [At[0], At[1]) at which Load is reached.
//		At [2]int64
//		// Reason says in words which pools and rules Buffers cannot keep. It is set only if the
//		// problem has rules, and Capacity and Load are then 0.
//		Reason string
//		// Runs counts the searches that were made.
//		Runs int
//	}
//
//	// Describe returns the explanation as one sentence, with the IDs of the buffers. p is the
//	// problem that was explained; if it is nil, the sentence has indices in place of IDs. It
//	// lists at most 20 buffers.
//	func (x Explanation) Describe(p *Problem) string
//
//	// String returns the explanation as one sentence, with buffers as indices into
//	// Problem.Buffers. Describe has their names.
//	func (x Explanation) String() string
type Explanation = plan.Explanation

// An InputError says what is wrong with an input: its first MaxIssues (20) faults, and
// how many faults there are in all.
//
//	type InputError struct {
//		Issues []Issue // the first 20 faults, in the order of the input
//		Total  int     // the number of faults in all
//	}
//
//	// Error lists the issues, one a line.
//	func (e *InputError) Error() string
type InputError = model.InputError

// An Issue is one thing that is wrong with an input.
//
//	type Issue struct {
//		File    string // path as the user gave it; empty if there is no file
//		Line    int    // line number from 1; 0 if there is none
//		Buffer  string // ID of the buffer at fault; "number 2" if the second buffer has neither ID nor line; empty if the fault is of no buffer
//		Field   string // column or key, such as "size"; empty if there is none
//		Value   string // the value as it was read; empty if there is none
//		Message string // what is wrong, such as "must be at least 1"
//	}
//
//	// String formats the issue as file:line: buffer: field "value": message. It leaves out
//	// the parts that are empty.
//	func (i Issue) String() string
type Issue = model.Issue

// A Planner makes plans. After Register, Solve finds it by its name.
//
// Plan gets a validated problem, and options whose Capacity already includes the
// problem's own. It must change neither. The timeout is a deadline of ctx: Plan must
// return soon after ctx ends, with the best plan so far. Plan must be safe to call from
// many goroutines at once.
//
// The error is only for a problem that the planner does not take; plan.Unsupported makes
// it, of the kind ErrUnsupported. Every outcome of a run is a Status. Plan must not return
// a plan above Options.Capacity. If it has no other, the Status is Unknown, or Infeasible
// if that is proven, without Offsets. Solve refuses a plan above the capacity with
// ErrInvalidPlan.
//
// Solve completes the result: the planner's name, the elapsed time, the height, why the
// run ended, and what follows from the bounds of the problem. Solve verifies the plan. It
// does not check that a lower bound, or the Status Infeasible, is proven. It does not
// recover from a panic of the planner.
//
//	type Planner interface {
//		Info() PlannerInfo
//		Plan(ctx context.Context, p *Problem, o Options) (Result, error)
//	}
type Planner = plan.Planner

// Info, which is PlannerInfo in the root package, describes a planner.
//
//	type PlannerInfo struct {
//		// Name is the planner's name in Options.Planner, on the command line and in JSON: lower
//		// case, with hyphens.
//		Name string
//		// Summary says in one line how the planner works.
//		Summary string
//		// Source is the paper or project that the planner follows.
//		Source string
//		// Exact says that the planner proves optimality and infeasibility if it has the time.
//		Exact bool
//		// Moves says that the planner, or a planner that it runs, calls Options.Moves.
//		Moves bool
//		// Techniques are the parts of the planner that Options.Without can switch off.
//		Techniques []Technique
//		// Params are the parameters that Options.Params can set.
//		Params []Param
//		// Check returns an error for values of options that the planner does not take; nil
//		// checks nothing. It is called before a run begins.
//		Check func(Options) error
//	}
type PlannerInfo = plan.Info

// A Technique is a part of a planner that can be switched off.
//
//	type Technique struct {
//		// Name is the name in Options.Without.
//		Name string
//		// Summary says in one line what the technique does.
//		Summary string
//	}
type Technique = plan.Technique

// A Param is a parameter of a planner.
//
//	type Param struct {
//		// Name is the key in Options.Params.
//		Name string
//		// Default is the value if the key is missing.
//		Default string
//		// Values says in words which values are valid, such as "a whole number from 1 to
//		// 100". It is empty if every text is.
//		Values string
//		// Summary says in one line what the parameter does.
//		Summary string
//	}
type Param = plan.Param

// Rules say what one block of bytes and plain lifespans cannot. The zero value says nothing.
//
//	type Rules struct {
//		// Pools are the memories to plan for. Empty means one pool without a name, whose capacity is
//		// Problem.Capacity.
//		Pools []Pool
//		// Together ties buffers to one pool and to fixed distances between their offsets: views,
//		// aliases, contiguous groups. Lists that share a buffer unite.
//		Together []Together
//		// Apart has pairs of buffers that must share no byte of a pool, whatever their lifespans.
//		Apart []Pair
//		// MayOverlap has pairs of buffers that may share bytes although they are live at the same time.
//		MayOverlap []Pair
//		// Distances has pairs that meet in one slot, and may share bytes in it if they are far enough
//		// apart. The first buffer of a pair dies in the slot, and the second is born in it.
//		Distances []Distance
//		// Penalties has pairs that cost something if they share bytes. If a pair is listed twice, the
//		// costs are added.
//		Penalties []Penalty
//		// Threads is the number of clocks, or 0 if time is one line. If it is not 0, every buffer has
//		// Extra.Clocks.
//		Threads int
//		// Period is the length of a step that repeats, in slots, or 0 if time does not repeat. If it is not 0,
//		// every buffer has 0 <= Lower < Period and Upper <= Lower + Period, and slots count modulo Period.
//		Period int64
//		// Objective lists the measures to minimise. The second one decides only between plans that are equal
//		// in the first, and so on. Empty means height for one pool, and cost, then height, for several.
//		Objective []Measure
//	}
type Rules = model.Rules

// A Pool is one memory.
//
//	type Pool struct {
//		ID        string  // its name, not empty, and different from all others
//		Capacity  int64   // bytes; 0 means that there is no limit
//		Alignment int64   // every offset is a multiple of it; 0 and 1 both mean no constraint
//		Cost      int64   // cost of each byte of a buffer that has no cost of its own here; at least 0
//		Reserved  []Range // ranges of bytes that no buffer may use; they count in peaks, and in no height
//	}
type Pool = model.Pool

// A Range is the half-open range [Lower, Upper) of bytes.
//
//	type Range struct {
//		Lower int64 // first byte
//		Upper int64 // one past the last byte
//	}
type Range = model.Range

// Extra is what only some problems say of a buffer.
//
//	type Extra struct {
//		// Pools has the pools that the buffer may be in, as indices into Rules.Pools; nil for any.
//		Pools []int32
//		// Costs has what the buffer costs in some pools, in place of the pool's cost for its size.
//		Costs []PoolCost
//		// Clocks is the lifespan by clocks, for problems with Rules.Threads. Lower and Upper of the
//		// buffer are then the sums of the two: SetClocks fills them in.
//		Clocks *Clocks
//		// Evictions are stretches of the lifespan in which the buffer may be absent, at a price. They are in
//		// ascending order, with at least one slot between two. Each begins after the start of the lifespan and ends before its end.
//		Evictions []Eviction
//	}
type Extra = model.Extra

// A PoolCost is the cost of a buffer in a pool: at least 0.
//
//	type PoolCost struct {
//		Pool int32 // index into Rules.Pools
//		Cost int64 // at least 0, in the unit of Pool.Cost
//	}
type PoolCost = model.PoolCost

// Clocks are the start and the end of a lifespan, with one number for each thread. Lower is at most
// Upper in every component, and less in at least one.
//
//	type Clocks struct {
//		Lower []int64 // the start, by each thread's clock, at least 0
//		Upper []int64 // the end
//	}
//
//	// Before reports whether a buffer with clocks c ends before one with clocks d starts.
//	func (c *Clocks) Before(d *Clocks) bool
type Clocks = model.Clocks

// An Eviction is a stretch [Lower, Upper) of a buffer's life in which the buffer may be absent: it is
// spilled and reloaded, or computed again. A plan that takes the eviction pays Cost. The life then has
// parts, before and after the eviction, each with an offset of its own.
//
//	type Eviction struct {
//		Lower, Upper int64 // logical time, half-open
//		Cost         int64 // at least 0
//	}
type Eviction = model.Eviction

// A Pair is two different buffers, as indices into Problem.Buffers, in any order.
//
//	type Pair [2]int32
//
//	// Sorted returns the pair with the smaller index first.
//	func (x Pair) Sorted() Pair
type Pair = model.Pair

// A Together ties buffers into one body. They are in one pool, and
//
//	offset of Buffers[k] - offset of Buffers[0] = At[k] - At[0]
//
// If At is nil, all begin at the same byte.
//
//	type Together struct {
//		Buffers []int32 // indices into Problem.Buffers
//		At      []int64 // bytes, in the order of Buffers; nil for zeros
//	}
type Together = model.Together

// A Penalty is paid once if both buffers of the pair are in one pool and share a byte. It is never paid
// for buffers that conflict or are of one body.
//
//	type Penalty struct {
//		Buffers Pair  // the two that had better share no byte
//		Cost    int64 // at least 0
//	}
type Penalty = model.Penalty

// A Distance lets two buffers share bytes in the only slot in which they meet. The first one dies there,
// and the second one is born. They may share bytes if
//
//	offset of the first - offset of the second >= Distance
//
//	type Distance struct {
//		Buffers  Pair  // the one that dies, and the one that is born
//		Distance int64 // bytes; it may be negative
//	}
type Distance = model.Distance

// A Measure is a number of a plan that can be minimised. Bytes are not rounded.
//
//	type Measure string
type Measure = model.Measure

// A Value is a measure and its number, or a bound of it.
//
//	type Value struct {
//		Measure Measure // what is measured
//		Value   int64   // bytes, or the unit of the costs
//	}
type Value = model.Value

// A Part is a stretch of a buffer's life between evictions that a plan takes.
//
//	type Part struct {
//		Lower, Upper int64 // logical time, half-open
//		Pool         int32 // index into Rules.Pools; 0 if there are none
//		Offset       int64 // bytes
//	}
type Part = model.Part

// Parts are the parts of one buffer, in the order of time.
//
//	type Parts struct {
//		Buffer int32  // index into Problem.Buffers
//		Parts  []Part // at least two, in the order of time
//	}
type Parts = model.Parts
