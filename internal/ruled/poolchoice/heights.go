package poolchoice

import (
	"context"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/floor"
	"github.com/stowage-go/stowage/internal/ruled/heights"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: this file is for objectives that begin with a height. Loads and costs then say nothing about a good choice of
// pools.
//
//	objects    if each pool has one body at a time: the least plan of these (internal/ruled/objects)
//	a plan     of an order of the bodies (internal/ruled/heights), and of its pools, each planned by itself
//	bisection  if the height is that of the highest pool, or of one pool: is there a plan within a capacity? That is
//	           a question without a height, which the other stages answer, or refute
//	the rest   the least height as a capacity, and the measures after it as the objective
//	rounds     until the end of the time: other pools whose loads are low, each planned by itself
//
// Invariant: a plan is never higher than that of the greedy (internal/ruled/heights/order.go). A bound follows from
// questions that are proven to have no plan.
//
// Complexity: at most mostHeights questions, each with pools.MoreNodes.

const (
	mostHeights   = 40
	roundsAlike   = 8 // until a pool has twice as many nodes
	mostDoublings = 6
)

// leading returns the measures of height before cost and penalty.
func (c *chooser) leading() []model.Measure { return heights.Leading(c.lowering.Problem.Objective()) }

// leads reports whether the objective begins with a height.
func (c *chooser) leads() bool { return c.loads != nil && len(c.leading()) > 0 }

// heights looks for a low plan, and for proofs that none is lower.
func (c *chooser) heights(ctx context.Context) error {
	err := c.lowHeights(ctx)
	c.settled = c.done()
	return err
}

func (c *chooser) lowHeights(ctx context.Context) error {
	leading := c.leading()
	f := heights.New(c.lowering, c.loads, leading)
	if f == nil {
		return nil
	}
	within, end := run.Share(ctx, 4)
	found, bound, nodes, single := f.Objects(within)
	end()
	c.plans.Count(nodes)
	if single && found != nil {
		c.raise(leading[0], bound)
		if err := c.keep(ctx, &model.Plan{Offsets: found.Offsets, Pools: found.Pools}, false); err != nil || c.done() {
			return err
		}
	}
	bounds, least := floor.New(c.lowering.Problem), make([]int64, len(leading))
	for k, m := range leading {
		c.raise(m, bounds.Least(m))
		least[k] = c.leastOf(m)
	}
	within, end = run.Share(ctx, 4)
	found = f.Descend(within, least)
	end()
	if found == nil {
		return nil
	}
	if err := c.keep(ctx, &model.Plan{Offsets: found.Offsets, Pools: found.Pools}, true); err != nil {
		return err
	}
	c.field = f
	if err := c.byLoad(ctx, 0); err != nil {
		return err
	}
	if err := c.bisect(ctx, leading[0]); err != nil {
		return err
	}
	return c.rest(ctx, leading[0])
}

// byLoad looks for pools whose loads are low, and plans each. Each round ends at others. Later ones have more nodes.
func (c *chooser) byLoad(ctx context.Context, round uint64) error {
	m, nodes := c.leading()[0], int64(pools.PackNodes)<<min(round/roundsAlike, mostDoublings)
	if even(m) && !c.done() {
		within, end := run.Share(ctx, 4)
		bound, of := c.field.Balance(within, c.best.Pools, c.leastOf(m), round)
		end()
		c.raise(m, bound)
		if err := c.eachPool(ctx, of, nodes); err != nil {
			return err
		}
	}
	if (m == model.MeasureHeight || m == model.MeasurePeak) && !c.done() {
		within, end := run.Share(ctx, 4)
		bound, of := c.field.Split(within, c.best.Pools, round)
		end()
		c.raise(m, bound)
		if err := c.eachPool(ctx, of, nodes); err != nil {
			return err
		}
	}
	return nil
}

// someRounds goes on with other pools for half of the time that is left.
func (c *chooser) someRounds(ctx context.Context) error {
	within, end := run.Share(ctx, 2)
	defer end()
	return c.allRounds(within)
}

// allRounds goes on with other pools until the first height is proven, or until the end of the time. Without a deadline
// there are no rounds. Nor are there with a limit of nodes, as questions among several have one.
func (c *chooser) allRounds(ctx context.Context) error {
	m := c.leading()[0]
	_, limited := ctx.Deadline()
	_, _, one := strings.Cut(string(m), ":")
	if one || c.field == nil || c.best == nil || !limited || c.options.NodeLimit > 0 {
		return nil
	}
	value := func() int64 { return model.ValueOf(c.best.Measures, m) }
	for c.leastOf(m) < value() && !c.plans.Over(ctx) {
		before := value()
		c.round++
		if err := c.byLoad(ctx, c.round); err != nil {
			return err
		}
		if value() < before {
			if err := c.rest(ctx, m); err != nil {
				return err
			}
		}
	}
	c.settled = c.done()
	return nil
}

// keep makes a plan the best, if it is better. If again is set, each of its pools is planned once more by itself.
func (c *chooser) keep(ctx context.Context, p *model.Plan, again bool) error {
	r := plan.NewResult(model.Feasible, p.Offsets)
	r.Pools, r.Planner = p.Pools, c.planner
	r.Measures = model.MeasuresOf(c.lowering.Problem, &r.Plan)
	r.Height = model.ValueOf(r.Measures, model.MeasureHeight)
	if c.best == nil || c.better(&r) {
		c.best = &r
	}
	if !again || c.done() {
		return nil
	}
	for q, members := range split(c.lowering.Pools, r.Pools) {
		if len(members) > 0 {
			c.plans.Offer(int32(q), members, r.Offsets)
		}
	}
	within, end := run.Share(ctx, 4)
	defer end()
	return c.tryPools(within, r.Pools)
}

// tryPools plans each pool by itself, and keeps the plan if it is better.
func (c *chooser) tryPools(ctx context.Context, pools []int32) error {
	r, err := c.plans.Plan(ctx, pools)
	if err == nil && r.Status.HasPlan() && c.better(&r) {
		c.best = &r
	}
	return err
}

// eachPool is tryPools with a share of the limits for each pool, so that one that is hard does not take all.
func (c *chooser) eachPool(ctx context.Context, of []int32, nodes int64) error {
	all := make([]int64, len(of))
	for q, members := range split(c.lowering.Pools, of) {
		if len(members) == 0 {
			continue
		}
		offsets, err := c.plans.Lowest(ctx, int32(q), members, nodes)
		if err != nil || offsets == nil {
			return err
		}
		for _, i := range members {
			if all[i] = offsets[i]; c.above(i, int32(q), offsets[i]) {
				return nil
			}
		}
	}
	return c.keep(ctx, &model.Plan{Offsets: all, Pools: of}, false)
}

// above reports whether a buffer ends above the capacity of its pool.
func (c *chooser) above(i, pool int32, offset int64) bool {
	capacity := c.lowering.Pools[pool].Capacity
	return capacity > 0 && offset+c.lowering.Problem.Buffers[i].Size > capacity
}

// even reports whether a measure is low if all pools have the same load.
func even(m model.Measure) bool { return strings.HasPrefix(string(m), "max_") }

// bisect looks for the least value of a measure that a capacity can express.
func (c *chooser) bisect(ctx context.Context, m model.Measure) error {
	_, _, one := strings.Cut(string(m), ":")
	if !one && !even(m) {
		return nil
	}
	low := c.leastOf(m) // the least that is not refuted
	next := low         // the least that is not given up
	for asked := range mostHeights {
		high := model.ValueOf(c.best.Measures, m)
		if next >= high || c.plans.Over(ctx) {
			break
		}
		within := next + (high-next)/2
		if asked == 0 {
			within = low // often the bound is the answer
		}
		r, err := c.ask(ctx, m, within, []model.Measure{model.MeasureCost}, true)
		switch {
		case err != nil:
			return err
		case r.Status.HasPlan():
			if err := c.keep(ctx, &r.Plan, false); err != nil {
				return err
			}
		case r.Status == model.Infeasible && next == low:
			low, next = within+1, within+1
			c.raise(m, low)
		default:
			next = within + 1
		}
	}
	return nil
}

// raise records a bound that a question has proven.
func (c *chooser) raise(m model.Measure, bound int64) {
	if c.raised == nil {
		c.raised = map[model.Measure]int64{}
	}
	c.raised[m] = max(c.raised[m], bound)
}

// rest minimises the measures after a first one whose least value is known, or found.
func (c *chooser) rest(ctx context.Context, m model.Measure) error {
	objective := c.lowering.Problem.Objective()
	after := objective[slices.Index(objective, m)+1:]
	value := model.ValueOf(c.best.Measures, m)
	if _, _, one := strings.Cut(string(m), ":"); len(after) == 0 || !one && !even(m) ||
		c.plans.Over(ctx) {
		return nil
	}
	r, err := c.ask(ctx, m, value, after, false)
	if err != nil || !r.Status.HasPlan() {
		return err
	}
	if value == c.leastOf(m) {
		for _, b := range r.Bounds {
			c.raise(b.Measure, b.Value)
		}
	}
	return c.keep(ctx, &r.Plan, false)
}

// ask plans the problem with a measure held to at most a value, as capacities.
func (c *chooser) ask(ctx context.Context, m model.Measure, most int64, objective []model.Measure, free bool,
) (plan.Result, error) {
	p := *c.lowering.Problem
	rules := *p.Rules
	p.Rules, rules.Objective = &rules, objective
	rules.Pools = slices.Clone(rules.Pools)
	_, name, one := strings.Cut(string(m), ":")
	for k := range rules.Pools {
		q := &rules.Pools[k]
		if (!one || q.ID == name) && most > 0 && (q.Capacity == 0 || most < q.Capacity) {
			hold(q, most)
		}
		if free {
			q.Cost = 0
		}
	}
	if free {
		p.Buffers = slices.Clone(p.Buffers)
		for k := range p.Buffers {
			if x := p.Buffers[k].Extra; x != nil && len(x.Costs) > 0 {
				y := *x
				y.Costs = nil
				p.Buffers[k].Extra = &y
			}
		}
	}
	o := c.options
	nodes := c.plans.Stats().Nodes + pools.MoreNodes
	if o.NodeLimit == 0 || nodes < o.NodeLimit {
		o.NodeLimit = nodes
	}
	within, end := run.Share(ctx, 4)
	defer end()
	r, err := c.again(within, &p, o, c.plans.Stats())
	c.plans.Spend(r.Stats)
	return r, err
}

// hold makes a height the capacity of a pool. Reserved ranges above it stay, for they count in peaks.
func hold(q *model.Pool, height int64) {
	q.Capacity = height
	for _, r := range q.Reserved {
		q.Capacity = max(q.Capacity, r.Upper)
	}
	if q.Capacity > height {
		q.Reserved = lower.Merged(append(slices.Clone(q.Reserved), model.Range{Lower: height, Upper: q.Capacity}))
	}
}
