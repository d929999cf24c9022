// Package explain says why a problem is infeasible. It names a few buffers that cannot fit.
//
//	explain.go      Irreducible: from the problem to an Explanation. It starts from the
//	                buffers that exact search has refuted (engine.Flaw), if there are any
//	crowd.go        the short way: one section holds too much
//	quickxplain.go  the long way: divide and conquer, for any reason
//	trial.go        asking a planner whether some of the buffers fit
//	words.go        the reason in words
//	ways.go         the cheapest ways out: a capacity, a smaller buffer, one that is not there at that time
//	rules.go        Ruled: the same question for problems with rules
//	fullest.go      the moment at which buffers take more than their pools have
//	ruledways.go    ways out for problems with rules: pools, and what is asked of buffers
//	drawable.go     a version of the problem that can be drawn
//
//	smallest.go     Smallest: the fewest buffers, by implicit hitting sets
//	hitting.go      the fewest buffers that hit all correction sets
//	suspects.go     which buffers may be in a smallest set: places and dominance
package explain

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Irreducible runs the planner on p with o.Capacity. If that is proven infeasible, it
// removes buffers for as long as the rest is infeasible too.
//
// o.Timeout limits the whole call (0: no limit). o.NodeLimit limits each run of the planner. Minimize, Progress and
// Moves are ignored. A run that reaches a limit counts as if its buffers fitted. The subset then stays larger, and
// Irreducible stays false unless later runs decide it. Fixed offsets that collide are a reason without a capacity. If
// there is no such pair and no capacity, the error is plan.ErrNoCapacity. Other errors are for input that the planner
// cannot take.
func Irreducible(ctx context.Context, p *model.Problem, planner run.Planner,
	o plan.Options,
) (*plan.Explanation, error) {
	ctx, cancel := limited(ctx, o.Timeout)
	defer cancel()
	e, _, err := irreducible(ctx, p, planner, o, 1)
	return e, err
}

// limited returns a context that ends after a timeout, or with ctx if the timeout is 0.
func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

// irreducible is Irreducible, and also returns the trial if it made one. Once the problem is
// known to be infeasible, it takes at most 1/share of the time left.
func irreducible(ctx context.Context, p *model.Problem, planner run.Planner, o plan.Options,
	share int,
) (*plan.Explanation, *trial, error) {
	o.Minimize, o.Progress, o.Moves, o.Timeout = false, nil, nil, 0
	e := &plan.Explanation{Capacity: o.Capacity}
	if i, ok := tooLarge(p, o.Capacity); ok {
		describe(e, p, []int{i})
		e.Irreducible = true
		return e, nil, nil
	}
	if c := verify.Collide(p); c != nil {
		e.Irreducible, e.Collision = true, c
		describe(e, p, []int{c.A, c.B})
		return e, nil, nil
	}
	if o.Capacity == 0 {
		return nil, nil, plan.ErrNoCapacity
	}

	tl := run.Timeline(planner, p, nil)
	start := time.Now()
	r, err := run.Run(ctx, planner, tl, o)
	if err != nil {
		return nil, nil, err
	}
	e.Runs = 1
	if r.Status != model.Infeasible {
		if e.Status = r.Status; r.Status == model.Optimal {
			e.Status = model.Feasible
		}
		return e, nil, nil
	}

	if deadline, ok := ctx.Deadline(); ok && share > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(share))
		defer cancel()
	}
	t := &trial{ctx: ctx, problem: p, tl: tl, planner: planner, options: o, patience: patience(time.Since(start))}
	t.growNodes = max(minGrowNodes, 4*r.Stats.Nodes)
	t.nodes = min(max(minNodes, 4*r.Stats.Nodes), mostNodes)
	if o.NodeLimit > 0 {
		t.growNodes, t.nodes = min(t.growNodes, o.NodeLimit), min(t.nodes, o.NodeLimit)
	}
	core := crowd(tl, o.Capacity, maxSections, t.over)
	switch {
	case core == nil:
		core = t.quickXplain(nil, false, t.flawed())
	case !t.stackable(core[:len(core)-1]):
		// Alignment or fixed offsets are part of the reason.
		core = t.quickXplain(nil, false, core)
	}
	// Undecided sets may be decided now that fewer buffers are left, or with more nodes. The
	// last try has the caller's node limit.
	core = ascending(core)
	for core, e.Irreducible = t.polish(core); !e.Irreducible && t.nodes != o.NodeLimit &&
		!t.over(); core, e.Irreducible = t.polish(core) {
		if t.nodes *= 16; t.nodes > mostNodes || o.NodeLimit > 0 && t.nodes > o.NodeLimit {
			t.nodes = o.NodeLimit
		}
	}
	t.nodes = o.NodeLimit
	if t.err != nil {
		return nil, nil, t.err
	}
	e.Runs += t.runs
	describe(e, p, core)
	return e, t, nil
}

// describe records the reason and the time at which its load is highest.
func describe(e *plan.Explanation, p *model.Problem, core []int) {
	e.Status, e.Buffers = model.Infeasible, core
	tl := timeline.New(subset(p, core, e.Capacity))
	e.Load = tl.MaxLoad
	if s := slices.Index(tl.Load, tl.MaxLoad); s >= 0 {
		e.At = [2]int64{tl.Starts[s], tl.Ends[s]}
	}
}

// tooLarge returns the first buffer that does not fit even alone. It is a reason by itself and needs no search.
func tooLarge(p *model.Problem, capacity int64) (i int, ok bool) {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if capacity == 0 {
			break
		}
		if b.Size > capacity || b.Fixed != nil && *b.Fixed > capacity-b.Size {
			return i, true
		}
	}
	return 0, false
}

// flawed lists buffers that do not fit, in order of their first section. It returns the ones
// that exact search has refuted, if the planner agrees, and all buffers otherwise.
func (t *trial) flawed() []int {
	all := byTime(t.tl)
	flaw := engine.Flaw(t.ctx, t.tl, t.options.Capacity, t.nodes)
	if flaw == nil || len(flaw) == len(all) {
		return all
	}
	few := make([]int, len(flaw))
	for k, i := range flaw {
		few[k] = int(i)
	}
	if t.ask(few) != model.Infeasible {
		return all
	}
	return few
}

// byTime lists the buffers in order of their first section. Reasons are mostly local in
// time, so the halves of this order are good guesses.
func byTime(tl *timeline.Timeline) []int {
	var order []int
	for k := range tl.Partitions {
		for _, i := range tl.Partitions[k].Buffers {
			order = append(order, int(i))
		}
	}
	return order
}
