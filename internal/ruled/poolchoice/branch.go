package poolchoice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a depth-first search over assignments. It plans each assignment as if every buffer had one pool. Bodies whose
// pools differ most by the prices come first. Each body tries the pool with the least excess first. A branch ends if
//
//	load    the room of a pool is exceeded in a section
//	cost    cost is the first measure, and base + excesses so far is above the best plan's cost
//	equal   cost is the first measure, base + excesses so far is the best plan's cost, and the best plan has
//	        reached the bounds of the measures after the cost
//
// Invariant: a branch that ends has no plan that is better by the objective. If a limit leaves branches out, the bounds
// are lowered to the bounds that hold without the search.
//
// Complexity: exponential; mostLeaves assignments are planned, and mostBranches tried.

const (
	mostLeaves   = 1_000
	mostBranches = 200_000
)

// A branch is the state of the search.
type branch struct {
	order    []int32           // bodies with a choice, in the order of the search
	at       assign.Assignment // so far
	first    assign.Assignment // planned before the search
	empty    [][]int64         // the room that is left
	excess   int64             // so far
	leaves   int
	branches int
	cut      bool            // a limit left something out
	answers  [][]model.Value // the bounds of each assignment that may have a plan
	by       string          // who proved that the last assignment without a plan has none
}

// explore plans the first assignment, if there is one, and then the assignments that may be better.
func (c *chooser) explore(ctx context.Context) error {
	first := c.packed
	open := len(c.loads.Bodies) - c.loads.Single
	c.tree.at, c.tree.empty, c.tree.order = make(assign.Assignment, open), c.loads.RoomOf(nil), make([]int32, open)
	for k := range c.tree.order {
		c.tree.order[k] = int32(k)
	}
	second := func(k int32) int64 {
		least := int64(math.MaxInt64)
		for _, x := range c.loads.Prices.Excess[k] {
			if x > 0 {
				least = min(least, x)
			}
		}
		return least
	}
	if c.costFirst {
		slices.SortStableFunc(c.tree.order, func(x, y int32) int { return cmp.Compare(second(y), second(x)) })
	}
	if first != nil {
		copy(c.tree.at, first)
		c.tree.first = first
		if err := c.leaf(ctx); err != nil {
			return err
		}
	}
	if err := c.cheapenBest(ctx); err != nil {
		return err
	}
	if err := c.insist(ctx); err != nil {
		return err
	}
	if !c.done() {
		if err := c.descend(ctx, 0); err != nil {
			return err
		}
	}
	return c.cheapenBest(ctx)
}

// insist plans the assignment that is cheapest by the loads, with all the time that is left. It does so if the best
// plan costs more and is not proven.
func (c *chooser) insist(ctx context.Context) error {
	_, limited := ctx.Deadline()
	if !limited || c.plans.Over(ctx) || !c.costFirst || c.best == nil || c.done() || c.byLoads == nil ||
		c.loads.Cost(c.byLoads) >= model.ValueOf(c.best.Measures, model.MeasureCost) ||
		c.loads.Cost(c.byLoads) < c.loads.Low || slices.Equal(c.byLoads, c.tree.first) {
		return nil
	}
	copy(c.tree.at, c.byLoads)
	return c.leaf(ctx)
}

// done reports whether the best plan is proven to be the best.
func (c *chooser) done() bool {
	if c.best == nil {
		return false
	}
	for _, m := range c.lowering.Problem.Objective() {
		if c.leastOf(m) < model.ValueOf(c.best.Measures, m) {
			return false
		}
	}
	return true
}

// descend assigns the bodies of the order from the kth on.
func (c *chooser) descend(ctx context.Context, k int) error {
	if c.costFirst && c.best != nil {
		cost := model.ValueOf(c.best.Measures, model.MeasureCost)
		if least := c.loads.Prices.Least(c.tree.excess); least > cost || least == cost && c.done() {
			return nil
		}
	}
	if c.tree.branches++; c.tree.branches > mostBranches || c.tree.leaves >= mostLeaves || c.tree.leaves > 0 &&
		c.plans.Over(ctx) {
		c.tree.cut = true
		return nil
	}
	if k == len(c.tree.order) {
		if slices.Equal(c.tree.at, c.tree.first) {
			return nil
		}
		return c.leaf(ctx)
	}
	body := c.tree.order[k]
	b, excess := &c.loads.Bodies[c.loads.Single+int(body)], c.loads.Prices.Excess[body]
	places := b.Places()
	slices.SortStableFunc(places, func(x, y int32) int { return cmp.Compare(excess[x], excess[y]) })
	for _, n := range places {
		c.tree.at[body] = n
		var err error
		if b.Take(int(n), c.tree.empty, 1) {
			c.tree.excess += excess[n]
			err = c.descend(ctx, k+1)
			c.tree.excess -= excess[n]
		}
		b.Take(int(n), c.tree.empty, -1)
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf plans an assignment.
func (c *chooser) leaf(ctx context.Context) error {
	cost := c.loads.Cost(c.tree.at)
	if c.costFirst && c.best != nil && cost > model.ValueOf(c.best.Measures, model.MeasureCost) {
		return nil
	}
	c.tree.leaves++
	of := c.loads.PoolOf(c.tree.at)
	r, err := c.plans.Plan(ctx, of)
	if err != nil {
		return err
	}
	switch {
	case r.Status == model.Infeasible:
		c.tree.by = r.ProvedBy
		return nil
	case !r.Status.HasPlan():
		// Only the cost is known.
		bounds := make([]model.Value, len(c.lowering.Problem.Objective()))
		for k, m := range c.lowering.Problem.Objective() {
			bounds[k].Measure = m
			if k == 0 && m == model.MeasureCost {
				bounds[k].Value = cost
			}
		}
		c.tree.answers = append(c.tree.answers, bounds)
		return nil
	}
	c.tree.answers = append(c.tree.answers, r.Bounds)
	if c.best == nil || c.better(&r) {
		c.best = &r
	}
	return nil
}

// better reports whether a plan is better than the best by the objective.
func (c *chooser) better(r *plan.Result) bool {
	for _, m := range c.lowering.Problem.Objective() {
		if x, y := model.ValueOf(r.Measures, m), model.ValueOf(c.best.Measures, m); x != y {
			return x < y
		}
	}
	return false
}

// result returns the answer, if there is one, else the outcome of the branches.
func (c *chooser) result() plan.Result {
	switch {
	case c.answer != nil:
		return *c.answer
	case c.best != nil:
		return c.bounded()
	case c.tree.cut || len(c.tree.answers) > 0:
		return plan.Result{Status: model.Unknown, Planner: c.planner}
	}
	return c.plans.Infeasible(cmp.Or(c.tree.by, "pools"))
}

// bounded returns the best plan with bounds that hold for all assignments.
func (c *chooser) bounded() plan.Result {
	if invariants.Enabled {
		c.check()
	}
	r := *c.best
	r.Bounds = make([]model.Value, len(c.lowering.Problem.Objective()))
	r.LowerBound, r.ProvedBy, r.Status = 0, "", model.Feasible
	proven := true
	for k, m := range c.lowering.Problem.Objective() {
		bound := int64(0)
		if !c.tree.cut {
			bound = math.MaxInt64
			for _, a := range c.tree.answers {
				// An assignment that cannot reach the best values of the measures before does not count for this one.
				reaches := true
				for n := range k {
					reaches = reaches && a[n].Value <= r.Bounds[n].Value
				}
				if reaches {
					bound = min(bound, a[k].Value)
				}
			}
		}
		value := model.ValueOf(r.Measures, m)
		bound = min(value, max(bound, c.leastOf(m)))
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
		r.Status, r.ProvedBy = model.Optimal, c.planner
	}
	return r
}
