// Package minimalloc is the planner minimalloc: the search of google/minimalloc's
// program, with its nine switches, its orders and its count of backtracks. The planner
// `exact` began from the same paper and has gone far from it; this one stays.
//
//	minimalloc.go  the planner: capacities, orders round robin
//	sweep.go       sections, partitions and cuts, as that program has them
//	search.go      depth first, a buffer at its least offset at each node
package minimalloc

import (
	"context"
	"math"
	"strings"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: one question, "does it fit this capacity?", is searched partition by partition. A single order takes as many
// nodes as it needs. Several orders take turns. A turn has a node limit, which begins at twice the buffers and
// doubles from round to round, and each turn starts anew. The lowest plan is found by halving: first between 0 and
// the capacity, then below each plan.
//
// Invariant: if no limit has come, a refutation is a proof, with two exceptions, in which the answer is Unknown:
//
//   - Windows. Perhaps all plans are not canonical.
//   - An order that does not try candidates by their offsets. The search then tries nothing beside a candidate on which
//     nothing can be placed. That leaves out plans, since the candidate may lie high.
//
// Complexity: exponential; a node costs the unplaced buffers, each candidate of it the
// sections of the partition and the neighbours of the candidate.
//
// Source: Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning", ASPLOS
// 2023. Points that the paper leaves open are as in google/minimalloc 9f5cf81, src/solver.cc: a part that is planned
// apart begins at offset 0, the floor of a section is that of the last placement in it, and a node whose candidates
// have all failed is one backtrack. Two things differ. The technique `bound` compares the load with the capacity
// before the search. Without a capacity, the plan of the heuristics is the one to improve.

func init() { run.Register(planner{}) }

type planner struct{}

const name = "minimalloc"

// Name returns the planner's name.
func (planner) Name() string { return name }

// Info describes the planner.
func (planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    name,
		Summary: "the search of google/minimalloc, with its switches and its count of backtracks",
		Source:  "Moffitt, MiniMalloc, ASPLOS 2023; google/minimalloc 9f5cf81",
	}, func() run.Settings { return new(settings) })
}

// settings are what can be set.
type settings struct {
	canonical, sectionInference, monotonicFloor, unallocatedFloor, dominance bool
	hatless, preordering, dynamicOrdering, decomposition, bound              bool
	orders                                                                   string
}

// Declare lists the techniques and the parameter.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.canonical, "canonical", "place buffers in ascending order of offset, then of rank")
	d.Technique(&s.sectionInference, "section-inference",
		"bound each section by its floor plus the sizes of its unplaced buffers")
	d.Technique(&s.monotonicFloor, "monotonic-floor",
		"raise every section's floor to the offset of the buffer just placed")
	d.Technique(&s.unallocatedFloor, "unallocated-floor",
		"raise a section's floor to the lowest possible offset of its unplaced buffers")
	d.Technique(&s.dominance, "dominance", "never leave a space below a buffer that an unplaced buffer could fill")
	d.Technique(&s.hatless, "hatless", "try no alternative to a buffer if nothing can lie above it")
	d.Technique(&s.preordering, "preordering", "rank buffers by static keys; without it, by their start")
	d.Technique(&s.dynamicOrdering, "dynamic-ordering", "try the lowest offset first; without it, the first rank")
	d.Technique(&s.decomposition, "decomposition", "plan parts separately if no unplaced buffer connects them")
	d.Technique(&s.bound, run.Bound, "refute a capacity below the lower bound without a search")
	d.Text(&s.orders, "orders", "WAT,TAW,TWA",
		"orders separated by commas, each of the keys "+keys+", or - for the input's", validOrders,
		"static orders, searched round robin; the keys are A area, C sections, L lower, O overlaps, T total, U "+
			"upper, W width, Z size")
}

// validOrders reports whether a text is a list of orders.
func validOrders(text string) bool {
	for order := range strings.SplitSeq(text, ",") {
		if order == "" || order != "-" && strings.Trim(order, keys) != "" {
			return false
		}
	}
	return true
}

// Plan searches until it has an answer or a limit comes. Nodes are those of that program; Seed and Workers are not
// used. The error is for a problem that is too large for its tables.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set settings
	if err := run.Bind(name, &o, &set); err != nil {
		return r, err
	}
	b := descend.NewBudget(ctx, o)
	defer b.Close()
	most := o.Capacity
	if most == 0 {
		offsets, height, _ := greedy.Best(ctx, tl, 0)
		if offsets == nil {
			if place.Collide(b.Watch, tl) == place.Collided {
				r.Status = model.Infeasible
			}
			return r, nil
		}
		r.Status, r.Offsets, most = model.Feasible, offsets, height-1
	}
	if !b.Over() {
		s := search{settings: set, tl: tl, budget: b, proves: !windowed(tl) && (!set.hatless || set.dynamicOrdering)}
		if err := s.prepare(); err != nil {
			return plan.Result{}, err
		}
		switch {
		case b.Over(): // what was prepared may be half of it
		case o.Minimizing():
			s.lowest(most, &r)
		default:
			s.any(most, &r)
		}
	}
	r.Stats.Nodes, r.Stats.Backtracks = b.Nodes, b.Backtracks
	return r, nil
}

// windowed reports whether any buffer uses a part of itself at any time.
func windowed(tl *timeline.Timeline) bool {
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].HasWindow() {
			return true
		}
	}
	return false
}

// any looks for a plan of at most that height.
func (s *search) any(capacity int64, r *plan.Result) {
	switch s.fit(capacity) {
	case found:
		r.Status, r.Offsets = model.Feasible, s.best
	case exhausted:
		if s.proves {
			r.Status, r.LowerBound = model.Infeasible, capacity+1
		}
	}
}

// lowest looks for the lowest plan of at most that height.
func (s *search) lowest(most int64, r *plan.Result) {
	low := int64(0)
	if s.bound {
		low = s.tl.LowerBound
	}
	high := most
	for low <= high {
		middle := low + (high-low)/2
		switch s.fit(middle) {
		case found:
			r.Status, r.Offsets = model.Feasible, append([]int64(nil), s.best...)
			high = model.HeightOf(s.tl.Problem, r.Offsets) - 1
			s.budget.Report(high+1, s.tl.LowerBound, r.Offsets)
		case exhausted:
			low = middle + 1
		default:
			return
		}
	}
	switch {
	case !s.proves:
	case r.Status.HasPlan():
		r.Status, r.LowerBound = model.Optimal, high+1
	default:
		r.Status, r.LowerBound = model.Infeasible, most+1
	}
}

// fit searches for a plan of at most that height, which best then holds.
func (s *search) fit(capacity int64) outcome {
	if s.capacity = capacity; s.rest > capacity {
		return exhausted
	}
	orders := strings.Split(s.orders, ",")
	for limit := 2 * int64(len(s.at)); ; limit = min(2*limit, math.MaxInt64/2) {
		if len(orders) == 1 {
			limit = math.MaxInt64 / 2
		}
		for _, order := range orders {
			s.left = limit
			if out := s.all(order); out != cut {
				return out
			}
		}
	}
}

// all searches all partitions in one order.
func (s *search) all(order string) outcome {
	for k := range s.partitions {
		if out := s.apart(s.partitions[k], order); out != found {
			return out
		}
	}
	return found
}
