package core

import (
	"context"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
)

// Idea: a planner's answers to many capacities c follow from few runs.
//
//	a plan of height h        answers every c >= h
//	no plan is below bound b  answers every c < b
//
// The lowest plan (c = 0) comes first, if it is asked for. If it is proven, it answers everything. Of the open
// capacities, the one in the middle runs next, so that both rules can help on either side.
//
// Invariant: the rows are a function of the unit and the version, unless the clock cuts a run.
//
// Complexity: about log2(n) runs of n capacities if each run has an answer, n if none has.
//
// Ascending order would need one more run for each capacity that does not fit.

// A curve is what is known of a planner on a problem.
type curve struct {
	rows   []Row  // by capacity
	done   []bool // rows that are filled
	height int64  // of the lowest plan so far; 0 for none
	bound  int64  // no plan is lower
	run    func(capacity int64, r *Row)
}

// solveCurve fills in a row for each capacity. The error is that the context has ended.
func solveCurve(ctx context.Context, u *Unit, in *comparison.Instance, base Row) ([]Row, error) {
	c := &curve{rows: make([]Row, len(u.Capacities)), done: make([]bool, len(u.Capacities))}
	for k, capacity := range u.Capacities {
		c.rows[k] = base
		c.rows[k].Capacity = capacity
		if capacity > 0 {
			c.rows[k].Share = float64(capacity) / float64(max(in.Load, 1))
		}
	}
	c.run = func(capacity int64, r *Row) { solveOne(ctx, u, in, capacity, r) }
	first := 0
	if len(u.Capacities) > 0 && u.Capacities[0] == 0 {
		c.ask(0)
		first = 1
	}
	c.between(ctx, first, len(c.rows))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.rows, nil
}

// between fills the rows from <= k < to, the one in the middle first.
func (c *curve) between(ctx context.Context, from, to int) {
	if from >= to || ctx.Err() != nil {
		return
	}
	middle := int(uint(from+to-1) >> 1)
	c.ask(middle)
	c.between(ctx, from, middle)
	c.between(ctx, middle+1, to)
}

// ask fills a row by what is known, or by a run.
func (c *curve) ask(k int) {
	r := &c.rows[k]
	switch capacity := r.Capacity; {
	case capacity > 0 && c.height > 0 && capacity >= c.height:
		r.Implied, r.Height, r.LowerBound = true, c.height, c.bound
		if r.Status = stowage.Feasible.String(); c.height == c.bound {
			r.Status = stowage.Optimal.String()
		}
		return
	case capacity > 0 && capacity < c.bound:
		r.Implied, r.LowerBound, r.Status = true, c.bound, stowage.Infeasible.String()
		return
	default:
		c.run(capacity, r)
	}
	if r.HasPlan() && (c.height == 0 || r.Height < c.height) {
		c.height = r.Height
	}
	if r.Status != comparison.Refused && r.Status != comparison.Invalid && r.Status != comparison.Failed {
		c.bound = max(c.bound, r.LowerBound)
	}
	// A problem whose fixed offsets collide fits nowhere, and no bound says so.
	if r.Status == stowage.Infeasible.String() && r.Capacity > 0 {
		c.bound = max(c.bound, r.Capacity+1)
	}
}

// solveOne runs the planner.
func solveOne(ctx context.Context, u *Unit, in *comparison.Instance, capacity int64, r *Row) {
	at := *in
	at.Capacity = capacity
	// The problem's own capacity is not asked for here, and Options.Capacity 0 would mean it.
	problem := *in.Problem
	problem.Capacity = 0
	at.Problem = &problem
	run := comparison.Run{
		Planner: u.Planner, Timeout: u.Timeout, Nodes: u.Nodes, Workers: 1, Seed: uint64(u.Seed), Solve: capacity > 0,
	}
	comparison.Solve(ctx, &at, &run)
	r.Status, r.Height, r.LowerBound, r.Seconds, r.Nodes = run.Status, run.Height, run.LowerBound, run.Seconds, run.Visited
	r.Stopped, r.Message = run.Stopped, strings.ToValidUTF8(run.Message, "?")
}
