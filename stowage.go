// Package stowage plans static memory: it packs buffers into one block of memory. You
// give it the size and the lifespan of each buffer; it gives each an offset. Buffers that
// are live at the same time never overlap. The block fits a capacity, or is as small as
// possible. If it can, the package proves that no smaller block exists.
//
//	p := &stowage.Problem{Buffers: []stowage.Buffer{
//		{ID: "b1", Lower: 0, Upper: 3, Size: 4},
//		{ID: "b2", Lower: 3, Upper: 9, Size: 4},
//	}}
//	r, err := stowage.Minimize(ctx, p, stowage.Options{})
//
// Time is logical and half-open. Sizes, offsets, heights and capacities are
// int64 in any unit of space, called bytes here; 0 as a capacity means none.
// Every plan that this package returns has passed Verify.
//
// An error is about the request; the outcome of a run is a Status. These are the errors,
// for errors.As and errors.Is:
//
//	*InputError         the problem, an option or the plan to start from is bad, or the
//	                    context is nil; the error lists all faults
//	ErrUnknownPlanner   Options.Planner names none
//	ErrUnsupported      the planner does not take this problem
//	ErrNoCapacity       Explain was given no capacity
//	ErrNoCertificate    Certify has found no proof
//	ErrInvalidPlan      a mistake of the planner: its plan does not pass Verify
//
// A planner of your own is registered under a name, and its plans are verified like all
// others:
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
// The functions may be called from many goroutines at once, on the same problem as well:
// they do not change it.
//
// The types are those of the packages model and plan, which planners, formats
// and pictures share.
package stowage

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// DefaultPlanner is the planner that runs if Options.Planner is empty.
const DefaultPlanner = "auto"

// The errors that errors.Is distinguishes.
var (
	// ErrUnknownPlanner means that no planner of that name is registered. The
	// message lists those that are.
	ErrUnknownPlanner = plan.ErrUnknownPlanner
	// ErrUnsupported means that the planner does not take this problem: it has
	// a feature that the planner cannot honour, or is too large for it.
	ErrUnsupported = plan.ErrUnsupported
	// ErrNoCapacity means that neither the options nor the problem have the
	// capacity that Explain needs.
	ErrNoCapacity = plan.ErrNoCapacity
	// ErrNoCertificate means that Certify has found no proof that can be written
	// down: a plan fits, a limit came first, or the proof is in windows.
	ErrNoCertificate = plan.ErrNoCertificate
	// ErrInvalidPlan means that a planner returned a plan that Verify refuses, a
	// bound above it, or a status that cannot be, such as Infeasible where there
	// is no capacity: a mistake in the planner, not in its input.
	ErrInvalidPlan = plan.ErrInvalidPlan
)

// Solve plans p. With a capacity (o.Capacity, or else p.Capacity) any plan that
// fits will do, unless o.Minimize asks for the lowest; without one it minimises.
//
// The error is for bad input (see the package's list of errors); that no plan
// exists or none was found in time is a Status. A context that ends stops the
// search, which then returns its best plan so far; Result.Stopped says so.
//
// The timeout covers everything from here on: validation, preparation, the
// planner, and the check of its plan, for which time is set aside. A timeout that is
// too short for the cheapest plan does not prevent it: Solve then returns late with
// that plan. The cheapest plan takes about half a second for a million buffers. If it
// does not fit the capacity, the problem is Unknown.
//
// The context is stricter. If it ends during validation or preparation, a problem of more
// than 65,536 pieces is Unknown (a buffer is one piece, and one more for each gap). Such
// a problem may have faults that no error names.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	began := time.Now()
	clock := newClock(ctx)
	defer clock.close()
	planner, err := prepare(ctx, p, &o, clock)
	if err != nil {
		return nil, err
	}
	var tl *timeline.Timeline
	if !clock.came {
		tl = timeline.NewUnless(p, clock.over)
	}
	if tl == nil {
		return clock.unknown(planner.Name(), began), nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, planUntil(began, time.Now(), o.Timeout, tl.HasGaps()))
		defer cancel()
	}
	r := new(Result)
	if err := run.Into(ctx, planner, tl, &o, r); err != nil {
		return nil, err
	}
	if r.Status == Infeasible {
		r.Collision = verify.Collide(p)
		if r.Collision == nil && o.Capacity == 0 {
			return nil, plan.Invalid(r.Planner, "infeasible without a capacity, while no fixed offsets collide")
		}
	} else if r.Status.HasPlan() {
		if fault := verify.First(p, r.Offsets, o.Capacity, r.Height); fault != "" {
			return nil, plan.Invalid(r.Planner, fault)
		}
	}
	return r, nil
}

// prepare completes the options and checks them and the problem. All that Solve and Explain
// are given passes through here.
func prepare(ctx context.Context, p *Problem, o *Options, c *clock) (run.Planner, error) {
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
	bad := model.ValidateAs(p, model.Terms{Over: c.over})
	issues.Join(bad)
	if o.Start != nil && bad == nil && !c.came {
		checkStart(&issues, p, o.Start)
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

// Minimize is Solve with Options.Minimize set: it looks for the lowest plan and
// goes on until that is proven or a limit comes.
func Minimize(ctx context.Context, p *Problem, o Options) (*Result, error) {
	o.Minimize = true
	return Solve(ctx, p, o)
}

// Verify checks offsets, in the order of p.Buffers, against the problem and a capacity. If
// the capacity is 0, p.Capacity counts. The check is independent of the planners. The
// report says what is wrong with the plan. The error is an *InputError for a problem that
// is nil or bad, or a capacity below 0.
//
// It takes O(n log n) time for n buffers, and O(log n) more for each overlap.
func Verify(p *Problem, offsets []int64, capacity int64) (*Report, error) {
	var issues model.Issues
	o := Options{Capacity: capacity}
	issues.Join(o.Validate())
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return verify.Check(p, offsets, p.CapacityOr(capacity)), nil
}

// Explain finds an irreducible set of buffers that cannot fit the capacity (o.Capacity, or
// else p.Capacity): the rest fit if any one of them is removed. Another such set may have
// fewer buffers (see ExplainSmallest). If the problem is feasible, or a limit comes before
// an answer, the explanation's Status says so.
//
// o.Timeout limits the whole call, o.NodeLimit each run of the planner. Without a capacity
// only fixed offsets that collide can be a reason. If none collide, the error is
// ErrNoCapacity.
func Explain(ctx context.Context, p *Problem, o Options) (*Explanation, error) {
	planner, err := prepare(ctx, p, &o, &clock{})
	if err != nil {
		return nil, err
	}
	return explain.Irreducible(ctx, p, planner, o)
}

// ExplainSmallest is Explain for a set of the fewest buffers that cannot fit the capacity.
// That takes longer, exponentially so in the worst case. If a limit comes first,
// Explanation.Smallest is false, Buffers are the fewest found, and AtLeast is a lower bound
// on their number. o.NodeLimit limits each run of the planner.
func ExplainSmallest(ctx context.Context, p *Problem, o Options) (*Explanation, error) {
	planner, err := prepare(ctx, p, &o, &clock{})
	if err != nil {
		return nil, err
	}
	return explain.Smallest(ctx, p, planner, o)
}

// Register makes a planner known by its name, to Solve and to everything that lists
// planners. It panics if the planner has no name or one that is taken.
func Register(p Planner) { plan.Register(p) }

// NewResult returns the result of a planner of your own: a status, and offsets in the order
// of Problem.Buffers, nil if there is no plan. The rest may be left out: Solve fills in
// the height, the planner's name and the time. In a literal, Offsets stands in the Plan
// that is embedded: Result{Status: Feasible, Plan: Plan{Offsets: offsets}}.
func NewResult(status Status, offsets []int64) Result { return plan.NewResult(status, offsets) }

// Planners describes the planners that are registered, in the order of their
// names.
func Planners() []PlannerInfo {
	var infos []PlannerInfo
	for _, p := range run.All() {
		infos = append(infos, p.Info())
	}
	return infos
}

// LowerBound returns a height in bytes such that no plan of p is lower: the load (the
// largest sum of sizes that are live at one moment), sharpened by alignment and fixed
// offsets. The error is an *InputError.
func LowerBound(p *Problem) (int64, error) {
	if err := model.Validate(p); err != nil {
		return 0, err
	}
	return timeline.New(p).LowerBound, nil
}
