// Package stowage plans static memory: it gives each buffer a place in one block of memory. The size and the lifespan
// of each buffer must be known before the program runs. Buffers that are live at the same time never overlap. The block
// fits a given capacity, or is as small as possible. If the search proves that no smaller block exists, the status of
// the result is Optimal.
//
//	p := &stowage.Problem{Buffers: []stowage.Buffer{
//		{ID: "b1", Lower: 0, Upper: 3, Size: 4},
//		{ID: "b2", Lower: 3, Upper: 9, Size: 4},
//	}}
//	r, err := stowage.Minimize(ctx, p, stowage.Options{})
//
// Time is logical and half-open: a buffer is live from Lower up to, but not including, Upper. Sizes, offsets, heights
// and capacities are int64 in any unit of space, called bytes here. The height of a plan is its largest offset + size.
// A capacity of 0 means that there is none. Every plan that this package returns has passed Verify.
//
// A problem may have Rules: several memories, pairs of buffers kept apart, penalties and so on. Solve,
// Minimize, Explain and VerifyPlan take such a problem. The other functions return ErrUnsupported.
// docs/memories.md has an example of each rule.
//
// An error says that the request is bad; the outcome of a run is a Status. For errors.As and errors.Is, the errors are
//
//	*InputError         the problem, an option or the plan to start from is bad, or the
//	                    context is nil; the error lists every fault
//	ErrUnknownPlanner   no planner has the name in Options.Planner
//	ErrUnsupported      the planner or the function does not take this problem
//	ErrNoCapacity       Explain or Certify was given no capacity
//	ErrNoCertificate    Certify found no proof that it can write down
//	ErrInvalidPlan      a fault of the planner: its plan does not pass Verify
//
// You can register a planner of your own under a name. Its plans are verified like all others:
//
//	type stacker struct{}
//
//	func (stacker) Info() stowage.PlannerInfo { return stowage.PlannerInfo{Name: "stacker"} }
//
//	func (stacker) Plan(_ context.Context, p *stowage.Problem, o stowage.Options) (stowage.Result, error) {
//		offsets, top := make([]int64, len(p.Buffers)), int64(0)
//		for i, b := range p.Buffers {
//			if b.Fixed != nil {
//				return stowage.Result{}, fmt.Errorf("planner stacker: %w: buffer %s is fixed", stowage.ErrUnsupported, b.ID)
//			}
//			offsets[i] = (top + b.Align() - 1) / b.Align() * b.Align()
//			top = offsets[i] + b.Size
//		}
//		if !o.Fits(top) {
//			return stowage.NewResult(stowage.Unknown, nil), nil
//		}
//		return stowage.NewResult(stowage.Feasible, offsets), nil
//	}
//
//	func init() { stowage.Register(stacker{}) }
//
// The functions may be called from many goroutines at once, and on the same problem: they do not change it.
//
// The types are aliases of those in the packages model and plan.
package stowage

import (
	"context"
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	// The planners that auto runs, and auto. Others register themselves where they are imported: see plan/all, and
	// lab/baselines and lab/milp of the laboratory.
	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/beam"
	_ "github.com/stowage-go/stowage/internal/climb"
	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/merge"
	_ "github.com/stowage-go/stowage/internal/rows"
)

// DefaultPlanner is the planner that runs if Options.Planner is empty.
const DefaultPlanner = "auto"

// Kinds of errors, for errors.Is.
var (
	// ErrUnknownPlanner means that no planner of that name is registered. The message lists the planners that are.
	ErrUnknownPlanner = plan.ErrUnknownPlanner
	// ErrUnsupported means that the planner does not take this problem: the problem has
	// a feature that the planner cannot honour, or is too large for it.
	ErrUnsupported = plan.ErrUnsupported
	// ErrNoCapacity means that neither the options nor the problem have the capacity that Explain or Certify needs.
	ErrNoCapacity = plan.ErrNoCapacity
	// ErrNoCertificate means that Certify found no proof that it can write down: a plan
	// fits, a limit came first, or the proof needs the windows of gaps.
	ErrNoCertificate = plan.ErrNoCertificate
	// ErrInvalidPlan means that a planner returned a plan that Verify refuses, a lower
	// bound above the height of its plan, or a status that is impossible, such as
	// Infeasible without a capacity. The fault is in the planner, not in its input.
	ErrInvalidPlan = plan.ErrInvalidPlan
)

// Solve plans p. The capacity is o.Capacity, or p.Capacity if that is 0. With a capacity Solve returns any plan that
// fits, unless o.Minimize asks for the lowest plan. Without a capacity it always looks for the lowest plan.
//
// The error is for bad input (see the list of errors in the package comment). If no plan
// exists, or none was found in time, the Status of the result says so. If ctx ends, the
// search stops and Solve returns the best plan so far; Result.Stopped has the reason.
//
// o.Timeout covers the whole call: validation, preparation, the planner, and the check of its plan, for which Solve
// reserves time. Solve always makes at least the cheapest plan, even if that takes longer than the timeout: about half
// a second for a million buffers. If that plan does not fit the capacity, the Status is Unknown.
//
// The end of ctx is stricter. If ctx ends during validation or preparation, the Status is
// Unknown for a problem of more than 65,536 pieces, and faults of the problem may go
// unreported. A buffer counts as one piece, and as one more for each gap.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	r := new(Result)
	if p == nil || len(p.Buffers) > sharedMost {
		s := Solver{options: o}
		if err := s.solve(ctx, p, r, false); err != nil {
			return nil, err
		}
		return r, nil
	}
	s, _ := solvers.Get().(*Solver)
	if s == nil {
		s = new(Solver)
	}
	s.options = o
	err := s.Solve(ctx, p, r)
	s.options = Options{}
	solvers.Put(s)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// checked checks the plan of a problem with rules by code that reads the rules by itself.
func checked(p *Problem, r *Result) error {
	if r.Status.HasPlan() {
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
			return plan.Invalid(r.Planner, report.Violations[0].Message)
		}
	}
	return nil
}

// within returns a problem with rules with the capacity of the options, which holds. Pools have their own.
func within(p *Problem, o *Options) *Problem {
	if len(p.Rules.Pools) > 0 || o.Capacity == p.Capacity {
		return p
	}
	q := *p
	q.Capacity = o.Capacity
	return &q
}

// noRules is the error of what takes plain problems only. does begins the sentence.
func noRules(does string) error {
	return fmt.Errorf("%w: %s a problem with rules", ErrUnsupported, does)
}

// prepare completes the options and checks them and the problem. All that Solve and Explain
// are given passes through here.
func prepare(ctx context.Context, p *Problem, o *Options, c *run.Clock) (run.Planner, error) {
	if o.Planner == "" {
		o.Planner = DefaultPlanner
	}
	known, err := plan.Find(o.Planner)
	if err != nil {
		return nil, err
	}
	var issues model.Issues
	if ctx == nil {
		issues.Say("", "", "there is no context: it is nil")
	}
	issues.Join(known.Check(o))
	issues.Join(o.Validate())
	bad := model.ValidateAs(p, model.Terms{Over: c.Limit()})
	issues.Join(bad)
	if o.Start != nil && bad == nil && !c.Came() {
		checkStart(&issues, p, o.Start)
	}
	if p != nil && p.Rules != nil && o.Capacity != 0 && len(p.Rules.Pools) > 0 {
		issues.Say("capacity", strconv.FormatInt(o.Capacity, 10),
			"is for one pool without a name; the problem has pools with capacities of their own")
	}
	if p != nil {
		o.Capacity = p.CapacityOr(o.Capacity)
	}
	return run.Prepared(known), issues.Err()
}

// checkStart refuses a plan to start from that breaks a rule. Such a plan may be above the
// capacity: only what it leads to counts.
func checkStart(issues *model.Issues, p *Problem, offsets []int64) {
	if fault := verify.First(p, offsets, 0, -1); fault != "" {
		issues.Say("start", "", fault)
	}
}

// Minimize is Solve with Options.Minimize set. It looks for the lowest plan, and ends
// once a plan is proven to be the lowest, or at a limit.
func Minimize(ctx context.Context, p *Problem, o Options) (*Result, error) {
	o.Minimize = true
	return Solve(ctx, p, o)
}

// Verify checks a plan of p: offsets in bytes, in the order of p.Buffers. If capacity is 0, p.Capacity counts. The
// report lists the faults of the plan. The error is an *InputError if the problem is nil or bad, or the capacity is out
// of range. A problem with rules is refused (ErrUnsupported): VerifyPlan checks it.
//
// Verify takes O(n log n) time for n buffers, and O(log n) more for each overlap. It
// shares only a sort with the planners.
func Verify(p *Problem, offsets []int64, capacity int64) (*Report, error) {
	var issues model.Issues
	o := Options{Capacity: capacity}
	issues.Join(o.Validate())
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	if p.Ruled() {
		return nil, noRules("Verify takes offsets alone; VerifyPlan checks a plan of")
	}
	return verify.Check(p, offsets, p.CapacityOr(capacity)), nil
}

// VerifyPlan checks a plan of a problem with or without rules: offsets, pools and parts. If the
// problem has rules, it also checks plan.Height, unless that is negative. The report lists the
// faults of the plan. The error is an *InputError if the problem is nil or bad.
//
// It reads the rules by itself and shares no code with the planners.
func VerifyPlan(p *Problem, plan *Plan) (*Report, error) {
	if err := model.Validate(p); err != nil {
		return nil, err
	}
	if !p.Ruled() {
		return verify.Check(p, plan.Offsets, p.Capacity), nil
	}
	return verify.CheckPlan(p, plan), nil
}

// Register makes a planner known by its name to Solve, Explain and Planners. It panics if
// the planner has no name, or a name that is taken.
func Register(p Planner) { plan.Register(p) }

// NewResult returns the result of a planner of your own: a status, and the offsets in the
// order of Problem.Buffers, or nil if there is no plan. Solve fills in the height, the
// name of the planner and the time. As a literal, the same result is
// Result{Status: status, Plan: Plan{Offsets: offsets}}.
func NewResult(status Status, offsets []int64) Result { return plan.NewResult(status, offsets) }

// Planners describes the registered planners, in the order of their names.
func Planners() []PlannerInfo {
	var infos []PlannerInfo
	for _, p := range run.All() {
		infos = append(infos, p.Info())
	}
	return infos
}

// LowerBound returns a height in bytes: no plan of p is lower. It is the peak load, which
// is the most bytes that are live at one time, raised if alignment or fixed offsets prove
// more. It takes no search. The error is an *InputError, or ErrUnsupported if p has rules.
func LowerBound(p *Problem) (int64, error) {
	if err := model.Validate(p); err != nil {
		return 0, err
	}
	if p.Ruled() {
		return 0, noRules("LowerBound does not take")
	}
	return timeline.New(p).LowerBound, nil
}
