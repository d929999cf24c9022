// Package poollists plans problems with lists of buffers that are in different pools, or all in one.
//
//	poollists.go   the search
//	classes.go     which buffers are in one pool, which are not, and what follows from that
package poollists

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the problem is planned without the lists. If the plan keeps them, it is the answer. Otherwise the search
// branches on what the plan breaks:
//
//	a and b are in pool q, and must not be   a is in q, so b is not  |  a is not in q
//	a class is in several pools, one is q    all of it is in q       |  none of it is in q
//
// Each branch is a problem without lists whose buffers may be in fewer pools. Pools that can be exchanged count as one:
// if a is not in q, it is in none of these. From each plan a second one is made whose buffers keep the lists, by moving
// those that break them.
//
// Invariant: a branch has all plans that keep the lists and its pools. So the bounds of its problem hold for these, and
// a branch ends if they are no better than the best plan.
//
// Complexity: at most mostQuestions problems without lists, each with a limit of nodes.
//
// Source: branch and bound by relaxation; the branches are those of graph coloring (Zykov 1949).

const (
	mostQuestions = 300
	listNodes     = 400_000 // of a question
)

// A Planner plans a problem without lists. spent is the effort so far, and the result has the sum.
type Planner func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error)

// Options are those of the run, and what is wanted.
type Options struct {
	plan.Options
	Name  string // of the planner
	Least bool   // whether the best plan is wanted, not any
}

// search is the state of a search.
type search struct {
	p         *model.Problem
	o         Options
	plan      Planner
	c         *classes
	stats     plan.Stats
	questions int
	first     *plan.Result // without the lists
	best      *plan.Result
	cut       bool // a branch was left open
}

// Plan plans a valid problem without evictions.
func Plan(ctx context.Context, p *model.Problem, o Options, spent plan.Stats, planner Planner) (plan.Result, error) {
	if !p.Rules.ListsPools() {
		return planner(ctx, p, o.Options, spent)
	}
	c, may := newClasses(p)
	x := &search{p: p, o: o, plan: planner, c: c, stats: spent}
	if may != nil {
		if err := x.branch(ctx, may); err != nil {
			return plan.Result{}, err
		}
	}
	r := x.result()
	r.Stats = x.stats
	return r, nil
}

// ask plans the problem with each class in the pools in which it may be.
func (x *search) ask(ctx context.Context, may choices) (plan.Result, error) {
	o := x.o.Options
	if nodes := x.stats.Nodes + listNodes; o.NodeLimit == 0 || nodes < o.NodeLimit {
		o.NodeLimit = nodes
	}
	if x.questions++; x.questions > 1 {
		o.Turns = nil
	}
	within, end := run.Share(ctx, 3)
	defer end()
	r, err := x.plan(within, x.c.question(may), o, x.stats)
	x.stats = r.Stats
	return r, err
}

// over reports whether the search ends, with branches left open.
func (x *search) over(ctx context.Context) bool {
	if x.best != nil && !x.o.Least {
		return true
	}
	over := x.questions > 0 && (x.questions >= mostQuestions || ctx.Err() != nil ||
		x.o.NodeLimit > 0 && x.stats.Nodes >= x.o.NodeLimit)
	x.cut = x.cut || over
	return over
}

// branch searches the plans whose classes are in pools in which they may be.
func (x *search) branch(ctx context.Context, may choices) error {
	if x.over(ctx) || !x.c.narrow(may) {
		return nil
	}
	r, err := x.ask(ctx, may)
	if err != nil {
		return err
	}
	if x.first == nil {
		x.first = &r
	}
	if r.Status == model.Infeasible || r.Status.HasPlan() && x.o.Least && !x.hopes(&r) {
		return nil
	}
	if !r.Status.HasPlan() {
		// No plan says what to branch on. Each class that has its pool is a step.
		if k, pool := x.c.widest(may); k >= 0 {
			return x.split(ctx, may, k, pool)
		}
		x.cut = true
		return nil
	}
	k, pool := x.c.broken(r.Pools)
	if k < 0 {
		x.offer(&r)
		x.cut = x.cut || x.o.Least && r.Status != model.Optimal
		return nil
	}
	if moved := x.c.repaired(may, r.Pools); moved != nil && !x.over(ctx) {
		s, err := x.ask(ctx, moved)
		if err != nil {
			return err
		}
		if s.Status.HasPlan() {
			x.offer(&s)
		}
		if x.o.Least && !x.hopes(&r) {
			return nil
		}
	}
	return x.split(ctx, may, k, pool)
}

// split makes two branches: a class is in a pool, or it is not.
func (x *search) split(ctx context.Context, may choices, k int32, pool int32) error {
	in, out := may.clone(), may.clone()
	alike := x.c.alike(may, pool)
	for q := range in[k] {
		in[k][q] = int32(q) == pool
		out[k][q] = out[k][q] && !slices.Contains(alike, int32(q))
	}
	if err := x.branch(ctx, in); err != nil {
		return err
	}
	return x.branch(ctx, out)
}

// hopes reports whether the bounds of a question allow for a plan that is better than the best.
func (x *search) hopes(r *plan.Result) bool {
	if x.best == nil {
		return true
	}
	for _, b := range r.Bounds {
		if value := model.ValueOf(x.best.Measures, b.Measure); b.Value != value {
			return b.Value < value
		}
	}
	return len(r.Bounds) == 0
}

// offer makes a plan that keeps the lists the best, if it is better.
func (x *search) offer(r *plan.Result) {
	if x.best != nil {
		for _, m := range x.p.Objective() {
			if a, b := model.ValueOf(r.Measures, m), model.ValueOf(x.best.Measures, m); a != b {
				if a > b {
					return
				}
				break
			}
		}
	}
	x.best = r
}

// result is the outcome of the search.
func (x *search) result() plan.Result {
	switch {
	case x.best == nil && x.cut:
		r := plan.Result{Status: model.Unknown, Planner: x.o.Name}
		if x.first != nil {
			r.LowerBound = x.first.LowerBound
		}
		return r
	case x.best == nil:
		r := plan.Result{Status: model.Infeasible, Planner: x.o.Name, ProvedBy: "pools"}
		if x.first != nil && x.first.Status == model.Infeasible {
			r.ProvedBy, r.LowerBound = x.first.ProvedBy, x.first.LowerBound
		}
		return r
	case !x.o.Least:
		return *x.best
	}
	r := *x.best
	r.Bounds, r.ProvedBy, r.Status = make([]model.Value, len(x.p.Objective())), "", model.Feasible
	r.LowerBound = min(r.Height, x.first.LowerBound)
	proven := true
	for k, m := range x.p.Objective() {
		value, bound := model.ValueOf(r.Measures, m), int64(0)
		switch {
		case !x.cut:
			bound = value
		case proven && k < len(x.first.Bounds):
			bound = min(value, x.first.Bounds[k].Value)
		}
		r.Bounds[k], proven = model.Value{Measure: m, Value: bound}, proven && bound == value
	}
	if proven {
		r.Status, r.ProvedBy = model.Optimal, x.o.Name
	}
	if m := r.Bounds[0]; m.Measure == model.MeasureHeight {
		r.LowerBound = m.Value
	}
	return r
}
