package poolchoice

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/ruled/stackdp"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: if the assignment that is cheapest by the loads does not pack, the walk through the orders of live buffers
// (internal/ruled/stackdp) looks for the cheapest that packs. It knows loads, costs and places at once. Its limit is a
// cost a little above the bound at first, as in assign/deepen.go:
//
//	no choice, nothing cut off     every plan costs more than the limit, so the limit is a bound; the next step is
//	                               twice as long
//	a choice, nothing cut off      the choice is the cheapest
//	something cut off              the least cost that was cut off is a bound
//
// At first small buffers are loose, so that few buffers are in the orders. Later levels have fewer loose buffers. A
// walk with loose buffers gives a bound and a choice, and the planner is asked whether that choice packs. Between the
// first level and the next, a narrow walk looks for any choice that is cheaper than the best plan (guesses). Guesses
// and further levels take long, so a pass of check.go comes before them.
//
// Invariant: the bound of the cost holds for all plans.
//
// Complexity: at most the states of all levels and guesses, for each limit.
//
// Trials: docs/lab/ruled.md (H at 30 and 50% is proven in 1 and 7 s, and was not in 30 s without).
//
// Source: state-space relaxation of dynamic programs, in which a state forgets something (Christofides, Mingozzi and
// Toth 1981).

// A level has the limits of a walk.
type level struct {
	live  int // most buffers in the orders of a section; smaller ones are loose
	width int
	most  int64 // states, of one walk
}

var levels = []level{
	{8, 10_000, 300_000},
	{8, 20_000, 2_000_000},
	{11, 400_000, 10_000_000},
	{15, 200_000, 10_000_000},
	{40, 400_000, 20_000_000},
}

const (
	firstStep    = 32 // the first step of the limit is 1/firstStep of the gap
	mostGuesses  = 6
	guessWidth   = 2_000
	guessStates  = 5_000_000
	guessPart    = 32 // the first guess may cost 1/guessPart of the gap above the bound, a later one half of the gap
	guessPatient = 3  // guesses without a plan; each has four times the limit of the one before
)

// orders runs the narrowest walk on the pool that failed, for at most an eighth of a limit.
func (x *packing) orders(ctx context.Context) error {
	if !x.costFirst || x.idle() || x.plans.Over(ctx) || !x.plans.Stackable(x.failed) {
		return nil
	}
	if x.walks = x.loads.Orders(x.failed, x.lowering.Pools[x.failed].Capacity); x.walks == nil {
		return nil
	}
	ctx, cancel := run.Share(ctx, 8)
	defer cancel()
	return x.deepen(ctx, x.walks, levels[0])
}

// idle reports whether a walk has nothing to look for: no plan is known, or the best plan is proven.
func (x *packing) idle() bool { return x.least == math.MaxInt64 || x.least <= x.loads.Low }

// longOrders makes the guesses and the wider walks, for at most half of a limit.
func (x *packing) longOrders(ctx context.Context) error {
	o := x.walks
	if x.idle() {
		return nil
	}
	ctx, cancel := run.Share(ctx, 2)
	defer cancel()
	if err := x.guess(ctx, o); err != nil {
		return err
	}
	for n, by := range levels {
		if x.least <= x.loads.Low || x.plans.Over(ctx) {
			return nil
		}
		o.Question.Limit = x.loads.Prices.Gap(x.least - 1)
		if n == 0 || by.width <= levels[n-1].width && o.Question.LooseFor(by.live) == o.Question.LooseFor(levels[n-1].live) {
			continue // the same again
		}
		if err := x.deepen(ctx, o, by); err != nil {
			return err
		}
	}
	return nil
}

// deepen walks with one limit after the other, as long as a walk says that every plan is above its limit.
func (x *packing) deepen(ctx context.Context, o *assign.Orders, by level) error {
	limit, step := x.loads.Prices.Gap(x.loads.Low), int64(0)
	for x.loads.Low < x.least && !x.plans.Over(ctx) {
		top := x.loads.Prices.Gap(x.least - 1)
		if step == 0 {
			step = max(1, (top-limit)/firstStep)
		}
		o.Question.Limit, o.Question.Any, o.Question.Width = min(limit, top), false, by.width
		o.Question.Loose = o.Question.LooseFor(by.live)
		c := x.plans.Choose(ctx, o.Question, by.most)
		if c.Found {
			x.loads.Low = max(x.loads.Low, x.loads.Prices.Least(c.Low))
			return x.hold(ctx, o, &c)
		}
		if c.Low <= o.Question.Limit {
			x.loads.Low = max(x.loads.Low, x.loads.Prices.Least(c.Low))
			return nil
		}
		x.loads.Low = min(x.least, max(x.loads.Low, x.loads.Prices.Least(o.Question.Limit+1)))
		limit, step = x.loads.Prices.Gap(x.loads.Low)+step, 2*step
	}
	return nil
}

// guess looks for choices that are cheaper than the best plan.
func (x *packing) guess(ctx context.Context, o *assign.Orders) error {
	part, failed := int64(guessPart), 0
	for range mostGuesses {
		low, top := x.loads.Prices.Gap(x.loads.Low), x.loads.Prices.Gap(x.least-1)
		if x.loads.Low >= x.least || failed == guessPatient || x.plans.Over(ctx) {
			return nil
		}
		o.Question.Limit, o.Question.Any, o.Question.Width, o.Question.Loose = low+(top-low)/part, true, guessWidth, 0
		c := x.plans.Choose(ctx, o.Question, guessStates)
		if !c.Found {
			failed++
			part = max(1, part/4)
			continue
		}
		if err := x.hold(ctx, o, &c); err != nil {
			return err
		}
		part = 2
	}
	return nil
}

// hold asks whether a choice packs. If the choice has offsets, they are offered as a plan first.
func (x *packing) hold(ctx context.Context, o *assign.Orders, c *stackdp.Choice) error {
	of := o.Assignment(c.In)
	if c.Offsets != nil {
		x.plans.Offer(o.Pool, split(x.lowering.Pools, x.loads.PoolOf(of))[o.Pool], o.Offsets(c.Offsets))
	}
	x.nodes = firstNodes
	_, err := x.try(ctx, of)
	x.nodes = pools.PackNodes
	return err
}
