// Package pools plans problems in which each buffer has its pool: pool by pool, measure by measure. internal/lower
// turns each pool into a plain problem, its strip. A planner plans the strips, and this package puts the plans
// together.
//
//	pools.go      the measures of the objective in turn
//	reserved.go   a planner asked about one strip, beside reserved ranges
//	tangle.go     a strip whose time is no line
//	joins.go      parts of such a strip that conflict with one another, each by itself
//	threads.go    parts of one thread each
//	penalty.go    the least penalty of a pool
//	height.go     the least height of a pool that must pay
//	objects.go    a pool that is divided into objects
//	refusal.go    what a planner does not take, in the words of the problem
//	windows.go    a pool asked about between two sections, and a plan from window to window
//	answers.go    what is known of a pool with a set of buffers, for whoever tries several choices of pools
//
// Idea: only sums and maxima tie the pools to each other, so each pool is planned by itself. The measures of the
// objective are taken in turn. A measure of height is minimised pool by pool. The heights that it reaches are the
// capacities of the pools for the measures after it. The penalty is minimised pool by pool within these capacities, and
// later measures must keep it.
//
//	height, max_height, peak, max_peak, height:POOL, peak:POOL   all fall with the height of each pool
//	cost                                                         is the same in every plan
//	penalty                                                      is a sum over pools (penalty.go)
//	objects                                                      is a sum over pools (objects.go)
//
// Invariant: the bound of a measure holds for all plans that are best in the measures before it. It is claimed only if
// those measures are all proven.
//
// Complexity: a run for each pool and measure, more for reserved ranges (reserved.go) and penalties.
package pools

import (
	"context"
	"strings"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Search plans one problem, for one choice of pools or for several.
type Search struct {
	Lowering *lower.Lowering
	planner  run.Planner
	options  plan.Options
	limit    int64 // of nodes in all; options.NodeLimit is that of a question while one is asked
	stats    plan.Stats
	pools    []pool
	kept     *answers // of pools with sets of buffers; nil if there is only one choice of pools
}

// New prepares a search. The planner gets the limits of o. spent is the effort of earlier runs, which counts towards
// them.
func New(l *lower.Lowering, planner run.Planner, o plan.Options, spent plan.Stats) *Search {
	return &Search{Lowering: l, planner: planner, options: o, limit: o.NodeLimit, stats: spent}
}

// KeepAnswers makes the search keep the planner's answers for further choices of pools.
func (s *Search) KeepAnswers() { s.kept = &answers{} }

// Stats returns the effort of the search, with that of earlier runs.
func (s *Search) Stats() plan.Stats { return s.stats }

// Spend counts the effort of another search, which began with that of this one.
func (s *Search) Spend(all plan.Stats) { s.stats = all }

// Count counts nodes of a search that asks no planner.
func (s *Search) Count(nodes int64) { s.stats.Nodes += nodes }

// Over reports whether the limits of the search are over.
func (s *Search) Over(ctx context.Context) bool {
	return ctx.Err() != nil || s.options.NodeLimit > 0 && s.stats.Nodes >= s.options.NodeLimit
}

// A pool is the state of one pool: the conditions that its plans must keep, and the plan so far.
type pool struct {
	index     int32
	members   []int32
	capacity  int64 // that its plans must fit into; 0 for none
	highest   int64 // the end of its highest reserved range
	penalties []model.Penalty
	strip     *lower.Strip // with the pairs apart that the plan keeps apart
	offsets   []int64      // of the strip's bodies; nil as long as there is no plan
	height    int64
	bound     int64 // no plan that keeps the conditions is lower
	asked     bool  // the planner was asked for the lowest plan under these conditions
	paid      int64 // the penalty of the plan
	least     int64 // no plan that keeps the conditions pays less
	minimised bool  // the penalty has been minimised: the plan may pay no more

	mostObjects  int64 // the number of objects has been minimised: the plan may have no more; 0 for no limit
	leastObjects int64 // no plan that keeps the conditions has fewer
}

// Plan plans the problem with each buffer in the pool that it is given.
func (s *Search) Plan(ctx context.Context, of []int32) (plan.Result, error) {
	s.assign(of)
	// First ask for any plan: that says whether there is one.
	known := true
	for k := range s.pools {
		q := &s.pools[k]
		a, err := s.start(ctx, q)
		if err != nil {
			return plan.Result{}, err
		}
		if a.status == model.Infeasible {
			return s.Infeasible(a.by), nil
		}
		known = known && a.status.HasPlan()
	}
	if !known {
		return plan.Result{Status: model.Unknown, Planner: s.planner.Name()}, nil
	}
	return s.minimise(ctx)
}

// Minimizing reports whether the lowest plan is wanted: always, unless the problem is one pool with a capacity and
// names no objective; then any plan that fits will do.
func Minimizing(p *model.Problem, o *plan.Options) bool {
	return o.Minimize || len(p.Rules.Objective) > 0 || len(p.Rules.Pools) > 1 || p.AllPools()[0].Capacity == 0
}

// heightFirst reports whether the first measure in which plans can differ is a height.
func (s *Search) heightFirst() bool {
	if !Minimizing(s.Lowering.Problem, &s.options) {
		return false
	}
	for _, m := range s.Lowering.Problem.Objective() {
		if m != model.MeasureCost && m != model.MeasureEviction {
			return m != model.MeasurePenalty && m != model.MeasureObjects
		}
	}
	return false
}

// assign starts the state of the pools, with each buffer in the pool that it is given.
func (s *Search) assign(of []int32) {
	p := s.Lowering.Problem
	in := make([][]int32, len(s.Lowering.Pools))
	for i := range p.Buffers {
		in[of[i]] = append(in[of[i]], int32(i))
	}
	s.pools = nil
	penalties := s.Lowering.Conflicts.PenaltiesOf()
	for k := range s.Lowering.Pools {
		q := pool{index: int32(k), members: in[k], capacity: s.Lowering.Pools[k].Capacity}
		for _, x := range s.Lowering.Pools[k].Reserved {
			q.highest = max(q.highest, x.Upper)
		}
		for _, x := range penalties {
			if of[x.Buffers[0]] == int32(k) && of[x.Buffers[1]] == int32(k) {
				q.penalties = append(q.penalties, x)
			}
		}
		q.strip = s.Lowering.Strip(int32(k), in[k], nil)
		s.pools = append(s.pools, q)
	}
}

// take makes an answer the pool's plan, if it has one.
func (q *pool) take(a *answer, asked bool) {
	q.bound, q.asked = max(q.bound, a.bound), asked
	if a.status.HasPlan() {
		q.offsets, q.height = a.offsets, a.height
	}
}

// minimise takes the measures of the objective in turn. Each pool has a plan.
func (s *Search) minimise(ctx context.Context) (plan.Result, error) {
	proven := true // of all measures so far
	var bounds []model.Value
	for _, m := range s.Lowering.Problem.Objective() {
		var err error
		switch {
		case !Minimizing(s.Lowering.Problem, &s.options):
		case m == model.MeasurePenalty:
			err = s.leastPenalty(ctx)
		case m == model.MeasureObjects:
			s.fewest(ctx)
		case m != model.MeasureCost && m != model.MeasureEviction:
			err = s.lowest(ctx, m)
		}
		if err != nil {
			return plan.Result{}, err
		}
		value, bound := s.value(m), int64(0)
		if proven {
			bound = s.bound(m)
		}
		if invariants.Enabled {
			s.check(m, value, bound)
		}
		bounds = append(bounds, model.Value{Measure: m, Value: bound})
		proven = proven && value == bound
	}
	r := plan.NewResult(model.Feasible, s.offsets())
	if len(s.Lowering.Problem.Rules.Pools) > 1 {
		r.Pools = make([]int32, len(s.Lowering.Problem.Buffers))
		for k := range s.pools {
			for _, i := range s.pools[k].members {
				r.Pools[i] = s.pools[k].index
			}
		}
	}
	r.Planner, r.Bounds = s.planner.Name(), bounds
	r.Measures = model.MeasuresOf(s.Lowering.Problem, &r.Plan)
	r.Height = model.ValueOf(r.Measures, model.MeasureHeight)
	for k := range s.pools {
		if !s.pools[k].minimised {
			r.LowerBound += s.pools[k].bound
		}
	}
	if proven {
		r.Status, r.ProvedBy = model.Optimal, s.planner.Name()
	}
	return r, nil
}

func (s *Search) offsets() []int64 {
	out := make([]int64, len(s.Lowering.Problem.Buffers))
	for k := range s.pools {
		s.pools[k].strip.Lift(s.pools[k].offsets, out)
	}
	return out
}

// relevant returns the pools that a measure of height is about.
func (s *Search) relevant(m model.Measure) (of []*pool) {
	_, name, one := strings.Cut(string(m), ":")
	for k := range s.pools {
		if !one || s.Lowering.Pools[k].ID == name {
			of = append(of, &s.pools[k])
		}
	}
	return of
}

// lowest minimises the height of the pools that m is about, and makes what it reached their capacity.
func (s *Search) lowest(ctx context.Context, m model.Measure) error {
	for _, q := range s.relevant(m) {
		if q.asked || len(q.members) == 0 {
			continue
		}
		strip := within(s.keeping(q), q.mostObjects)
		a, err := s.plan(ctx, strip, q.height, true)
		if err != nil {
			return err
		}
		if a.status == model.Infeasible {
			return plan.Invalid(s.planner.Name(), "no plan is as low as the one that there is")
		}
		if q.minimised && q.paid > 0 {
			// Another choice of pairs might do better.
			a.bound = min(a.bound, q.bound)
		}
		was, had := q.offsets, q.height
		if a.status.HasPlan() {
			q.strip = strip
		}
		if q.take(&a, true); q.mostObjects > 0 && s.objectsIn(q) > q.mostObjects {
			q.offsets, q.height = was, had
		}
		if q.minimised && q.paid > 0 {
			if err := s.lowerPaying(ctx, q); err != nil {
				return err
			}
		}
	}
	most := s.value(m)
	for _, q := range s.relevant(m) {
		if limit := s.allowed(m, q, most); q.capacity == 0 || limit < q.capacity {
			q.capacity = limit
		}
	}
	return nil
}

// allowed returns how high a pool may be if the measure must stay at its value.
func (s *Search) allowed(m model.Measure, q *pool, value int64) int64 {
	switch {
	case m == model.MeasureMaxHeight || m == model.MeasureMaxPeak:
		return value
	case m == model.MeasurePeak || strings.HasPrefix(string(m), string(model.MeasurePeak)+":"):
		return max(q.height, q.highest)
	}
	return q.height
}

// value returns a measure of the plan so far.
func (s *Search) value(m model.Measure) (sum int64) {
	if m == model.MeasureObjects {
		for k := range s.pools {
			sum += s.objectsIn(&s.pools[k])
		}
		return sum
	}
	return s.total(m, func(q *pool) int64 { return q.height }, func(q *pool) int64 {
		q.paid = s.paidIn(q)
		return q.paid
	})
}

// bound returns a bound of a measure.
func (s *Search) bound(m model.Measure) (sum int64) {
	if m == model.MeasureObjects {
		for k := range s.pools {
			sum += s.pools[k].leastObjects
		}
		return sum
	}
	return s.total(m, func(q *pool) int64 { return q.bound }, func(q *pool) int64 { return q.least })
}

// total makes a measure from the height and the penalty of each pool.
func (s *Search) total(m model.Measure, height, penalty func(*pool) int64) (sum int64) {
	name, _, _ := strings.Cut(string(m), ":")
	switch model.Measure(name) {
	case model.MeasureEviction:
		return 0
	case model.MeasureCost:
		for k := range s.pools {
			for _, i := range s.pools[k].members {
				sum += s.Lowering.Problem.Buffers[i].CostIn(s.Lowering.Pools, s.pools[k].index)
			}
		}
		return sum
	case model.MeasurePenalty:
		for k := range s.pools {
			sum += penalty(&s.pools[k])
		}
		return sum
	}
	for _, q := range s.relevant(m) {
		h := height(q)
		if strings.HasPrefix(name, string(model.MeasurePeak)) || model.Measure(name) == model.MeasureMaxPeak {
			h = max(h, q.highest)
		}
		if strings.HasPrefix(name, "max_") {
			sum = max(sum, h)
		} else {
			sum += h
		}
	}
	return sum
}

// Infeasible returns the result "no plan exists". by names the proof, as in plan.Result.ProvedBy.
func (s *Search) Infeasible(by string) plan.Result {
	r := plan.Result{Status: model.Infeasible, Planner: s.planner.Name(), ProvedBy: by}
	for k := range s.pools {
		r.LowerBound += s.pools[k].bound
	}
	return r
}
