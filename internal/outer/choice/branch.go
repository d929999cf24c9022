package choice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: assignments are searched depth first, and each is planned as if every buffer had one pool. Bodies whose pools differ
// most by the prices go first. Each body goes into the pool with the least excess first. A branch ends if
//
//	load    the room of a pool is exceeded in a section
//	cost    cost is the first measure, and base + excesses so far is above the best plan's cost
//	equal   cost is the first measure, base + excesses so far is the best plan's cost, and the best plan has
//	        reached the bounds of the measures after the cost
//
// Invariant: a branch that ends holds no plan that is better by the objective. If a limit leaves branches out, the bounds are
// lowered to what holds without the search.
//
// Complexity: exponential; mostLeaves assignments are planned, and mostBranches tried.

const (
	mostLeaves   = 1_000
	mostBranches = 200_000
)

// A branch is the state of the search.
type branch struct {
	order    []int32           // bodies with a choice, in the order of the search
	at       spread.Assignment // so far
	first    spread.Assignment // planned before the search
	empty    [][]int64         // the room that is left
	excess   int64             // so far
	leaves   int
	branches int
	cut      bool            // a limit left something out
	answers  [][]model.Value // the bounds of each assignment that may have a plan
	by       string          // who proved the last one that has none
}

// explore plans the first spread.Assignment, if there is one, and then those that may be better.
func (c *chooser) explore(ctx context.Context, first spread.Assignment) error {
	open := len(c.Bodies) - c.Single
	c.at, c.empty, c.order = make(spread.Assignment, open), c.RoomOf(nil), make([]int32, open)
	for k := range c.order {
		c.order[k] = int32(k)
	}
	second := func(k int32) int64 {
		least := int64(math.MaxInt64)
		for _, x := range c.Prices.Excess[k] {
			if x > 0 {
				least = min(least, x)
			}
		}
		return least
	}
	if c.costFirst {
		slices.SortStableFunc(c.order, func(x, y int32) int { return cmp.Compare(second(y), second(x)) })
	}
	if first != nil {
		copy(c.at, first)
		c.first = first
		if err := c.leaf(ctx); err != nil {
			return err
		}
	}
	if err := c.settle(ctx); err != nil {
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
	return c.settle(ctx)
}

// insist plans the assignment with the cheapest loads with all of the time that is left, if the best plan costs more
// and is not proven.
func (c *chooser) insist(ctx context.Context) error {
	_, limited := ctx.Deadline()
	if !limited || c.Over(ctx) || !c.costFirst || c.best == nil || c.done() || c.cheapest == nil ||
		c.Cost(c.cheapest) >= model.ValueOf(c.best.Measures, model.MeasureCost) || c.Cost(c.cheapest) < c.Low || slices.Equal(c.cheapest, c.first) {
		return nil
	}
	copy(c.at, c.cheapest)
	return c.leaf(ctx)
}

// done reports whether no plan is better than the best.
func (c *chooser) done() bool {
	if c.best == nil {
		return false
	}
	for _, m := range c.Problem.Objective() {
		if c.leastOf(m) < model.ValueOf(c.best.Measures, m) {
			return false
		}
	}
	return true
}

// descend assigns the bodies from the kth of the order on.
func (c *chooser) descend(ctx context.Context, k int) error {
	if c.costFirst && c.best != nil {
		cost := model.ValueOf(c.best.Measures, model.MeasureCost)
		if least := c.Prices.Least(c.excess); least > cost || least == cost && c.done() {
			return nil
		}
	}
	if c.branches++; c.branches > mostBranches || c.leaves >= mostLeaves || c.leaves > 0 && c.Over(ctx) {
		c.cut = true
		return nil
	}
	if k == len(c.order) {
		if slices.Equal(c.at, c.first) {
			return nil
		}
		return c.leaf(ctx)
	}
	body := c.order[k]
	b, excess := &c.Bodies[c.Single+int(body)], c.Prices.Excess[body]
	places := b.Places()
	slices.SortStableFunc(places, func(x, y int32) int { return cmp.Compare(excess[x], excess[y]) })
	for _, n := range places {
		c.at[body] = n
		var err error
		if b.Take(int(n), c.empty, 1) {
			c.excess += excess[n]
			err = c.descend(ctx, k+1)
			c.excess -= excess[n]
		}
		b.Take(int(n), c.empty, -1)
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf plans an assignment.
func (c *chooser) leaf(ctx context.Context) error {
	cost := c.Cost(c.at)
	if c.costFirst && c.best != nil && cost > model.ValueOf(c.best.Measures, model.MeasureCost) {
		return nil
	}
	c.leaves++
	of := c.PoolOf(c.at)
	r, err := c.Plan(ctx, of)
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
				bounds[k].Value = cost
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
	if invariants.Enabled {
		c.check()
	}
	r := *c.best
	r.Bounds = make([]model.Value, len(c.Problem.Objective()))
	r.LowerBound, r.ProvedBy, r.Status = 0, "", model.Feasible
	proven := true
	for k, m := range c.Problem.Objective() {
		bound := int64(0)
		if !c.cut {
			bound = math.MaxInt64
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
