// Package eviction plans problems in which buffers may be absent for stretches of their lives.
//
//	few.go     few evictions: every set, in ascending order of price
//	many.go    many evictions: cheap sets, which internal/ruled/evictbound finds
package eviction

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/ruled/evictbound"
	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the search chooses a set of evictions. The parts that it leaves (internal/ruled/parts) are a problem without
// evictions, which is planned as such. One more eviction keeps every plan valid: the parts stay where the buffer was.
// So
//
//	no plan with all evictions taken     no plan at all
//	no plan with a set                   no plan with any subset
//	a height with all evictions taken    no set allows a lower one
//
// The loads say which bytes must leave (internal/ruled/evictbound). If there are few evictions, the planner is asked
// about sets in ascending order of price (few.go). Otherwise the loads alone choose cheap sets and bound the price, and
// few plans are made (many.go).
//
// A set counts only if its plan is no worse in the measures that come before eviction in the objective. If the
// objective does not name eviction, the price is minimised last, so that no eviction is taken for nothing, and no bound
// of it is claimed. If any plan that fits will do, the price is the only measure.
//
// Invariant: a claimed bound holds for every set of evictions. If the planner was not asked about a set, a bound that
// needs no planner covers it: the price, the least cost of each part, the height with all evictions taken, or the
// loads.
//
// Complexity: see the files.

// A Planner plans a problem without evictions. spent is the effort of earlier runs. It counts towards the limits of o.
// The result has the sum.
type Planner func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error)

// Options say how evictions are planned.
type Options struct {
	plan.Options
	Name  string // of the planner
	Least bool   // minimise the measures; false: any plan that fits will do
	Few   int    // up to this many evictions all sets are asked about, if there are few buffers; see Few
}

// search is the state of a search for evictions.
type search struct {
	plan     Planner
	o        Options
	stats    plan.Stats
	p        *model.Problem
	ground   *model.Problem        // p, whose capacities are the heights that the measures before eviction have reached
	all      []evictbound.Eviction // every eviction, in the order of the buffers
	measures []model.Measure       // by which plans are compared
	own      int                   // how many of measures the problem asks for; bounds are claimed only for these
	room     plan.Result           // of the run with all evictions taken
	best     *plan.Result
	values   []int64   // of the best plan, by measures
	taken    []bool    // by the best plan
	answers  [][]int64 // lower bounds of the plans of some sets, by measures
	by       string    // who proved that a set has no plan
}

// wholeNodes is the most nodes of a plan that later plans depend on: with every eviction taken, and for the measures
// before eviction. setNodes is the most nodes of the plan of one set of many.
const wholeNodes, setNodes = 2_000_000, 20_000

// Plan plans a problem with evictions.
func Plan(ctx context.Context, p *model.Problem, o Options, planner Planner) (plan.Result, error) {
	e := &search{plan: planner, o: o, p: p, ground: p, all: evictbound.All(p)}
	r, err := e.run(ctx)
	r.Stats = e.stats
	return r, err
}

func (e *search) run(ctx context.Context) (plan.Result, error) {
	p := e.p
	e.measures = []model.Measure{model.MeasureEviction}
	if e.o.Least {
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
	all := parts.All(p).Problem
	for k := range all.Buffers {
		all.Buffers[k].ID = strconv.Itoa(k) // parts of one buffer have its ID
	}
	if model.Validate(all) != nil {
		return plan.Result{}, plan.Unsupported(e.o.Name, "cannot plan parts whose sizes add up to so much")
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
	if len(e.all) <= e.o.Few && len(p.Buffers) <= mostAsking {
		err = e.few(ctx)
	} else {
		err = e.many(ctx, every)
	}
	if err != nil {
		return plan.Result{}, err
	}
	if e.best == nil {
		if len(e.answers) == 0 {
			return plan.Result{Status: model.Infeasible, Planner: e.o.Name, ProvedBy: cmp.Or(e.by, e.o.Name)}, nil
		}
		return plan.Result{Status: model.Unknown, Planner: e.o.Name}, nil
	}
	return e.result(), nil
}

// ofHeight reports whether a measure is about the heights of pools.
func ofHeight(m model.Measure) bool {
	return strings.HasPrefix(string(m), "height") || strings.HasPrefix(string(m), "peak") ||
		strings.HasPrefix(string(m), "max_")
}

// ask plans the problem with these evictions taken, within so many nodes.
func (e *search) ask(ctx context.Context, taken []bool, o []model.Measure, nodes int64) (plan.Result, error) {
	q, limited := parts.Take(e.ground, taken, o), e.o.Options
	if limit := e.stats.Nodes + nodes; limited.NodeLimit == 0 || limit < limited.NodeLimit {
		limited.NodeLimit = limit
	}
	r, err := e.plan(ctx, q.Problem, limited, e.stats)
	if err != nil {
		return plan.Result{}, err
	}
	e.stats = r.Stats
	if r.Status == model.Infeasible {
		e.by = r.ProvedBy
	}
	return q.Lift(e.p, r), nil
}

// over reports whether a limit of the run has come.
func (e *search) over(ctx context.Context) bool {
	return ctx.Err() != nil || e.o.NodeLimit > 0 && e.stats.Nodes >= e.o.NodeLimit
}

// keep makes the plan of a set the best plan if it is better.
func (e *search) keep(r *plan.Result, taken []bool) {
	values := make([]int64, len(e.measures))
	for k, m := range e.measures {
		values[k] = model.ValueOf(r.Measures, m)
	}
	if e.best == nil || slices.Compare(values, e.values) < 0 {
		e.best, e.values, e.taken = r, values, slices.Clone(taken)
	}
}

// least returns lower bounds of the measures for the plans of a set whose price is at least price. If taken is nil,
// they hold for any such set.
func (e *search) least(taken []bool, price int64) []int64 {
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
func (e *search) leastCost(taken []bool) (sum int64) {
	pools := e.p.AllPools()
	parts := make([]int64, len(e.p.Buffers))
	for n, x := range e.all {
		if taken != nil && taken[n] {
			parts[x.Buffer]++
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

// result returns the best plan, with bounds that hold for all sets.
func (e *search) result() plan.Result {
	r := *e.best
	r.Bounds, r.Status, r.ProvedBy = nil, model.Feasible, ""
	r.LowerBound = min(e.room.LowerBound, r.Height)
	if e.own == 0 {
		// Any plan that fits will do.
		r.Bounds = []model.Value{{Measure: model.MeasureHeight, Value: r.LowerBound}}
		if r.LowerBound == r.Height {
			r.Status, r.ProvedBy = model.Optimal, e.o.Name
		}
		return r
	}
	proven := true
	for k, m := range e.measures[:e.own] {
		bound := e.values[k]
		for _, a := range e.answers {
			// A set that cannot reach the best values of the measures before does not count for this one.
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
		r.Status, r.ProvedBy = model.Optimal, e.o.Name
	}
	return r
}
