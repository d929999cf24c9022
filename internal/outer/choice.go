package outer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: where a body may be in several pools, assignments are searched depth first, and each is planned as if every buffer
// had one pool. Bodies go in order of size, the largest first, each into its cheapest pool first, so that the
// first assignment that passes the loads is a greedy one. A branch ends if
//
//	load      the buffers of a pool that are live at one time, and may not overlap, exceed its capacity
//	cost      cost is the first measure, and cost so far + least costs of the rest is above the best plan's
//
// Invariant: a branch that ends holds no plan that is better by the objective. What a limit leaves out lowers the
// bounds to what holds without it: the least cost of each buffer, and 0.
//
// Complexity: exponential; mostLeaves assignments are planned, and mostBranches tried.

const (
	mostLeaves   = 1_000
	mostBranches = 200_000
	// mostChosen is the number of bodies with a choice from which on it is refused: each is a level of the search.
	mostChosen = 5_000
)

// A chooser searches the assignments of bodies to pools.
type chooser struct {
	*search
	bodies    []choice
	of        []int32   // the pool of each buffer so far
	load      [][]int64 // of each pool and section
	rest      []int64   // of each body, the least cost of it and those after it
	spent     int64
	costFirst bool
	leaves    int
	branches  int
	cut       bool // a limit left something out
	best      *plan.Result
	answers   [][]model.Value // the bounds of each assignment that may have a plan
	by        string          // who proved the last one that has none
}

// A choice is a body and the pools that it may be in, cheapest first.
type choice struct {
	members []int32
	pools   []int32
	costs   []int64
	first   []int32 // sections that each member lives through; empty if it does not count in the load
	last    []int32
	size    int64
}

// choose plans every assignment that matters, and returns the best plan.
func (s *search) choose(ctx context.Context, began time.Time) (plan.Result, error) {
	c := &chooser{search: s, of: make([]int32, len(s.Problem.Buffers))}
	if !c.prepare() {
		return s.infeasible("pools", began), nil
	}
	several := 0
	for k := range c.bodies {
		if len(c.bodies[k].pools) > 1 {
			several++
		}
	}
	if several > mostChosen {
		return plan.Result{}, plan.Unsupported(s.planner.Name(), "cannot choose the pools of more than 5,000 buffers")
	}
	if err := c.descend(ctx, 0); err != nil {
		return plan.Result{}, err
	}
	switch {
	case c.best != nil:
		return c.result(), nil
	case c.cut || len(c.answers) > 0:
		return plan.Result{Status: model.Unknown, Planner: s.planner.Name(), Stopped: cmp.Or(s.stopped, plan.StopEffort)}, nil
	}
	return s.infeasible(cmp.Or(c.by, "pools"), began), nil
}

// prepare lists the bodies. It returns false if one has no pool.
func (c *chooser) prepare() bool {
	p := c.Problem
	body, _ := c.Bodies()
	index := make(map[int32]int)
	for i := range p.Buffers {
		root := int32(i)
		if body != nil {
			root = body[i]
		}
		k, known := index[root]
		if !known {
			k = len(c.bodies)
			index[root] = k
			c.bodies = append(c.bodies, choice{})
		}
		b := &c.bodies[k]
		b.members = append(b.members, int32(i))
		b.size += p.Buffers[i].Size
	}
	for k := range c.bodies {
		b := &c.bodies[k]
		for q := range c.Pools {
			cost, may := int64(0), true
			for _, i := range b.members {
				may = may && p.Buffers[i].MayUse(int32(q))
				cost += p.Buffers[i].CostIn(c.Pools, int32(q))
			}
			if may {
				b.pools, b.costs = append(b.pools, int32(q)), append(b.costs, cost)
			}
		}
		if len(b.pools) == 0 {
			return false
		}
		order := make([]int, len(b.pools))
		for n := range order {
			order[n] = n
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.costs[x], b.costs[y]) })
		pools, costs := slices.Clone(b.pools), slices.Clone(b.costs)
		for n, at := range order {
			b.pools[n], b.costs[n] = pools[at], costs[at]
		}
	}
	// Bodies without a choice first, then the largest.
	slices.SortStableFunc(c.bodies, func(x, y choice) int {
		return cmp.Or(cmp.Compare(min(len(x.pools), 2), min(len(y.pools), 2)), cmp.Compare(y.size, x.size))
	})
	c.sections()
	c.rest = make([]int64, len(c.bodies)+1)
	for k := len(c.bodies) - 1; k >= 0; k-- {
		c.rest[k] = c.rest[k+1] + c.bodies[k].costs[0]
	}
	c.costFirst = p.Objective()[0] == model.MeasureCost
	return true
}

// sections prepares the loads. A buffer counts if it conflicts with whatever lives beside it.
func (c *chooser) sections() {
	p := c.Problem
	r := p.Rules
	if r.Threads > 0 || r.Period > 0 {
		return
	}
	loose := make([]bool, len(p.Buffers))
	for _, x := range r.MayOverlap {
		loose[x[0]], loose[x[1]] = true, true
	}
	for _, x := range r.Distances {
		loose[x.Buffers[0]], loose[x.Buffers[1]] = true, true
	}
	var times []int64
	for i := range p.Buffers {
		times = append(times, p.Buffers[i].Lower, p.Buffers[i].Upper)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	c.load = make([][]int64, len(c.Pools))
	for q := range c.load {
		c.load[q] = make([]int64, len(times))
	}
	for k := range c.bodies {
		b := &c.bodies[k]
		if i := b.members[0]; len(b.members) == 1 && !loose[i] && len(p.Buffers[i].Gaps) == 0 {
			first, _ := slices.BinarySearch(times, p.Buffers[i].Lower)
			last, _ := slices.BinarySearch(times, p.Buffers[i].Upper)
			b.first, b.last = []int32{int32(first)}, []int32{int32(last)}
		}
	}
}

// put adds a body to the loads of a pool, or takes it away. It returns whether the pool can hold what is live.
func (c *chooser) put(b *choice, pool int32, sign int64) bool {
	fits := true
	for n := range b.first {
		load := c.load[pool][b.first[n]:b.last[n]]
		for k := range load {
			load[k] += sign * b.size
			fits = fits && (c.Pools[pool].Capacity == 0 || load[k] <= c.Pools[pool].Capacity)
		}
	}
	return fits
}

// descend assigns the bodies from the kth on.
func (c *chooser) descend(ctx context.Context, k int) error {
	if c.costFirst && c.best != nil && c.spent+c.rest[k] > model.ValueOf(c.best.Measures, model.MeasureCost) {
		return nil
	}
	if c.branches++; c.branches > mostBranches || c.leaves >= mostLeaves || c.over(ctx) {
		c.cut = true
		return nil
	}
	if k == len(c.bodies) {
		return c.leaf(ctx)
	}
	b := &c.bodies[k]
	for n, pool := range b.pools {
		for _, i := range b.members {
			c.of[i] = pool
		}
		fits := c.put(b, pool, 1)
		c.spent += b.costs[n]
		var err error
		if fits {
			err = c.descend(ctx, k+1)
		}
		c.spent -= b.costs[n]
		c.put(b, pool, -1)
		if err != nil {
			return err
		}
	}
	return nil
}

// over reports whether a limit of the run has come. The first assignment is planned in any case.
func (c *chooser) over(ctx context.Context) bool {
	return c.leaves > 0 && (ctx.Err() != nil || c.options.NodeLimit > 0 && c.stats.Nodes >= c.options.NodeLimit)
}

// leaf plans an assignment.
func (c *chooser) leaf(ctx context.Context) error {
	c.leaves++
	r, err := c.assigned(ctx, c.of)
	if err != nil {
		return err
	}
	switch {
	case r.Status == model.Infeasible:
		c.by = r.ProvedBy
		return nil
	case !r.Status.HasPlan():
		// Nothing is known but the cost.
		bounds := make([]model.Value, len(c.Problem.Objective()))
		for k, m := range c.Problem.Objective() {
			bounds[k].Measure = m
			if k == 0 && m == model.MeasureCost {
				bounds[k].Value = c.spent
			}
		}
		c.answers = append(c.answers, bounds)
		return nil
	}
	c.answers = append(c.answers, r.Bounds)
	if c.best == nil || c.better(&r) {
		c.best = &r
	}
	return nil
}

// better compares a plan with the best by the objective.
func (c *chooser) better(r *plan.Result) bool {
	for _, m := range c.Problem.Objective() {
		if x, y := model.ValueOf(r.Measures, m), model.ValueOf(c.best.Measures, m); x != y {
			return x < y
		}
	}
	return false
}

// result gives the best plan the bounds that hold for all assignments.
func (c *chooser) result() plan.Result {
	r := *c.best
	r.Bounds = slices.Clone(r.Bounds)
	r.LowerBound, r.ProvedBy, r.Status = 0, "", model.Feasible
	proven := true
	for k, m := range c.Problem.Objective() {
		bound := int64(math.MaxInt64)
		for _, a := range c.answers {
			// An assignment that cannot reach the best values before says nothing of this measure.
			reaches := true
			for n := range k {
				reaches = reaches && a[n].Value <= r.Bounds[n].Value
			}
			if reaches {
				bound = min(bound, a[k].Value)
			}
		}
		value := model.ValueOf(r.Measures, m)
		if bound = min(bound, value); c.cut {
			bound = 0
			if k == 0 && m == model.MeasureCost {
				bound = min(value, c.rest[0])
			}
		}
		if !proven {
			bound = 0
		}
		r.Bounds[k] = model.Value{Measure: m, Value: bound}
		proven = proven && bound == value
		if k == 0 && m == model.MeasureHeight {
			r.LowerBound = bound
		}
	}
	if proven {
		r.Status, r.ProvedBy, r.Stopped = model.Optimal, c.planner.Name(), plan.Finished
	} else {
		r.Stopped = cmp.Or(c.stopped, plan.StopEffort)
	}
	return r
}
