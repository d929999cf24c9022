package outer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a set of evictions is chosen outside, and the problem of parts that it leaves (evictparts.go) is planned by the rest
// of this package. Taking one more eviction keeps every plan: its parts stay where the buffer was. So
//
//	no plan with all evictions taken     no plan at all
//	no plan with a set                   no plan with any subset
//	a height with all evictions taken    no set allows a lower one
//
// Loads say what must go (evictload.go). If there are few evictions, sets are asked for in ascending price (evictfew.go).
// Otherwise loads alone say what a cheap set is (evictcover.go) and what no set can go below (evictbound.go), and few plans
// are made (evictmany.go).
//
// The measures before eviction in the objective come first: a set counts only if its plan is no worse in these. If the
// objective does not name eviction, the price is minimised last, without a claim: what a plan takes for nothing is of
// no use to anyone. If any plan that fits will do, it is the only measure.
//
// Invariant: what is claimed of a measure holds for every set of evictions. A set that was not asked for is covered by a bound that
// needs no plan: the price, the least cost of each part, the height with all taken, the loads.
//
// Complexity: see the files.

// A stretch is an eviction.
type stretch struct {
	model.Eviction
	buffer int32
}

// evicting is the state of a search for evictions.
type evicting struct {
	*search
	p        *model.Problem
	ground   *model.Problem  // p, with capacities that the measures before eviction have reached
	all      []stretch       // every eviction, in the order of the buffers
	measures []model.Measure // that plans are compared by
	own      int             // so many of them are claimed: those that the problem asks for
	room     plan.Result     // of the run with all evictions taken
	best     *plan.Result
	values   []int64   // of the best plan, by measures
	taken    []bool    // by the best plan
	answers  [][]int64 // lower bounds of the plans of some sets, by measures
	by       string    // who proved that a set has no plan
}

// wholeNodes is the most nodes of a plan that all later ones rest on: with every eviction taken, and with the measures
// before eviction.
const wholeNodes = 2_000_000

// evict plans a problem with evictions. All sets are asked for if there are at most few
// evictions and fewBuffers buffers.
func (s *search) evict(ctx context.Context, p *model.Problem, began time.Time, few int) (plan.Result, error) {
	e := &evicting{search: s, p: p, ground: p}
	for i := range p.Buffers {
		for _, x := range evictionsOf(&p.Buffers[i]) {
			e.all = append(e.all, stretch{x, int32(i)})
		}
	}
	e.measures = []model.Measure{model.MeasureEviction}
	if s.minimizing(p) {
		e.measures = slices.Clone(p.Objective())
		e.own = len(e.measures)
		if !slices.Contains(e.measures, model.MeasureEviction) {
			e.measures = append(e.measures, model.MeasureEviction)
		}
	}
	every := make([]bool, len(e.all))
	for n := range every {
		every[n] = true
	}
	all := part(p, every, nil).Problem
	for k := range all.Buffers {
		all.Buffers[k].ID = strconv.Itoa(k) // parts of one buffer have its ID
	}
	if model.Validate(all) != nil {
		return plan.Result{}, plan.Unsupported(s.planner.Name(), "cannot plan parts whose sizes add up to so much")
	}
	first := []model.Measure{model.MeasureEviction}
	if ofHeight(e.measures[0]) {
		first = e.measures[:1]
	}
	r, err := e.ask(ctx, every, first, wholeNodes)
	if err != nil || r.Status == model.Infeasible {
		return r, err
	}
	e.room = r
	if len(e.all) <= few && len(p.Buffers) <= fewBuffers {
		err = e.few(ctx)
	} else {
		err = e.many(ctx, every)
	}
	if err != nil {
		return plan.Result{}, err
	}
	if e.best == nil {
		if len(e.answers) == 0 {
			r := plan.Result{Status: model.Infeasible, Planner: s.planner.Name(), ProvedBy: cmp.Or(e.by, s.planner.Name()), Stats: s.stats}
			r.Stats.Elapsed = time.Since(began)
			return r, nil
		}
		return plan.Result{Status: model.Unknown, Planner: s.planner.Name(), Stopped: e.ended(ctx)}, nil
	}
	return e.result(ctx), nil
}

// ofHeight reports whether a measure falls with the heights of pools.
func ofHeight(m model.Measure) bool {
	return strings.HasPrefix(string(m), "height") || strings.HasPrefix(string(m), "peak") || strings.HasPrefix(string(m), "max_")
}

// ask plans the problem with these evictions taken, within so many nodes.
func (e *evicting) ask(ctx context.Context, taken []bool, o []model.Measure, nodes int64) (plan.Result, error) {
	q := part(e.ground, taken, o)
	s := &search{planner: e.planner, options: e.options, stats: e.stats}
	if limit := s.stats.Nodes + nodes; s.options.NodeLimit == 0 || limit < s.options.NodeLimit {
		s.options.NodeLimit = limit
	}
	r, err := s.whole(ctx, q.Problem, time.Now())
	e.stats = s.stats
	if err != nil {
		return plan.Result{}, err
	}
	if r.Status == model.Infeasible {
		e.by = r.ProvedBy
	}
	r = q.lift(e.p, r)
	r.Stats, r.Objective = e.stats, e.p.Objective()
	return r, nil
}

// over reports whether a limit of the run has come.
func (e *evicting) over(ctx context.Context) bool {
	return ctx.Err() != nil || e.options.NodeLimit > 0 && e.stats.Nodes >= e.options.NodeLimit
}

// ended says why the search ended without a proof.
func (e *evicting) ended(ctx context.Context) plan.Stop {
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return plan.StopTimeout
	case ctx.Err() != nil:
		return plan.StopInterrupt
	case e.over(ctx):
		return plan.StopNodes
	}
	return plan.StopEffort
}

// price returns what a set costs.
func (e *evicting) price(taken []bool) (sum int64) {
	for n, x := range e.all {
		if taken[n] {
			sum += x.Cost
		}
	}
	return sum
}

// keep makes the plan of a set the best if it is, and notes what its bounds say.
func (e *evicting) keep(r *plan.Result, taken []bool) bool {
	values := make([]int64, len(e.measures))
	for k, m := range e.measures {
		values[k] = model.ValueOf(r.Measures, m)
	}
	if e.best != nil && slices.Compare(values, e.values) >= 0 {
		return false
	}
	e.best, e.values, e.taken = r, values, slices.Clone(taken)
	return true
}

// least returns a lower bound of each measure for the plans of a set whose price is at least price. nil stands for any set.
func (e *evicting) least(taken []bool, price int64) []int64 {
	bounds := make([]int64, len(e.measures))
	for k, m := range e.measures {
		switch {
		case m == model.MeasureEviction:
			bounds[k] = price
		case m == model.MeasureCost:
			bounds[k] = e.leastCost(taken)
		case k == 0 && ofHeight(m) && len(e.room.Bounds) > 0:
			bounds[k] = e.room.Bounds[0].Value
		case m == model.MeasureHeight:
			bounds[k] = e.room.LowerBound
		}
	}
	return bounds
}

// leastCost adds up the least costs of all parts: more parts cost no less.
func (e *evicting) leastCost(taken []bool) (sum int64) {
	pools := e.p.AllPools()
	parts := make([]int64, len(e.p.Buffers))
	for n, x := range e.all {
		if taken != nil && taken[n] {
			parts[x.buffer]++
		}
	}
	for i := range e.p.Buffers {
		b, least := &e.p.Buffers[i], int64(math.MaxInt64)
		for q := range pools {
			if b.MayUse(int32(q)) {
				least = min(least, b.CostIn(pools, int32(q)))
			}
		}
		sum += least * (parts[i] + 1)
	}
	return sum
}

// result gives the best plan the bounds that hold for all sets.
func (e *evicting) result(ctx context.Context) plan.Result {
	r := *e.best
	r.Bounds, r.Status, r.ProvedBy, r.Stopped = nil, model.Feasible, "", plan.Finished
	r.LowerBound = min(e.room.LowerBound, r.Height)
	if e.own == 0 {
		// Any plan that fits will do.
		r.Bounds = []model.Value{{Measure: model.MeasureHeight, Value: r.LowerBound}}
		if r.LowerBound == r.Height {
			r.Status, r.ProvedBy = model.Optimal, e.planner.Name()
		}
		return r
	}
	proven := true
	for k, m := range e.measures[:e.own] {
		bound := e.values[k]
		for _, a := range e.answers {
			// A set that cannot reach the best values before says nothing of this measure.
			if slices.Compare(a[:k], e.values[:k]) <= 0 {
				bound = min(bound, a[k])
			}
		}
		if !proven {
			bound = 0
		}
		proven = proven && bound == e.values[k]
		r.Bounds = append(r.Bounds, model.Value{Measure: m, Value: bound})
	}
	if proven {
		r.Status, r.ProvedBy = model.Optimal, e.planner.Name()
	} else {
		r.Stopped = e.ended(ctx)
	}
	return r
}
