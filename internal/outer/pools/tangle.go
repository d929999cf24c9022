package pools

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/knots"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: if clocks are no interval order, the strip has far more slots than buffers, and planners are slow on it. So
// internal/knots first plans on the graph of conflicts, and `auto` goes on from that plan. These steps are taken in turn:
//
//	orders on the graph, groups that conflict with one another, threads (if their loads add up to the bound), a short ejection,
//	auto for a quarter of the limit, ejection for half of it, auto
//
// Above slowAbove buffers, auto has an eighth of the limit at first, and a tenth at the end.
// Without a limit, auto ends by itself if the lowest plan is wanted, and a long ejection comes after it. If any plan that fits will do, auto
// goes on until there is an answer, so it comes last.
//
// Invariant: a plan as low as the bound ends the run. The bound is the load of the strip's timeline, and a slot of it has
// the heaviest antichain.
//
// Complexity: that of the parts.
//
// Measured on OmniMalloc's patterns of 256 buffers and 4 or 8 clocks: lab/bench/clocks has the table. After a second, auto
// alone was 1% to 5% above the antichain on most of them.

// Steps of ejection for each buffer: in the short one, and in the long one if there is no limit.
const firstSteps, laterSteps = 50, 1000

// Above slowAbove buffers, auto is slow on a graph. Of four patterns of 256 buffers, with 3 s, it lowered one plan of the short ejection, by 0.3%, and none of the
// long one. Small problems it often proves.
const slowAbove = 100

// tangled reports whether the graph of conflicts is worth a look: auto is asked, and may search locally.
func (s *Search) tangled(st *lower.Strip) bool {
	return st.Edges != nil && len(st.Reserved) == 0 && s.planner.Name() == "auto" && !slices.Contains(s.options.Without, "climb")
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
	k        *knots.Search
	a        answer
}

// untangle looks for a plan of a strip within a capacity, or for the lowest. 0 is no capacity.
func (s *Search) untangle(ctx context.Context, st *lower.Strip, capacity int64, minimize bool) (answer, error) {
	u := &untangling{s: s, st: st, tl: timeline.New(st.Problem), n: int64(len(st.Members)), capacity: capacity, minimize: minimize}
	if u.goal = u.tl.LowerBound; capacity > 0 && u.goal > capacity {
		return s.ask(ctx, u.tl, int(u.n), capacity, minimize, nil)
	}
	if u.a.bound = u.goal; !minimize {
		u.goal = max(u.goal, capacity)
	}
	g := &knots.Graph{Buffers: st.Problem.Buffers, Edges: st.Edges, Words: int(u.n+63) / 64}
	u.k = knots.New(g, u.goal, s.options.Seed)
	defer func() { s.stats.Nodes += u.nodes() }()
	turns := []func(context.Context) error{u.orders, u.joins, u.threads, u.short}
	if _, limited := ctx.Deadline(); limited || s.options.NodeLimit > 0 {
		turns = append(turns, u.first, u.long, u.auto)
	} else if minimize {
		turns = append(turns, u.auto, u.long)
	} else {
		turns = append(turns, u.long, u.auto)
	}
	for _, turn := range turns {
		if err := turn(ctx); err != nil {
			return answer{}, err
		}
		if u.a.status == model.Infeasible {
			return u.a, nil
		}
		if fits := capacity == 0 || u.k.Height <= capacity; u.k.Offsets != nil && fits && (u.a.offsets == nil || u.k.Height < u.a.height) {
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

// nodes returns what the steps on the graph count as: n of them are one.
func (u *untangling) nodes() int64 { return (u.k.Steps + u.n - 1) / u.n }

// left returns the nodes that are left; ok is false if there is no limit.
func (u *untangling) left() (nodes int64, ok bool) {
	return max(0, u.s.options.NodeLimit-u.s.stats.Nodes-u.nodes()), u.s.options.NodeLimit > 0
}

// orders are the first fits.
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

// short is the short ejection: an eighth of a limit at most.
func (u *untangling) short(ctx context.Context) error {
	ctx, cancel := part(ctx, 1, 8)
	defer cancel()
	steps := firstSteps * u.n
	if nodes, limited := u.left(); limited {
		steps = min(steps, nodes*u.n/8)
	}
	return u.watched(ctx, func(w *run.Watch) { u.k.Eject(w, steps) })
}

// long is the long ejection.
func (u *untangling) long(ctx context.Context) error {
	some, of := int64(2), int64(3)
	if u.n > slowAbove {
		some, of = 7, 8
	}
	steps := laterSteps * u.n
	if nodes, limited := u.left(); limited {
		steps = nodes * u.n / of * some
	}
	if _, limited := ctx.Deadline(); limited && u.s.options.NodeLimit == 0 {
		steps = 1 << 60
	}
	ctx, cancel := part(ctx, time.Duration(some), time.Duration(of))
	defer cancel()
	return u.watched(ctx, func(w *run.Watch) { u.k.Eject(w, steps) })
}

// first is the first turn of auto.
func (u *untangling) first(ctx context.Context) error {
	of := int64(4)
	if u.n > slowAbove {
		of = 8
	}
	before := u.s.stopped
	ctx, cancel := part(ctx, 1, time.Duration(of))
	defer cancel()
	old := u.s.options.NodeLimit
	if nodes, limited := u.left(); limited {
		u.s.options.NodeLimit -= nodes - nodes/of
	}
	err := u.auto(ctx)
	u.s.options.NodeLimit, u.s.stopped = old, before
	return err
}

// auto has auto go on from the plan.
func (u *untangling) auto(ctx context.Context) error {
	old := u.s.options.NodeLimit
	if old > 0 {
		u.s.options.NodeLimit = max(1, old-u.nodes())
	}
	a, err := u.s.ask(ctx, u.tl, int(u.n), u.capacity, u.minimize, u.k.Offsets)
	u.s.options.NodeLimit = old
	if err != nil {
		return err
	}
	a.bound = max(a.bound, u.a.bound)
	if u.a = a; a.status.HasPlan() {
		u.k.Take(a.offsets)
	}
	return nil
}

// part returns a context that ends after so many of so many parts of the time that is left.
func part(ctx context.Context, some, of time.Duration) (context.Context, context.CancelFunc) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithTimeout(ctx, time.Until(end)*some/of)
	}
	return ctx, func() {}
}
