package pools

import (
	"context"
	"strconv"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: reserved bytes count in no height and in no bound. So they cannot simply be buffers with fixed offsets. A plan ends
// below a reserved range, or it has a buffer above the range. The planner is asked about each of these cases in turn:
//
//	case k: capacity = begin of range k; ranges 0 to k-1 are pinned buffers of all time
//
// Suppose that no plan ends below range k-1. Then in case k every plan has a buffer above that range, so the pinned buffers
// raise no height and no bound. The first case that has a plan has the lowest plan.
//
// Invariant: a bound is claimed above a case only if the case is proven to have no plan.
//
// Complexity: a run for each range below the plan; most are answered by the load.
//
// Dropped: one run with all ranges pinned. A range at the end of the pool made it claim the capacity as the optimum.

// An answer is the outcome for one strip.
type answer struct {
	status  model.Status
	offsets []int64 // of the bodies; nil if there is no plan
	height  int64   // of the bodies
	bound   int64   // no plan of the bodies is lower
	by      string  // who proved it
}

// plan looks for a plan of a strip within a capacity, or for the lowest. 0 is no capacity.
func (s *Search) plan(ctx context.Context, st *lower.Strip, capacity int64, minimize bool) (answer, error) {
	if st.Impossible != "" {
		return answer{status: model.Infeasible, by: "alignment", bound: model.MaxSum}, nil
	}
	if len(st.Members) == 0 {
		return answer{status: model.Optimal, by: run.Bound}, nil
	}
	if s.tangled(st) {
		return s.untangle(ctx, st, capacity, minimize)
	}
	bound := int64(-1) // of the first case that was left undecided
	for k := 0; ; k++ {
		limit, last := capacity, k == len(st.Reserved)
		if !last {
			if begin := st.Reserved[k].Lower; capacity == 0 || begin < capacity {
				limit = begin
			} else {
				last = true
			}
		}
		if limit == 0 && !last {
			continue // the range begins at 0
		}
		a, err := s.one(ctx, pinned(st, k), len(st.Problem.Buffers), limit, minimize)
		if err != nil {
			return answer{}, err
		}
		if a.status == model.Unknown && bound < 0 {
			bound = a.bound
		}
		if bound >= 0 {
			a.bound = min(a.bound, bound)
			if a.status == model.Optimal {
				a.status = model.Feasible
			}
			if a.status == model.Infeasible {
				a.status, a.by = model.Unknown, ""
			}
		}
		if a.status.HasPlan() || last {
			return a, nil
		}
	}
}

// pinned returns the strip's problem with the first k reserved ranges as buffers of all time.
func pinned(st *lower.Strip, k int) *model.Problem {
	if k == 0 {
		return st.Problem
	}
	q := *st.Problem
	q.Buffers = append([]model.Buffer(nil), q.Buffers...)
	first, last := q.Buffers[0].Lower, q.Buffers[0].Upper
	for i := range q.Buffers {
		first, last = min(first, q.Buffers[i].Lower), max(last, q.Buffers[i].Upper)
	}
	for n, r := range st.Reserved[:k] {
		at := r.Lower
		q.Buffers = append(q.Buffers, model.Buffer{
			ID: "reserved " + strconv.Itoa(n), Lower: first, Upper: last, Size: r.Upper - r.Lower, Alignment: 1, Fixed: &at,
		})
	}
	return &q
}

// one runs the planner on a problem whose first n buffers are bodies.
func (s *Search) one(ctx context.Context, p *model.Problem, n int, capacity int64, minimize bool) (answer, error) {
	return s.ask(ctx, timeline.New(p), n, capacity, minimize, nil)
}

// ask runs the planner on a prepared problem, from a plan to start from, or nil.
func (s *Search) ask(ctx context.Context, tl *timeline.Timeline, n int, capacity int64, minimize bool, start []int64) (answer, error) {
	p, o := tl.Problem, s.options
	o.Capacity, o.Minimize, o.Start = capacity, minimize, start
	if o.NodeLimit > 0 {
		if o.NodeLimit -= s.stats.Nodes; o.NodeLimit <= 0 {
			o.NodeLimit = 1
		}
	}
	r, err := run.Run(ctx, s.planner, tl, o)
	if err != nil {
		return answer{}, s.refusal(err, p, n)
	}
	s.stats.Nodes += r.Stats.Nodes
	s.stats.Backtracks += r.Stats.Backtracks
	a := answer{status: r.Status, bound: r.LowerBound, by: r.ProvedBy}
	if r.Stopped != plan.Finished {
		s.stopped = r.Stopped
	}
	if r.Status.HasPlan() {
		a.offsets = r.Offsets[:n]
		for i, at := range a.offsets {
			a.height = max(a.height, at+p.Buffers[i].Size)
		}
		a.bound = min(a.bound, a.height)
	}
	return a, nil
}
