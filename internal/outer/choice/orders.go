package choice

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/internal/pile"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: if the cheapest assignment by the loads does not pack, the walk through the orders of live buffers (internal/pile) looks for
// the cheapest that does. It knows loads, costs and places at once. Its limit is a cost a little above the bound at first, as in
// spread/deepen.go:
//
//	no choice, nothing cut off     every plan costs more than the limit, which is a bound; the next limit has a step twice as long
//	a choice, nothing cut off      the cheapest
//	something cut off              the least of that is a bound
//
// Small buffers are loose at first, so that few are in the orders, and then fewer of them (levels). What a walk with loose buffers finds is a bound, and
// the planner is asked whether it packs. Between the first level and the next, a narrow walk looks for any choice that is cheaper than the best
// plan (guesses). Guesses and further levels take long, so a pass of check.go comes before them.
//
// Invariant: the bound of the cost holds for all plans.
//
// Complexity: at most the states of all levels and guesses, for each limit.
//
// Measured on the challenging suite with fast memory of 30, 50 and 70% of the load (lab/bench/fast), in processor time: H at 30 and 50% are
// proven, in 1 and 7 s, and neither was in 30 s without.
//
// Source: relaxations by what a state forgets are those of dynamic programs with state-space relaxation (Christofides, Mingozzi and Toth 1981).

// A level is how a walk is asked.
type level struct {
	live  int // most buffers in the orders of a section; smaller ones are loose
	width int
	most  int64 // states, of one walk
}

var levels = []level{{8, 10_000, 300_000}, {8, 20_000, 2_000_000}, {11, 400_000, 10_000_000}, {15, 200_000, 10_000_000}, {40, 400_000, 20_000_000}}

const (
	firstStep    = 32 // parts of the gap, of which one is the first step of the limit
	mostGuesses  = 6
	guessWidth   = 2_000
	guessStates  = 5_000_000
	guessPart    = 32 // of the gap, which is the limit above the bound of the first guess; a later one has half of the gap
	guessPatient = 3  // guesses without a plan; each has four times the limit of the one before
)

// briefly asks the narrowest walk about the pool that failed, for an eighth of a limit at most. It returns what the longer walks go on with, or nil.
func (x *packing) briefly(ctx context.Context, failed int32) (*spread.Orders, error) {
	if !x.costFirst || x.settled() || x.Over(ctx) || !x.Piles(failed) {
		return nil, nil
	}
	o := x.Orders(failed, x.Pools[failed].Capacity)
	if o == nil {
		return nil, nil
	}
	ctx, cancel := run.Share(ctx, 8)
	defer cancel()
	return o, x.deepen(ctx, o, levels[0])
}

// settled reports whether there is nothing for a walk to look for: no plan is known, or the best is.
func (x *packing) settled() bool { return x.least == math.MaxInt64 || x.least <= x.Low }

// atLength makes the guesses and the wider walks, for half of a limit at most.
func (x *packing) atLength(ctx context.Context, o *spread.Orders) error {
	if o == nil || x.settled() {
		return nil
	}
	ctx, cancel := run.Share(ctx, 2)
	defer cancel()
	if err := x.guess(ctx, o); err != nil {
		return err
	}
	for n, by := range levels {
		if x.settled() || x.Over(ctx) {
			return nil
		}
		o.Limit = x.Prices.Gap(x.least - 1)
		if n == 0 || by.width <= levels[n-1].width && o.LooseFor(by.live) == o.LooseFor(levels[n-1].live) {
			continue // the same again
		}
		if err := x.deepen(ctx, o, by); err != nil {
			return err
		}
	}
	return nil
}

// deepen walks with one limit after the other, as long as a walk says that every plan is above its limit.
func (x *packing) deepen(ctx context.Context, o *spread.Orders, by level) error {
	limit, step := x.Prices.Gap(x.Low), int64(0)
	for x.Low < x.least && !x.Over(ctx) {
		top := x.Prices.Gap(x.least - 1)
		if step == 0 {
			step = max(1, (top-limit)/firstStep)
		}
		o.Limit, o.Any, o.Width = min(limit, top), false, by.width
		o.Loose = o.LooseFor(by.live)
		c := x.Choose(ctx, o.Question, by.most)
		if c.Found {
			x.Low = max(x.Low, x.Prices.Least(c.Low))
			return x.hold(ctx, o, &c)
		}
		if c.Low <= o.Limit {
			x.Low = max(x.Low, x.Prices.Least(c.Low))
			return nil
		}
		x.Low = min(x.least, max(x.Low, x.Prices.Least(o.Limit+1)))
		limit, step = x.Prices.Gap(x.Low)+step, 2*step
	}
	return nil
}

// guess looks for choices that are cheaper than the best plan.
func (x *packing) guess(ctx context.Context, o *spread.Orders) error {
	part, failed := int64(guessPart), 0
	for range mostGuesses {
		low, top := x.Prices.Gap(x.Low), x.Prices.Gap(x.least-1)
		if x.Low >= x.least || failed == guessPatient || x.Over(ctx) {
			return nil
		}
		o.Limit, o.Any, o.Width, o.Loose = low+(top-low)/part, true, guessWidth, 0
		c := x.Choose(ctx, o.Question, guessStates)
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

// hold asks whether a choice packs, or knows it.
func (x *packing) hold(ctx context.Context, o *spread.Orders, c *pile.Choice) error {
	of := o.Assignment(c.In)
	if c.Offsets != nil {
		x.Offer(o.Pool, split(x.Pools, x.PoolOf(of))[o.Pool], o.Offsets(c.Offsets))
	}
	x.nodes = firstNodes
	_, err := x.try(ctx, of)
	x.nodes = pools.PackNodes
	return err
}
