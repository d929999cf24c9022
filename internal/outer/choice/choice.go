// Package choice assigns a pool to each buffer that may be in several, and plans the problem so. An assignment packs if each pool
// has a plan with the buffers that are assigned to it.
//
//	pack.go      an assignment that packs, starting from the cheapest by the loads (internal/outer/spread)
//	orders.go    the cheapest assignment that packs, by a walk through the orders of live buffers
//	grow.go      as much of an assignment as packs
//	core.go      a few buffers that keep a pool from packing, its core
//	check.go     cores of a few sections, as rows of the linear program of loads
//	without.go   the cheapest assignments that keep one buffer of a core out of the pool
//	branch.go    a search of all assignments that may be better
//	floors.go    bounds of heights that hold for every assignment
//	cheaper.go   the last step: buffers move from dearer pools into cheaper ones that have a free place
package choice

import (
	"cmp"
	"context"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/outer/places"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: bodies are assigned to pools first by loads and costs alone, and pools are planned afterwards (internal/outer/pools).
//
// Invariant: what is said of the cost is said of all assignments whose loads fit, so of all plans. A limit leaves bounds as they are,
// and at least one assignment is planned in any case.
//
// Complexity: that of the parts. Only branch.go is exponential, and it has limits of its own.

// A chooser searches the assignments of bodies to pools.
type chooser struct {
	*pools.Search
	*spread.Choices
	planner   string
	costFirst bool // cost is the first measure
	best      *plan.Result
	floors    floors
	cheapest  spread.Assignment // by the loads
	neighbours
	branch
}

// Plan plans a problem without evictions. spent is what earlier runs have taken, which counts for the limits of o; the result has the sum.
func Plan(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options, spent plan.Stats) (plan.Result, error) {
	l := lower.New(p)
	if l.Knots() && len(p.Buffers) > lower.MostClocks {
		return plan.Result{}, plan.Unsupported(planner.Name(), "cannot honour clocks of more than 8,192 buffers that are no interval order")
	}
	s := pools.New(l, planner, o, spent)
	var r plan.Result
	var err error
	if of, ok := alone(l); !ok {
		s.KeepAnswers()
		r, err = choose(ctx, s, planner.Name())
	} else if places.Find(p, l.Conflicts).None() {
		r = s.Infeasible(places.Proved)
		if only := l.Pools[0].Capacity; len(l.Pools) == 1 && only > 0 {
			r.LowerBound = only + 1
		}
	} else {
		r, err = s.Plan(ctx, of)
	}
	r.Stats = s.Stats()
	return r, err
}

// alone returns the pool of each buffer if none may be in several, and members of one body agree.
func alone(l *lower.Lowering) ([]int32, bool) {
	p := l.Problem
	of := make([]int32, len(p.Buffers))
	if len(l.Pools) == 1 {
		return of, true
	}
	for i := range p.Buffers {
		x := p.Buffers[i].Extra
		if x == nil || len(x.Pools) != 1 {
			return nil, false
		}
		of[i] = x.Pools[0]
	}
	if body, _ := l.Bodies(); body != nil {
		for i := range of {
			if of[i] != of[body[i]] {
				return nil, false
			}
		}
	}
	return of, true
}

// choose looks for a good choice of pools, and for a proof that there is no better one.
func choose(ctx context.Context, s *pools.Search, planner string) (plan.Result, error) {
	choices, why := spread.New(s.Lowering)
	if why != "" {
		return s.Infeasible(why), nil
	}
	c := &chooser{Search: s, Choices: choices, planner: planner, costFirst: s.Problem.Objective()[0] == model.MeasureCost}
	return c.decide(ctx)
}

// third is what a walk through time may take of the time that is left.
func third(ctx context.Context) (context.Context, context.CancelFunc) { return run.Share(ctx, 3) }

func (c *chooser) decide(ctx context.Context) (plan.Result, error) {
	first, ok := c.Cheapest(ctx, func() bool { return c.Over(ctx) }, third)
	if !ok {
		return c.Infeasible("loads"), nil
	}
	c.cheapest = first
	if first != nil {
		packed, err := c.pack(ctx, first)
		if err != nil {
			return plan.Result{}, err
		}
		if packed != nil {
			first = packed
		}
	}
	if err := c.explore(ctx, first); err != nil {
		return plan.Result{}, err
	}
	switch {
	case c.best != nil:
		return c.result(), nil
	case c.cut || len(c.answers) > 0:
		return plan.Result{Status: model.Unknown, Planner: c.planner}, nil
	}
	return c.Infeasible(cmp.Or(c.by, "pools")), nil
}
