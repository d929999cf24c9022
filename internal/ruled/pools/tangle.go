package pools

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/conflictgraph"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: if clocks are no interval order, the strip has far more slots than buffers, and planners are slow on it. So
// internal/ruled/conflictgraph first plans on the graph of conflicts, and `auto` goes on from that plan. These steps
// are taken in turn:
//
//	orders on the graph, groups that conflict with one another, threads (if their loads add up to the bound),
//	a short ejection, auto, then in turn ejection until it misses a few targets, and auto
//
// Each turn has a part of the limit that is left. Without a limit, one long ejection comes before auto, because one
// round of auto may take minutes.
//
// Invariant: a plan as low as the bound ends the run. The bound is the load of the strip's timeline, and a slot of it
// has the heaviest antichain.
//
// Complexity: that of the parts.
//
// Trials: docs/lab/ruled.md (after a second, auto alone was 1% to 5% above the bound on most patterns).

// firstSteps and laterSteps are steps of ejection for each buffer: in the short ejection, and in the long one if there
// is no limit.
const firstSteps, laterSteps = 50, 1000

// misses is how many targets in a row an ejection may miss before auto has a turn. On a pattern of 256 buffers,
// ejection was stuck 0.24% above the bound, and the next turn of auto reached the bound. A turn of auto five times as
// long before the ejection had not.
const misses = 5

// slowAbove: above so many buffers auto is slow on a graph, and its first turn has an eighth of the limit. Otherwise
// the turn has a quarter, because auto proves many small problems. Later turns come if ejection is stuck, and have half
// of the rest.
const slowAbove = 100

// tangled reports whether to plan on the graph of conflicts first: the planner accepts that help, and may search
// locally.
func (s *Search) tangled(st *lower.Strip) bool {
	return st.Edges != nil && len(st.Reserved) == 0 && run.HelpOf(s.planner)&run.HelpGraph != 0 &&
		!slices.Contains(s.options.Without, "climb")
}

// An untangling is the state of one strip whose time is no line.
type untangling struct {
	s        *Search
	st       *lower.Strip
	tl       *timeline.Timeline
	n        int64
	capacity int64
	minimize bool
	goal     int64 // a plan as low as this is enough
	k        *conflictgraph.Search
	asked    uint64 // turns of auto so far
	a        answer
}

// untangle looks for a plan of a strip within a capacity, or for the lowest. 0 is no capacity.
func (s *Search) untangle(ctx context.Context, st *lower.Strip, capacity int64, minimize bool) (answer, error) {
	u := &untangling{
		s: s, st: st, tl: timeline.New(st.Problem), n: int64(len(st.Members)), capacity: capacity, minimize: minimize,
	}
	if u.goal = u.tl.LowerBound; capacity > 0 && u.goal > capacity {
		return s.ask(ctx, u.tl, int(u.n), capacity, minimize, nil)
	}
	if u.a.bound = u.goal; !minimize {
		u.goal = max(u.goal, capacity)
	}
	g := &conflictgraph.Graph{Buffers: st.Problem.Buffers, Edges: st.Edges, Words: int(u.n+63) / 64}
	u.k = conflictgraph.New(g, u.goal, s.options.Seed)
	defer func() { s.stats.Nodes += u.nodes() }()
	turns := []func(context.Context) error{u.orders, u.joins, u.threads, u.short}
	_, timed := ctx.Deadline()
	limited := timed || s.options.NodeLimit > 0
	if limited {
		turns = append(turns, u.auto, u.long)
	} else {
		turns = append(turns, u.long, u.auto)
	}
	for k := 0; ; k++ {
		if k == len(turns) {
			if nodes, few := u.left(); !limited || ctx.Err() != nil || few && nodes == 0 {
				break
			}
			k -= 2 // auto and ejection again
		}
		if err := turns[k](ctx); err != nil {
			return answer{}, err
		}
		if u.a.status == model.Infeasible {
			return u.a, nil
		}
		if fits := capacity == 0 || u.k.Height <= capacity; u.k.Offsets != nil && fits &&
			(u.a.offsets == nil || u.k.Height < u.a.height) {
			u.a.offsets, u.a.height, u.a.status = u.k.Offsets, u.k.Height, model.Feasible
		}
		if u.a.status.HasPlan() && u.a.height <= u.a.bound {
			u.a.status, u.a.bound = model.Optimal, u.a.height
			if u.a.by == "" {
				u.a.by = run.Bound
			}
		}
		if u.a.status == model.Optimal || u.a.status.HasPlan() && u.a.height <= u.goal {
			break
		}
	}
	return u.a, nil
}

// nodes returns the steps on the graph in nodes: n steps count as one node.
func (u *untangling) nodes() int64 { return (u.k.Steps + u.n - 1) / u.n }

// left returns the nodes that are left; ok is false if there is no limit.
func (u *untangling) left() (nodes int64, ok bool) {
	return max(0, u.s.options.NodeLimit-u.s.stats.Nodes-u.nodes()), u.s.options.NodeLimit > 0
}

// orders is the turn of the first fits.
func (u *untangling) orders(ctx context.Context) error {
	return u.watched(ctx, u.k.Orders)
}

// watched runs a search on the graph until the context ends.
func (u *untangling) watched(ctx context.Context, search func(*run.Watch)) error {
	w := run.NewWatch(ctx)
	defer w.Close()
	search(w)
	return nil
}

// short is the turn of the short ejection: at most an eighth of a limit.
func (u *untangling) short(ctx context.Context) error {
	ctx, cancel := run.Share(ctx, 8)
	defer cancel()
	steps := firstSteps * u.n
	if nodes, limited := u.left(); limited {
		steps = min(steps, nodes*u.n/8)
	}
	return u.watched(ctx, func(w *run.Watch) { u.k.Eject(w, steps, 0) })
}

// long is the turn of an ejection after that: at most two thirds of a limit.
func (u *untangling) long(ctx context.Context) error {
	steps := laterSteps * u.n
	if _, limited := ctx.Deadline(); limited {
		steps = math.MaxInt64 / 2
	}
	if nodes, limited := u.left(); limited {
		steps = (nodes*2 + 2) / 3 * u.n
	}
	ctx, cancel := run.Shares(ctx, 2, 3)
	defer cancel()
	return u.watched(ctx, func(w *run.Watch) { u.k.Eject(w, steps, misses) })
}

// auto is the turn in which auto goes on from the plan, for a part of the limit.
func (u *untangling) auto(ctx context.Context) error {
	of := int64(2)
	if u.asked == 0 {
		of = 4
		if u.n > slowAbove {
			of = 8
		}
	}
	ctx, cancel := run.Share(ctx, int(of))
	defer cancel()
	old := u.s.options
	if nodes, limited := u.left(); limited {
		u.s.options.NodeLimit = u.s.stats.Nodes + max(1, (nodes+of-1)/of)
	}
	u.s.options.Seed += u.asked
	u.asked++
	a, err := u.s.ask(ctx, u.tl, int(u.n), u.capacity, u.minimize, u.k.Offsets)
	u.s.options = old
	if err != nil {
		return err
	}
	a.bound = max(a.bound, u.a.bound)
	if u.a = a; a.status.HasPlan() {
		u.k.Adopt(a.offsets)
	}
	return nil
}
