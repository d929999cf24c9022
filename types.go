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
//		// Name says where the problem comes from, for messages and pictures.
//		Name string
//		// Buffers are the blocks to place. Their order has no meaning other than
//		// to break ties and to match Plan.Offsets.
//		Buffers []Buffer
//		// Capacity is the number of bytes that the plan must fit into;
//		// 0 means that there is no limit.
//		Capacity int64
//	}
//
//	// CapacityOr returns the capacity that counts where a caller asks for one: that
//	// one, or the problem's own where it is 0. It is 0 where there is none.
//	func (p *Problem) CapacityOr(capacity int64) int64
type Problem = model.Problem

// A Buffer is one block of memory with a known size and lifespan.
//
//	type Buffer struct {
//		// ID names the buffer in files and messages. Every buffer of a Problem has one,
//		// and no other buffer has the same.
//		ID string
//		// Lower and Upper bound the lifespan, half-open: the buffer is live in the
//		// logical time slots Lower, Lower+1, …, Upper-1.
//		Lower, Upper int64
//		// Size is the number of bytes (or any other unit of space) that the buffer
//		// takes, at least 1.
//		Size int64
//		// Alignment divides the buffer's offset. 0 and 1 both mean no constraint.
//		Alignment int64
//		// Gaps are inactive slots within the lifespan, in ascending order and
//		// disjoint.
//		Gaps []Gap
//		// Fixed, where set, is the only offset that the buffer may have.
//		Fixed *int64
//		// Hint, where set, is an offset at which a planner may try the buffer
//		// first, such as its place in an earlier plan. It binds nobody.
//		Hint *int64
//	}
//
//	// Align returns the buffer's alignment, with the zero value read as 1.
//	func (b *Buffer) Align() int64
//
//	// HasWindow reports whether any gap of the buffer has a window.
//	func (b *Buffer) HasWindow() bool
//
//	// Pieces calls yield with the pieces of a valid buffer in ascending order, until that
//	// returns false: all of its bytes outside of gaps, a gap's window during the gap, and
//	// nothing where the gap has none. Of two pieces that meet in time both may be of the same
//	// bytes. It is for range: for piece := range b.Pieces.
//	func (b *Buffer) Pieces(yield func(Piece) bool)
type Buffer = model.Buffer

// A Piece is a stretch of a buffer's life during which it uses one range of its bytes.
//
//	type Piece struct {
//		Lower, Upper int64 // when, half-open
//		From, To     int64 // which of its bytes, half-open, counted from its offset
//	}
type Piece = model.Piece

// A Gap is a slot [Lower, Upper) of logical time, within a buffer's lifespan,
// in which the buffer is inactive: it uses no space at all or, where Window is
// set, only that part of it.
//
//	type Gap struct {
//		Lower  int64   // first time slot of the gap
//		Upper  int64   // one past the last time slot of the gap
//		Window *Window // space still in use during the gap; nil for none
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
//		// Height is the largest offset + size: the bytes that the plan needs.
//		Height int64
//	}
type Plan = model.Plan

// Options steer a planner. The zero value minimises without limits.
//
//	type Options struct {
//		// Planner names the planner to run; empty means auto. Planners themselves
//		// ignore it.
//		Planner string
//		// Capacity is the number of bytes to fit into. 0 means the problem's own capacity; if
//		// that is 0 too, there is none.
//		Capacity int64
//		// Minimize asks for the lowest plan, within the capacity if there is one. Without it
//		// any plan that fits the capacity will do. It is implied if there is no capacity.
//		Minimize bool
//		// Timeout ends the search after this much wall-clock time; 0 means never.
//		Timeout time.Duration
//		// NodeLimit ends the search after this many nodes, a planner's own
//		// deterministic unit of effort; 0 means never.
//		NodeLimit int64
//		// Workers is the number of goroutines that may search side by side; 0
//		// means one, and 1,024 are the most. With one worker, the same input, seed and
//		// NodeLimit give the same plan.
//		Workers int
//		// Seed drives every random choice; 0 is a seed like any other.
//		Seed uint64
//		// Without names techniques to switch off, from the planner's Techniques.
//		Without []string
//		// Params sets tunables by name, from the planner's Params. The others have their
//		// defaults.
//		Params map[string]string
//		// Start, if set, holds the offsets of a valid plan to improve on, in the order of
//		// Problem.Buffers. It may be above the capacity.
//		Start []int64
//		// Progress, if set, is called now and then while the search runs, never twice at once.
//		// It must return quickly.
//		Progress func(Progress)
//		// Moves, if set, is called for each placement that a search tries, and for each that it
//		// takes back, in their order. Info.Moves says which planners do that: tela, and in
//		// programs that import planner/moves exact, and auto while it runs exact search. The
//		// search then has one worker, and takes the same way as without.
//		Moves func(Move)
//	}
//
//	// Fits reports whether a height is within Capacity. Every height is if Capacity is 0.
//	func (o *Options) Fits(height int64) bool
//
//	// Minimizing reports whether the lowest plan is wanted. It is for planners, which look at
//	// Capacity here and not at the problem's.
//	func (o *Options) Minimizing() bool
//
//	// Validate refuses numbers that make no sense for any planner: a capacity, a
//	// timeout, a node limit or a number of workers below 0, and a capacity above
//	// 2305843009213693951. The error is a *InputError.
//	func (o *Options) Validate() error
type Options = plan.Options

// Progress is a snapshot of a running search.
//
//	type Progress struct {
//		// Height is that of the lowest plan so far, in bytes; 0 for none.
//		Height int64
//		// Offsets are those of that plan if the planner has it at hand, or nil. They are valid
//		// during the call only.
//		Offsets []int64
//		// LowerBound is proven: no plan is lower.
//		LowerBound int64
//		// Nodes counts the nodes searched so far.
//		Nodes int64
//		// Elapsed is the wall-clock time since the start of the run.
//		Elapsed time.Duration
//	}
type Progress = plan.Progress

// A Move is a step of a search that places buffers one after the other: a placement that it
// tries, or one that it takes back. A search goes back the way it came, so the current
// placements are a stack. There are no moves for what a search finds in other ways: by
// ordering pairs of buffers, or by planning composites or stretches of time.
//
//	type Move struct {
//		// Kind is what happens.
//		Kind MoveKind
//		// Buffer is an index into Problem.Buffers. For MoveBegin, MoveDone and MovePlan it
//		// stands for the part that is searched: always the same one of its buffers.
//		Buffer int
//		// Offset is where the buffer is placed. For MoveBegin it is the capacity that is asked
//		// about, for MovePlan the height that was found, and otherwise 0.
//		Offset int64
//	}
type Move = plan.Move

// A MoveKind is what happens in a Move.
//
//	type MoveKind uint8
type MoveKind = plan.MoveKind

// The kinds of moves.
const (
	MoveBegin = plan.MoveBegin // a search of a part of the problem begins
	MovePlace = plan.MovePlace // the buffer is placed, or goes elsewhere
	MoveBack  = plan.MoveBack  // its placement is taken back, and all that came after it
	MoveDone  = plan.MoveDone  // of pieces that are apart from one another one is placed
	MovePlan  = plan.MovePlan  // all of the part is placed
)

// A Result is what a planner returns. NewResult makes one of a status and offsets. A
// literal has the offsets in the Plan that is embedded: Plan: Plan{Offsets: offsets}.
//
//	type Result struct {
//		// Status says what is known: Optimal and Feasible come with a plan.
//		Status Status
//		// Plan has the offsets, in the order of Problem.Buffers, and the height, in bytes. If
//		// no plan fits, Offsets is nil and Height is 0.
//		Plan
//		// LowerBound is a proven bound in bytes: no plan is lower. If Status is Infeasible, it
//		// is above the capacity.
//		LowerBound int64
//		// Enough is set only if Status is Unknown: the smallest capacity, above the requested
//		// one, for which the run found a plan; 0 if it found none. Capacities below LowerBound
//		// are proven not to be enough.
//		Enough int64
//		// Collision, if set, is the reason why Status is Infeasible whatever the capacity.
//		Collision *Collision
//		// Planner is the name of the planner that ran.
//		Planner string
//		// Member says, for a portfolio, which of its parts made the plan; it is
//		// empty for all others.
//		Member string
//		// Stopped says what ended the run before it had an answer.
//		Stopped Stop
//		// Stats count the effort.
//		Stats Stats
//	}
type Result = plan.Result

// Status says what is known at the end of a run.
//
//	type Status uint8
//
//	// HasPlan reports whether an outcome of this status carries a plan that fits.
//	func (s Status) HasPlan() bool
//
//	// MarshalText writes the status by its name.
//	func (s Status) MarshalText() ([]byte, error)
//
//	// String returns the lower-case name that the command and its JSON use.
//	func (s Status) String() string
//
//	// UnmarshalText reads a status by its name.
//	func (s *Status) UnmarshalText(text []byte) error
type Status = model.Status

// The outcomes. A limit is never reported as infeasible.
const (
	Unknown    = model.Unknown    // a limit came before an answer
	Feasible   = model.Feasible   // a plan that fits, not known to be the lowest
	Optimal    = model.Optimal    // a plan that fits, proven to be the lowest
	Infeasible = model.Infeasible // proven: no plan fits
)

// A Stop says why a run ended without an answer. If the run minimises, that means without a
// proof. If any plan that fits will do, it means without a plan or a proof.
//
//	type Stop string
type Stop = plan.Stop

// Why a run ended without an answer. A run that has its answer is Finished, and
// so is a heuristic that came to its own end.
const (
	Finished      = plan.Finished      // ""
	StopTimeout   = plan.StopTimeout   // "timeout": Options.Timeout or the context's deadline came
	StopNodes     = plan.StopNodes     // "nodes": Options.NodeLimit came
	StopInterrupt = plan.StopInterrupt // "interrupt": the context was cancelled
	StopEffort    = plan.StopEffort    // "effort": no limit came, the planner ended by itself
)

// Stats count the effort of a run.
//
//	type Stats struct {
//		// Nodes counts search nodes, or placements for a heuristic.
//		Nodes int64
//		// Backtracks counts nodes whose children all failed.
//		Backtracks int64
//		// Minor and Major split Backtracks if a planner counts them separately. A minor
//		// backtrack is a node that failed at once, and a major one a node whose candidates all
//		// failed. Otherwise both are 0.
//		Minor, Major int64
//		// Elapsed is the wall-clock time of the run.
//		Elapsed time.Duration
//	}
type Stats = plan.Stats

// A Report is the outcome of a check of a plan.
//
//	type Report struct {
//		// Height is the largest offset + size, recomputed. It is 0 where there are
//		// no buffers or the number of offsets is wrong, and stops at the largest
//		// int64 where an offset + size does not fit.
//		Height int64
//		// Violations are the first 1000, in the order of the buffers.
//		Violations []Violation
//		// Total is how many violations there are in all. Two buffers that meet more
//		// than once count once.
//		Total int
//		// Truncated says that the check looked for no more overlaps after 1048576
//		// of them: Total is a lower bound, and overlaps of earlier buffers may be
//		// missing from Violations.
//		Truncated bool
//	}
//
//	// OK reports whether the plan breaks no rule.
//	func (r *Report) OK() bool
type Report = model.Report

// A Violation is one breach of one rule.
//
//	type Violation struct {
//		// Rule is the rule that is broken.
//		Rule Rule
//		// A and B index the buffers at fault in Problem.Buffers; B is -1 unless Rule
//		// is RuleOverlap, and both are -1 where no buffer is at fault. A < B where
//		// both are set.
//		A, B int
//		// Message names the buffers and the numbers, in one line.
//		Message string
//	}
type Violation = model.Violation

// A Rule is one that a plan may break.
//
//	type Rule string
type Rule = model.Rule

// The rules of a plan.
const (
	RuleCount     = model.RuleCount     // "count": there is one offset for each buffer
	RuleSign      = model.RuleSign      // "negative": no offset is below zero
	RuleAlignment = model.RuleAlignment // "alignment": an offset is a multiple of its buffer's alignment
	RuleFixed     = model.RuleFixed     // "fixed": a buffer with a fixed offset is there
	RuleCapacity  = model.RuleCapacity  // "capacity": a buffer ends within the capacity, and within int64
	RuleOverlap   = model.RuleOverlap   // "overlap": no two buffers use the same bytes at the same time
	RuleHeight    = model.RuleHeight    // "height": the height claimed is the largest offset + size
)

// A Collision is two buffers with fixed offsets that use the same bytes at the
// same time: no plan is valid, whatever the capacity.
//
//	type Collision struct {
//		// A and B index the buffers in Problem.Buffers, A < B.
//		A, B int
//		// Lower and Upper are the logical times [Lower, Upper) at which they meet.
//		Lower, Upper int64
//		// Start and End are the bytes [Start, End) that both use then.
//		Start, End int64
//	}
type Collision = model.Collision

// An Explanation names buffers that together cannot fit a capacity.
//
//	type Explanation struct {
//		// Status is Infeasible if a reason was found, Feasible if the problem has a plan, and
//		// Unknown if a limit came first.
//		Status Status
//		// Buffers index an infeasible subset of Problem.Buffers, ascending.
//		Buffers []int
//		// Irreducible says that the rest fit if any one of the buffers is removed. If it is
//		// false, a limit came first, and a part of the buffers may be enough. Another
//		// irreducible subset may have fewer buffers.
//		Irreducible bool
//		// Smallest says that no infeasible subset has fewer buffers. Only
//		// ExplainSmallest looks for that.
//		Smallest bool
//		// AtLeast is a proven lower bound on the number of buffers of an infeasible subset: any
//		// AtLeast-1 buffers of the problem fit. It is 0 if that was not asked.
//		AtLeast int
//		// Collision, if set, says that two buffers have fixed offsets at which they collide, so
//		// that they fit no capacity.
//		Collision *Collision
//		// Capacity is the capacity in bytes that the buffers cannot fit. It is 0 if they fit no
//		// capacity and none was asked for.
//		Capacity int64
//		// Load is the contention peak of the subset in bytes: the most that is live
//		// at once.
//		Load int64
//		// At is the half-open slice of logical time in which the peak stands.
//		At [2]int64
//		// Runs counts the searches that it took.
//		Runs int
//	}
//
//	// Describe says in a sentence what was found, with the names of the buffers of p, the
//	// problem that the explanation is about; their numbers if p is nil. Of many buffers it
//	// names the first 20.
//	func (x Explanation) Describe(p *Problem) string
//
//	// String says in a sentence what was found, with the buffers by their numbers. Describe
//	// has their names.
//	func (x Explanation) String() string
type Explanation = plan.Explanation

// An InputError says what is wrong with an input: the first 20 problems of it
// and how many there are in all.
//
//	type InputError struct {
//		Issues []Issue // the first 20, in the order of the input
//		Total  int     // how many there are in all
//	}
//
//	// Error lists the issues, a line each.
//	func (e *InputError) Error() string
type InputError = model.InputError

// An Issue is one thing that is wrong with an input.
//
//	type Issue struct {
//		File    string // path as the user gave it; empty where there is no file
//		Line    int    // 1-based line; 0 where there is none
//		Buffer  string // ID of the buffer at fault, "number 2" for the second where it has neither ID nor line; empty where none is
//		Field   string // column or key, such as "size"
//		Value   string // the value as it was read
//		Message string // what is wrong, such as "must be at least 1"
//	}
//
//	// String formats the issue as file:line: buffer: field "value": message, with
//	// the parts that are not known left out.
//	func (i Issue) String() string
type Issue = model.Issue

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
//
//	type Planner interface {
//		Info() PlannerInfo
//		Plan(ctx context.Context, p *Problem, o Options) (Result, error)
//	}
type Planner = plan.Planner

// Info, which is PlannerInfo in the root package, describes a planner.
//
//	type PlannerInfo struct {
//		// Name identifies the planner in Options.Planner, on the command line and in JSON, in
//		// lower case with hyphens.
//		Name string
//		// Summary says in one line how it plans.
//		Summary string
//		// Source is the paper or project that it follows.
//		Source string
//		// Exact planners prove optimality and infeasibility, given time.
//		Exact bool
//		// Moves says that the planner reports its moves (Options.Moves), itself or by a planner
//		// that it runs.
//		Moves bool
//		// Techniques can be switched off by name (Options.Without).
//		Techniques []Technique
//		// Params can be set by name (Options.Params).
//		Params []Param
//		// Check, if set, refuses values of options that the planner does not take. It is called
//		// before a run begins.
//		Check func(Options) error
//	}
type PlannerInfo = plan.Info

// A Technique is a part of a planner that can be switched off.
//
//	type Technique struct {
//		// Name is the name for Options.Without.
//		Name string
//		// Summary says in one line what it does.
//		Summary string
//	}
type Technique = plan.Technique

// A Param is a tunable of a planner.
//
//	type Param struct {
//		// Name is the key in Options.Params.
//		Name string
//		// Default is the value where the key is missing.
//		Default string
//		// Values says in words which texts it takes, such as "a whole number from 1 to 100". It
//		// is empty if any will do.
//		Values string
//		// Summary says in one line what it sets.
//		Summary string
//	}
type Param = plan.Param
