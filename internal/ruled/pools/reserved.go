package pools

import (
	"context"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: reserved bytes count in no height and in no bound. So they cannot simply be buffers with fixed offsets. A plan
// ends below a reserved range, or it has a buffer above the range. The planner is asked about each of these cases in
// turn:
//
//	case k: capacity = begin of range k; ranges 0 to k-1 are pinned buffers of all time
//
// Suppose that no plan ends below range k-1. Then in case k every plan has a buffer above that range, so the pinned
// buffers raise no height and no bound. The first case that has a plan has the lowest plan.
//
// The first cases may have no plan because a buffer is larger than every hole, or the load larger than all holes
// together. The planner is not asked about these (hopeless). A plan of one case is a plan of every later one. So a
// proof that a case has no plan covers all cases before it. If a case is left undecided, the next cases to ask about
// lie further and further apart, up to the last.
//
// Invariant: a bound is claimed above a case only if the case is proven to have no plan.
//
// Complexity: a run for each range between the first case with some hope and the plan.
//
// Trials: docs/lab/ruled.md (ranges as pinned buffers made a range at the pool's end look like the optimum).

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
	if st.Shared != nil {
		if a, ok := s.share(ctx, st, capacity, minimize); ok {
			return a, nil
		}
	}
	if st.TooMany {
		return answer{}, s.tooMany()
	}
	if s.tangled(st) {
		return s.untangle(ctx, st, capacity, minimize)
	}
	cases := len(st.Reserved) // the number of the last case
	for k := range st.Reserved {
		if capacity > 0 && st.Reserved[k].Lower >= capacity {
			cases = k
			break
		}
	}
	first, possible := hopeless(st, cases, capacity)
	if !possible {
		return answer{status: model.Infeasible, by: run.Bound, bound: capacity + 1}, nil
	}
	bound, step := int64(-1), 1 // bound is the first undecided case's, or -1
	for k := first; ; k = min(k+step, cases) {
		limit, last := capacity, k == cases
		if !last {
			limit = st.Reserved[k].Lower
		}
		a, err := s.one(ctx, pinned(st, k), len(st.Problem.Buffers), limit, minimize)
		if err != nil {
			return answer{}, err
		}
		switch {
		case a.status == model.Infeasible:
			bound = -1 // a plan of an earlier case would be a plan of this one
		case a.status == model.Unknown && bound < 0:
			bound = a.bound
		case bound >= 0:
			a.bound = min(a.bound, bound)
			if a.status == model.Optimal {
				a.status = model.Feasible
			}
		}
		if a.status.HasPlan() || last {
			return a, nil
		}
		if s.Over(ctx) {
			step *= 2
			if bound < 0 {
				bound = st.Reserved[k].Upper // no plan ends below the range
			}
		}
	}
}

// hopeless returns how many of the first cases have no plan by sizes and load alone, and whether the last case may have
// one. cases is the number of cases before the last.
//
// A buffer all of whose bytes are in use lies in one hole between two ranges. If the lowest hole with room for it, at
// its alignment, is above a case's limit, the case has no plan. Nor has it one if the holes below the limit have fewer
// bytes than are live at one time.
//
// Complexity: O(p log p) for p pieces, and O(ranges) for each alignment.
func hopeless(st *lower.Strip, cases int, capacity int64) (first int, possible bool) {
	if cases == 0 {
		return 0, true // the planner sees this itself
	}
	largest := map[int64]int64{} // of each alignment, the largest size of a buffer that is all in use
	for i := range st.Problem.Buffers {
		if b := &st.Problem.Buffers[i]; !b.HasWindow() && live(b) {
			largest[b.Align()] = max(largest[b.Align()], b.Size)
		}
	}
	least := int64(0) // no plan ends below
	for align, size := range largest {
		at := int64(0)
		for _, r := range st.Reserved[:cases] {
			if at = bound.Up(at, align); at+size <= r.Lower {
				break
			}
			at = max(at, r.Upper)
		}
		least = max(least, bound.Up(at, align)+size)
	}
	load := profile.New(st.Problem).Peak
	free, from := int64(0), int64(0)
	for k, r := range st.Reserved[:cases] {
		if free += r.Lower - from; r.Lower >= least && free >= load && r.Lower > 0 {
			return k, true
		}
		from = r.Upper
	}
	free += max(0, capacity-from)
	return cases, capacity == 0 || capacity >= least && free >= load
}

// live reports whether a buffer is ever live.
func live(b *model.Buffer) bool {
	for range b.Pieces {
		return true
	}
	return false
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
func (s *Search) ask(ctx context.Context, tl *timeline.Timeline, n int, capacity int64, minimize bool,
	start []int64,
) (answer, error) {
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
	if r.Status.HasPlan() {
		a.offsets = r.Offsets[:n]
		for i, at := range a.offsets {
			a.height = max(a.height, at+p.Buffers[i].Size)
		}
		a.bound = min(a.bound, a.height)
	}
	return a, nil
}
