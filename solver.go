package stowage

import (
	"context"
	"sync"
	"time"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/plan"
)

// A Solver plans one problem after another in the same memory, for a program that plans often. Make it with NewSolver.
// It is for one goroutine at a time. Its plans are those of Solve.
type Solver struct {
	options  Options
	clock    run.Clock
	timeline timeline.Memory
	check    verify.Memory
	kept     run.Kept // the planner that ran last, if it keeps its memory
}

// NewSolver returns a Solver that runs with the given options. Options.Capacity is for all problems. If it is 0, each
// problem has its own.
//
//	s := stowage.NewSolver(stowage.Options{})
//	var r stowage.Result
//	for _, p := range problems {
//		err := s.Solve(ctx, p, &r)
//		…
//	}
func NewSolver(o Options) *Solver { return &Solver{options: o} }

// Solve plans p as the function Solve does, and sets r. It uses the memory of r.Offsets, so what r had before is void.
// After an error r is as it was.
//
// A call allocates nothing if an earlier one was as large, the heuristics of auto solve the problem, and there is
// neither a timeout nor a context that may end, nor Rules. Searches, and sweeps of 128 buffers or more, allocate.
func (s *Solver) Solve(ctx context.Context, p *Problem, r *Result) error {
	offsets := r.Offsets
	options := s.options
	err := s.solve(ctx, p, r, true)
	s.options = options
	if err == nil && r.Offsets != nil {
		if offsets == nil {
			offsets = make([]int64, len(r.Offsets))
		}
		r.Offsets = append(offsets[:0], r.Offsets...)
	}
	s.forget()
	return err
}

// solve plans p with the options, which it completes. If keep is set, the offsets are of use until the next call.
func (s *Solver) solve(ctx context.Context, p *Problem, to *Result, keep bool) error {
	began, o := time.Now(), &s.options
	clock := &s.clock
	watched := clock.Start(ctx)
	defer clock.Close()
	planner, err := prepare(ctx, p, o, clock)
	if err != nil {
		return err
	}
	ctx = watched
	if p.Ruled() {
		r, err := ruled.Solve(ctx, within(p, o), planner, *o)
		if err == nil {
			err = checked(within(p, o), &r)
		}
		if err == nil {
			*to = r
		}
		return err
	}
	var tl *timeline.Timeline
	if !clock.Came() {
		tl = run.TimelineIn(&s.timeline, planner, p, clock.Limit())
	}
	if tl == nil {
		*to = clock.Unknown(planner.Name(), began)
		return nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		// turned, it may have no gaps, but the check sees those of p
		ctx, cancel = context.WithDeadline(ctx, run.PlanUntil(began, time.Now(), o.Timeout, tl.HasGaps() || tl.Problem != p))
		defer cancel()
	}
	if keeper, ok := planner.(run.Keeper); ok && keep {
		if s.kept == nil || s.kept.Name() != planner.Name() {
			s.kept = keeper.Keep()
		}
		planner = s.kept
	}
	r, err := run.Run(ctx, planner, tl, *o)
	if err != nil {
		return err
	}
	if r.Status == Infeasible {
		if r.Collision = verify.Collide(p); r.Collision != nil {
			r.ProvedBy = "collision"
		}
		if r.Collision == nil && o.Capacity == 0 {
			return plan.Invalid(r.Planner, "infeasible without a capacity, while no fixed offsets collide")
		}
	} else if r.Status.HasPlan() {
		if fault := s.check.First(p, r.Offsets, o.Capacity, r.Height); fault != "" {
			return plan.Invalid(r.Planner, fault)
		}
	}
	*to = r
	return nil
}

// forget lets go of the problem and of the options, and keeps the memory.
func (s *Solver) forget() {
	s.timeline.Forget()
	if s.kept != nil {
		s.kept.Forget()
	}
}

// Problems of at most sharedMost buffers are planned by a solver that has planned others before: for few buffers, new
// memory takes longer than the plan. For many it does not, and nobody wants their memory to stay.
const sharedMost = 2048

// solvers are those that nobody uses.
var solvers sync.Pool
