// Package ruled plans problems with rules. It has no search of its own. The stages below call the packages under it,
// and each of these calls the next:
//
//	forms         decides which of several forms a buffer has; each question is a whole problem without the others
//	groups        decides which prices of sets of pairs are paid; each question is a whole problem without them
//	eviction      decides which evictions are taken; the parts of the buffers that stay are planned without any
//	pages         keeps buffers of different kinds from sharing a page
//	sizes         chooses the size of each pool that may have several, each at a price
//	banks         puts the images of a buffer in several pools at one offset, and keeps buffers within the borders of a
//	              pool: such pools are planned as one, with more slots of time
//	poollists     keeps lists of buffers in different pools, or in one, by branches on what a plan breaks
//	poolchoice    decides the pool of each buffer that may be in several
//	pools         plans a problem in which each buffer has its pool: pool by pool, measure by measure
//
// The package relax has what these four share. These ask no planner:
//
//	places        where each body may lie by itself and beside fixed ones, before any search
//	evictbound    evictions by loads alone
//	assign        pools by loads and costs alone
//	penalty       penalties by moving buffers in a plan
//	enumerate     every choice of a small problem
//	floor         bounds of all measures, without a search
//	stackdp       a full pool with few live buffers at a time, by a dynamic program over their orders
//	conflictgraph plans of buffers whose time is no line, on the graph of conflicts
//
// Invariant: a status is a proof, and a bound of a measure holds for every plan that has the best values of the
// measures before it.
package ruled

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/ruled/banks"
	"github.com/stowage-go/stowage/internal/ruled/eviction"
	"github.com/stowage-go/stowage/internal/ruled/forms"
	"github.com/stowage-go/stowage/internal/ruled/groups"
	"github.com/stowage-go/stowage/internal/ruled/pages"
	"github.com/stowage-go/stowage/internal/ruled/poolchoice"
	"github.com/stowage-go/stowage/internal/ruled/poollists"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/internal/ruled/sizes"
	"github.com/stowage-go/stowage/internal/ruled/stage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// stages is the path of a problem with rules.
var stages = []stage.Stage[*attempt]{
	{Name: "alternatives", Does: "which form of each buffer is chosen", For: (*attempt).varied, Run: (*attempt).vary, Nested: true},
	{Name: "groups", Does: "which groups of pairs are paid for", For: (*attempt).grouped, Run: (*attempt).group, Nested: true},
	{Name: "own", Does: "the planner takes rules by itself", For: (*attempt).ruler, Run: (*attempt).own},
	{Name: "small", Does: "all choices of a small problem, briefly", For: (*attempt).quick, Run: (*attempt).enumerate},
	{Name: "evictions", Does: "which evictions are taken, and a plan of what is left", For: (*attempt).evicts, Run: (*attempt).evict},
	{Name: "pools", For: (*attempt).stays, Run: (*attempt).choose, Nested: true},
	{Name: "small again", Does: "all choices of a small problem, to the end", For: (*attempt).small, Run: (*attempt).enumerate},
	{Name: "floors", Does: "bounds that need no search", Run: (*attempt).raise},
}

// An attempt is the state of a run.
type attempt struct {
	p        *model.Problem
	planner  run.Planner
	o        plan.Options
	timeout  time.Duration // of the run; that of o is 0, so that a question among several ends by itself
	tell     func(plan.Turn)
	r        plan.Result
	searched bool                                                                                  // the searches for many buffers have been made
	whole    bool                                                                                  // r is the complete answer
	solve    func(context.Context, *model.Problem, run.Planner, plan.Options) (plan.Result, error) // Solve
}

// Solve plans a valid problem with rules. The error is for a problem that the planner or this package refuses.
func Solve(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options) (plan.Result, error) {
	began := time.Now()
	if o.Start != nil {
		return plan.Result{}, plan.Unsupported(planner.Name(), "cannot honour a plan to start from, with rules")
	}
	a := &attempt{p: p, planner: planner, tell: o.Turns, r: plan.Result{Planner: planner.Name()}, solve: Solve}
	o.Progress, o.Moves, o.Turns = nil, nil, nil
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
		a.timeout, o.Timeout = o.Timeout, 0
	}
	a.o = o
	ctx = run.Noting(ctx)
	if err := stage.Run(ctx, a, stages, a.tell); err != nil {
		return plan.Result{}, err
	}
	if !a.Done() || (a.varied() || a.grouped()) && a.open() {
		a.r.Stopped = run.Why(ctx, a.r.Stats.Nodes, o.NodeLimit)
	}
	a.r.Objective = p.Objective()
	a.r.Stats.Elapsed = time.Since(began)
	return a.r, nil
}

// Done reports whether the result is the answer.
func (a *attempt) Done() bool {
	return a.whole || !a.open()
}

// open reports whether something is left to look for.
func (a *attempt) open() bool {
	return a.r.Status == model.Unknown || a.r.Status == model.Feasible && pools.Minimizing(a.p, &a.o)
}

// Turn reports the progress of the run.
func (a *attempt) Turn() plan.Turn {
	return plan.Turn{Nodes: a.r.Stats.Nodes, Height: a.r.Height, LowerBound: a.r.LowerBound, Measures: a.r.Measures}
}

// varied reports whether the problem has alternatives.
func (a *attempt) varied() bool { return a.p.Rules.HasAlternatives() }

// vary plans a problem with alternatives, by problems without.
func (a *attempt) vary(ctx context.Context) error { return a.by(ctx, forms.Plan) }

// grouped reports whether the problem has groups.
func (a *attempt) grouped() bool { return len(a.p.Rules.Groups) > 0 }

// group plans a problem with groups, by problems without.
func (a *attempt) group(ctx context.Context) error { return a.by(ctx, groups.Plan) }

// A search keeps a rule by problems without it.
type search = func(context.Context, *model.Problem, relax.Options, plan.Stats, relax.Planner) (plan.Result, error)

// by plans by a search whose problems go through all stages.
func (a *attempt) by(ctx context.Context, rule search) error {
	o := relax.Options{Options: a.o, Name: a.planner.Name(), Least: pools.Minimizing(a.p, &a.o)}
	o.Turns = a.tell
	r, err := rule(ctx, a.p, o, plan.Stats{}, a.again)
	a.r, a.whole = r, true
	return err
}

// again plans a problem with fewer rules, from the first stage on.
func (a *attempt) again(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
	if o.NodeLimit > 0 {
		o.NodeLimit = max(1, o.NodeLimit-spent.Nodes)
	}
	r, err := a.solve(ctx, p, a.planner, o)
	r.Stats.Nodes += spent.Nodes
	return r, err
}

// ruler reports whether the planner may accept rules itself.
func (a *attempt) ruler() bool {
	_, own := a.planner.(run.Ruler)
	return own
}

// own runs a planner that accepts rules itself.
func (a *attempt) own(ctx context.Context) error {
	r, taken, err := a.planner.(run.Ruler).Rules(ctx, a.p, a.o)
	if taken {
		a.r, a.whole = r, true
	}
	return err
}

// evicts reports whether some buffer may be away for a part of its life.
func (a *attempt) evicts() bool {
	return slices.ContainsFunc(a.p.Buffers, func(b model.Buffer) bool { return b.MayLeave() })
}

// stays reports whether no buffer may be away.
func (a *attempt) stays() bool { return !a.evicts() }

// choose plans a problem without evictions.
func (a *attempt) choose(ctx context.Context) error {
	o := a.o
	o.Turns = a.tell
	if a.single() {
		o.Timeout = a.timeout
	}
	r, err := a.lists(ctx, a.p, o, plan.Stats{})
	a.found(r)
	return err
}

// single reports whether the planner is asked one question: about the height of one pool whose rules only say who may
// share bytes. It may then take all the time.
func (a *attempt) single() bool {
	p, r := a.p, a.p.Rules
	pool := &p.AllPools()[0]
	return len(r.Pools) <= 1 && len(pool.Reserved)+len(pool.Borders)+len(pool.Sizes) == 0 && pool.Granularity == 0 &&
		!pool.Objects && len(r.Penalties)+len(r.Groups)+len(r.DifferentPools)+len(r.Lockstep)+len(r.Kinds) == 0 &&
		r.Threads == 0 && len(p.Objective()) == 1 && !a.small()
}

// lists plans a problem without evictions: pages first, then sizes of pools, rules of banks and lists of pools. Each
// plans problems without its rule, and poolchoice does the rest.
func (a *attempt) lists(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
	choose := func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
		return poolchoice.Plan(ctx, p, a.planner, o, spent)
	}
	for _, rule := range []search{
		poollists.Plan, banks.Plan, sizes.Plan, pages.Plan,
	} {
		rest := choose
		choose = func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
			return rule(ctx, p, relax.Options{Options: o, Name: a.planner.Name(), Least: pools.Minimizing(p, &o)}, spent, rest)
		}
	}
	return choose(ctx, p, o, spent)
}

// evict plans a problem with evictions.
func (a *attempt) evict(ctx context.Context) error {
	e := eviction.Options{Options: a.o, Name: a.planner.Name(), Least: pools.Minimizing(a.p, &a.o), Few: eviction.Few}
	r, err := eviction.Plan(ctx, a.p, e,
		a.lists)
	a.found(r)
	return err
}

// found adopts the result of a search, but keeps the plan before it if that is better.
func (a *attempt) found(r plan.Result) {
	small := a.r
	a.r, a.searched = r, true
	a.r.Stats.Nodes += small.Stats.Nodes
	a.better(&small)
}
