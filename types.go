package stowage

import (
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// This file names the types of model and plan again, so that a user needs one import. The comment of each alias begins
// as that of its type does, which TestTypes holds; the type's own has the fields and the methods.

// A Problem is a set of buffers and, optionally, a capacity to fit them into.
// [model.Problem] has its fields and methods.
type Problem = model.Problem

// A Buffer is one block of memory with a known size and lifespan. [model.Buffer] has its fields and methods.
type Buffer = model.Buffer

// A Piece is a stretch of a buffer's life during which it uses one range of its bytes.
// [model.Piece] has its fields and methods.
type Piece = model.Piece

// A Gap is a stretch [Lower, Upper) of logical time, within a buffer's lifespan, in which
// the buffer is inactive. It then uses no space or, if Window is set, only that part of
// its space.
// [model.Gap] has its fields and methods.
type Gap = model.Gap

// A Window is the half-open range [Lower, Upper) of a buffer's own bytes, counted from the buffer's offset, that stays
// in use during a Gap. [model.Window] has its fields and methods.
type Window = model.Window

// A Plan gives an offset to each buffer of a problem. [model.Plan] has its fields and methods.
type Plan = model.Plan

// Options say how a planner runs. The zero value looks for the lowest plan, with the
// planner auto and without limits.
// [plan.Options] has its fields and methods.
type Options = plan.Options

// Progress is a snapshot of a running search. [plan.Progress] has its fields and methods.
type Progress = plan.Progress

// A Turn is one run of a part of a planner that runs several, such as auto. Each turn starts
// from the best plan so far.
// [plan.Turn] has its fields and methods.
type Turn = plan.Turn

// A Move is one step of a search that places buffers one after the other: it places a
// buffer, or takes a placement back. A search undoes its latest placements first, so the
// placements form a stack. A search may also find plans in other ways, for example by
// ordering pairs of buffers. These steps are not reported as moves.
// [plan.Move] has its fields and methods.
type Move = plan.Move

// A Wait says that one buffer takes over bytes of another: Buffer must not begin at time At before For has
// ended at time Until. Barriers of the root package finds them.
// [plan.Wait] has its fields and methods.
type Wait = plan.Wait

// A MoveKind says what happens in a Move. [plan.MoveKind] has its fields and methods.
type MoveKind = plan.MoveKind

// The kinds of moves.
const (
	MoveBegin = plan.MoveBegin // a search of a part of the problem begins
	MovePlace = plan.MovePlace // the buffer is placed, or moved if it was placed already
	MoveBack  = plan.MoveBack  // the placement of the buffer, and every later one, is taken back
	MoveDone  = plan.MoveDone  // the unplaced buffers split into independent groups, one of which is placed
	MovePlan  = plan.MovePlan  // every buffer of the part is placed
)

// A Result is the outcome of a run. NewResult makes one from a status and offsets. A literal has the offsets in the
// embedded Plan: Plan: Plan{Offsets: offsets}. [plan.Result] has its fields and methods.
type Result = plan.Result

// Status is the outcome of a run. [model.Status] has its fields and methods.
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
// [plan.Stop] has its fields and methods.
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

// Stats count the effort of a run. [plan.Stats] has its fields and methods.
type Stats = plan.Stats

// A Report is the outcome of a check of a plan. [model.Report] has its fields and methods.
type Report = model.Report

// A Violation is one breach of one rule. [model.Violation] has its fields and methods.
type Violation = model.Violation

// A Rule is a rule that every plan must follow. [model.Rule] has its fields and methods.
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

// The rules of an order of a Family.
const (
	RuleOrder = model.RuleOrder // "order": of two buffers that are live together, one lies above the other
	RuleLoad  = model.RuleLoad  // "load": the claimed load is the most bytes that are live at once
)

// A Collision names two buffers whose fixed offsets make them use the same bytes at the same time. A problem with a
// collision has no valid plan, whatever the capacity. [model.Collision] has its fields and methods.
type Collision = model.Collision

// An Explanation names buffers that cannot fit a capacity together. [plan.Explanation] has its fields and methods.
type Explanation = plan.Explanation

// An InputError says what is wrong with an input: its first MaxIssues (20) faults, and
// how many faults there are in all.
// [model.InputError] has its fields and methods.
type InputError = model.InputError

// An Issue is one thing that is wrong with an input. [model.Issue] has its fields and methods.
type Issue = model.Issue

// A Planner makes plans. After Register, Solve finds it by its name. [plan.Planner] has its fields and methods.
type Planner = plan.Planner

// Info, which is PlannerInfo in the root package, describes a planner. [plan.Info] has its fields and methods.
type PlannerInfo = plan.Info

// A Technique is a part of a planner that can be switched off. [plan.Technique] has its fields and methods.
type Technique = plan.Technique

// A Param is a parameter of a planner. [plan.Param] has its fields and methods.
type Param = plan.Param

// Rules say what one block of bytes and plain lifespans cannot. The zero value says nothing.
// [model.Rules] has its fields and methods.
type Rules = model.Rules

// A Pool is one memory.
// [model.Pool] has its fields and methods.
type Pool = model.Pool

// A Range is the half-open range [Lower, Upper) of bytes. [model.Range] has its fields and methods.
type Range = model.Range

// Extra has the properties of a buffer that only some problems have. [model.Extra] has its fields and methods.
type Extra = model.Extra

// A PoolCost is the cost of a buffer in a pool: at least 0. [model.PoolCost] has its fields and methods.
type PoolCost = model.PoolCost

// Clocks are the start and the end of a lifespan, with one number for each thread. Lower is at most
// Upper in every component, and less in at least one.
// [model.Clocks] has its fields and methods.
type Clocks = model.Clocks

// An Eviction is a stretch [Lower, Upper) of a buffer's life in which the buffer may be absent: it is spilled and
// reloaded, or computed again. A plan that takes the eviction pays Cost. The life then has parts, before and after the
// eviction, each with an offset of its own. [model.Eviction] has its fields and methods.
type Eviction = model.Eviction

// A Pair is two different buffers, as indices into Problem.Buffers, in any order.
// [model.Pair] has its fields and methods.
type Pair = model.Pair

// A Together ties buffers into one body. They are in one pool, at fixed distances:
// [model.Together] has its fields and methods.
type Together = model.Together

// A Penalty is paid once if both buffers of the pair are in one pool and share a byte. It is never paid
// for buffers that conflict or are of one body.
// [model.Penalty] has its fields and methods.
type Penalty = model.Penalty

// A Distance lets two buffers share bytes in the only slot in which they meet. The first one dies there,
// and the second one is born. They may share bytes if
// [model.Distance] has its fields and methods.
type Distance = model.Distance

// A Measure is a number of a plan that can be minimised. Bytes are not rounded.
// [model.Measure] has its fields and methods.
type Measure = model.Measure

// A Value is a measure and its number, or a bound of it. [model.Value] has its fields and methods.
type Value = model.Value

// A Part is a stretch of a buffer's life between evictions that a plan takes. [model.Part] has its fields and methods.
type Part = model.Part

// Parts are the parts of one buffer, in the order of time. [model.Parts] has its fields and methods.
type Parts = model.Parts

// A Family is a set of problems that differ in the sizes of their buffers. Either Scenarios or Symbols is set.
// [model.Family] has its fields and methods.
type Family = model.Family

// An Order says above which others each buffer lies. Offsets for any sizes follow from it: see Place.
// [model.Order] has its fields and methods.
type Order = model.Order

// A FamilyResult is the outcome of a run on a family: the plan of the largest sizes, and an order for all sizes.
// [plan.FamilyResult] has its fields and methods.
type FamilyResult = plan.FamilyResult

// A Switched is several orders of a family. The value of a symbol says which one holds. [model.Switched] has its fields
// and methods.
type Switched = model.Switched
