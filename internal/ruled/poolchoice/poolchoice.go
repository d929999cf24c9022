// Package poolchoice assigns a pool to each buffer that may be in several, and plans the problem with this assignment.
// An assignment packs if each pool has a plan with the buffers that are assigned to it.
//
//	pack.go      an assignment that packs, starting from the cheapest by the loads (internal/ruled/assign)
//	orders.go    the cheapest assignment that packs, by a walk through the orders of live buffers
//	grow.go      as much of an assignment as packs
//	core.go      a few buffers that keep a pool from packing, its core
//	check.go     cores of a few sections, as rows of the linear program of loads
//	without.go   the cheapest assignments that keep one buffer of a core out of the pool
//	heights.go   low plans if a height comes before all else
//	shared.go    the same for pools that are divided into objects, and few objects
//	branch.go    a search of all assignments that may be better
//	floors.go    bounds of heights that hold for every assignment
//	cheaper.go   the last step: buffers move from dearer pools into cheaper ones that have a free place
package poolchoice

import (
	"cmp"
	"context"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/heights"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/ruled/stage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: bodies are assigned to pools first by loads and costs alone, and pools are planned afterwards
// (internal/ruled/pools).
//
// Invariant: a bound of the cost holds for all assignments whose loads fit, so for all plans. A limit changes no bound.
// At least one assignment is planned, whatever the limit.
//
// Complexity: that of the parts. Only branch.go is exponential, and it has limits of its own.

// stages is the path of a problem without evictions.
var stages = []stage.Stage[*chooser]{
	{Name: "places", Does: "where single buffers and pairs may lie", Run: (*chooser).places},
	{Name: "plans", Does: "each buffer has its pool: pool by pool, measure by measure", For: (*chooser).given, Run: (*chooser).plan},
	{Name: "loads", Does: "the cheapest pools by loads and costs", Run: (*chooser).cheapest},
	{Name: "objects", Does: "which pool and which object each buffer is in", For: (*chooser).divided, Run: (*chooser).share},
	{Name: "heights", Does: "low plans of several pools, and whether lower ones fit", For: (*chooser).leads, Run: (*chooser).heights},
	{Name: "rounds", Does: "other pools whose loads are low", For: (*chooser).leads, Run: (*chooser).someRounds},
	{Name: "packing", For: (*chooser).assigned, Run: (*chooser).pack, Nested: true},
	{Name: "branches", Does: "plans of that choice, and of choices that may be better", Run: (*chooser).explore},
	{Name: "rounds", Does: "other pools until the end of the time", For: (*chooser).leads, Run: (*chooser).allRounds},
}

// A chooser searches the assignments of bodies to pools.
type chooser struct {
	lowering *lower.Lowering
	plans    *pools.Search
	sets     *places.Sets
	loads    *assign.Choices
	tell     func(plan.Turn)
	planner  string
	// again is Plan, by the same planner.
	again     func(context.Context, *model.Problem, plan.Options, plan.Stats) (plan.Result, error)
	options   plan.Options
	raised    map[model.Measure]int64 // bounds that questions have proven
	costFirst bool                    // cost is the first measure
	only      []int32                 // the pool of each buffer if none may be in several; nil otherwise
	answer    *plan.Result            // nil until there is an answer
	settled   bool                    // best is proven, and nothing else is to be asked
	byLoads   assign.Assignment       // the cheapest
	packed    assign.Assignment       // the cheapest assignment that is known to pack, or byLoads
	best      *plan.Result
	floors    floors
	field     *heights.Field // nil as long as no height leads
	round     uint64         // so far, beside the first
	near      neighbours
	tree      branch
}

// Plan plans a problem without evictions. spent is the effort of earlier runs. It counts towards the limits of o, and
// the result has the sum.
func Plan(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options,
	spent plan.Stats,
) (plan.Result, error) {
	l := lower.New(p)
	if l.Tangled() && len(p.Buffers) > lower.MostClocks {
		return plan.Result{}, plan.Unsupported(planner.Name(),
			"cannot honour clocks of more than 8,192 buffers that are no interval order")
	}
	c := &chooser{
		lowering: l, planner: planner.Name(), tell: o.Turns, costFirst: p.Objective()[0] == model.MeasureCost, only: alone(l),
	}
	o.Turns = nil
	c.options = o
	c.again = func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
		return Plan(ctx, p, planner, o, spent)
	}
	if c.plans = pools.New(l, planner, o, spent); c.only == nil {
		c.plans.KeepAnswers()
	}
	return c.decide(ctx)
}

func (c *chooser) decide(ctx context.Context) (plan.Result, error) {
	err := stage.Run(ctx, c, stages, c.tell)
	r := c.result()
	r.Stats = c.plans.Stats()
	return r, err
}

// Done reports whether there is an answer.
func (c *chooser) Done() bool { return c.answer != nil || c.settled }

// Turn says how far the search is.
func (c *chooser) Turn() plan.Turn {
	t := plan.Turn{Nodes: c.plans.Stats().Nodes}
	if r := cmp.Or(c.answer, c.best); r != nil {
		t.Height, t.LowerBound, t.Measures = r.Height, r.LowerBound, r.Measures
	}
	return t
}

// given reports whether no buffer has a choice of pools.
func (c *chooser) given() bool { return c.only != nil }

// assigned reports whether an assignment is known whose loads fit.
func (c *chooser) assigned() bool { return c.byLoads != nil }

// infeasible is the answer that there is no plan.
func (c *chooser) infeasible(by string) {
	r := c.plans.Infeasible(by)
	c.answer = &r
}

// places looks for bodies and pairs that have no place.
func (c *chooser) places(context.Context) error {
	if c.sets = places.Find(c.lowering.Problem, c.lowering.Conflicts); !c.sets.None() {
		return nil
	}
	c.infeasible(places.Proved)
	if only := c.lowering.Pools[0].Capacity; len(c.lowering.Pools) == 1 && only > 0 {
		c.answer.LowerBound = only + 1
	}
	return nil
}

// plan plans a problem that has no choice.
func (c *chooser) plan(ctx context.Context) error {
	r, err := c.plans.Plan(ctx, c.only)
	c.answer = &r
	return err
}

// cheapest looks for the cheapest assignment whose loads fit.
func (c *chooser) cheapest(ctx context.Context) error {
	choices, why := assign.New(c.lowering, c.sets)
	if why != "" {
		c.infeasible(why)
		return nil
	}
	c.loads = choices
	first, ok := c.loads.Cheapest(ctx, func() bool { return c.plans.Over(ctx) }, third)
	if !ok {
		c.infeasible("loads")
	}
	c.byLoads, c.packed = first, first
	return nil
}

// third gives a walk through time a third of the time that is left.
func third(ctx context.Context) (context.Context, context.CancelFunc) { return run.Share(ctx, 3) }

// alone returns the pool of each buffer if no buffer may be in several and the members of each body agree; else nil.
func alone(l *lower.Lowering) []int32 {
	p := l.Problem
	of := make([]int32, len(p.Buffers))
	if len(l.Pools) == 1 {
		return of
	}
	for i := range p.Buffers {
		x := p.Buffers[i].Extra
		if x == nil || len(x.Pools) != 1 {
			return nil
		}
		of[i] = x.Pools[0]
	}
	if body, _ := l.Conflicts.Bodies(); body != nil {
		for i := range of {
			if of[i] != of[body[i]] {
				return nil
			}
		}
	}
	return of
}
