package tflm

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: the best choice of the paths (chainchoices.go) is varied by itself. Each of its chains takes other numbers of
// strips or is
// left out, and the variants with the least load and tail are planned, until no variant is better. Then the choices
// whose plans did not reach their load are looked at once more, with more steps.
//
// Invariant: no variant is planned twice, but for those that are looked at once more.
//
// Complexity: splitVariants plans for each round.
//
// Source: Stowage.

// vary plans the best choice with other numbers of strips in one of its chains, and without the chain: those with the
// least load and tail. It returns false if all have been planned.
func (c *chooser) vary(ctx context.Context, all []segment) (bool, error) {
	type variant struct {
		chains []strips.Chain
		other  *segment // the chain that is another; nil if one is left out
		arena  int64    // of the loads and heads
	}
	var variants []variant
	add := func(chains []strips.Chain, other *segment) {
		x := variant{chains, other, c.estimate(chains, all)}
		if _, done := c.known[nameOf(chains)]; !done && (c.x.Capacity > 0 || x.arena < c.best.Arena) {
			variants = append(variants, x)
		}
	}
	for k, old := range c.best.chains {
		for i := range all {
			if x := &all[i].chain; x.First == old.First && x.Last == old.Last && *x != old {
				next := slices.Clone(c.best.chains)
				next[k] = *x
				add(next, &all[i])
			}
		}
		if len(c.best.chains) > 1 {
			add(slices.Delete(slices.Clone(c.best.chains), k, k+1), nil)
		}
	}
	slices.SortStableFunc(variants, func(x, y variant) int { return cmp.Compare(x.arena, y.arena) })
	for _, x := range variants[:min(len(variants), splitVariants)] {
		if c.x.Capacity == 0 && x.arena < c.best.Arena && x.other != nil {
			if err := c.probe(ctx, x.other); err != nil {
				return false, err
			}
			x.arena = c.estimate(x.chains, all)
		}
		if c.x.Capacity > 0 || x.arena < c.best.Arena {
			if err := c.try(ctx, x.chains, x.arena); err != nil {
				return false, err
			}
		}
	}
	return len(variants) > 0, nil
}

// estimate returns what the arena of chains is at least: their loads, those of the operators between them, and tails.
func (c *chooser) estimate(chains []strips.Chain, all []segment) int64 {
	var load int64
	tail, next := c.tail, 0
	for _, chain := range chains {
		at := slices.IndexFunc(all, func(x segment) bool { return x.chain == chain })
		if at < 0 {
			return 0 // it is of the first round
		}
		x := &all[at]
		load = max(load, x.load, slices.Max(append([]int64{0}, c.load[next:chain.First]...)))
		tail, next = tail+x.tail, chain.Last+1
	}
	return max(load, slices.Max(append([]int64{0}, c.load[next:]...))) + tail
}

// lighten plans further choices, if with some kernels the plans took too much: choices that split the operator with the
// largest load of all kernels, and those whose tail is no longer than the runtime's own plan is above that load.
func (c *chooser) lighten(ctx context.Context, all []choice) error {
	own, least, operator := int64(0), int64(0), -1
	for k := range c.whole.rivals {
		r := &c.whole.rivals[k]
		own = max(own, r.Set.Predict(c.m, r.arena, nil, r.Own, c.target).Smallest)
		for o := range c.load {
			now, load := int64(c.whole.Life.Operators[o].First)+1, int64(0)
			for _, b := range r.arena.Problem.Buffers {
				if b.Lower <= now && now < b.Upper {
					load += b.Size
				}
			}
			if n := r.Set.Predict(c.m, r.arena, nil, load, c.target).Smallest; n > least {
				least, operator = n, o
			}
		}
	}
	for range splitLighter {
		at := slices.IndexFunc(all, func(x choice) bool {
			_, done := c.known[nameOf(x.chains)]
			return !done && len(x.chains) > 0 && (x.tail <= own-least || slices.ContainsFunc(x.chains,
				func(y strips.Chain) bool { return y.First <= operator && operator <= y.Last }))
		})
		if at < 0 || c.best != nil {
			break
		}
		if err := c.try(ctx, all[at].chains, c.low(&all[at])); err != nil {
			return err
		}
	}
	return nil
}

// miss notes that a choice has no plan that is of use, as far as was looked. low is what its loads and tails say.
func (c *chooser) miss(chains []strips.Chain, low int64) {
	name := nameOf(chains)
	if at, ok := c.missed[name]; !ok || low < at.low {
		c.missed[name] = missed{chains, low}
	}
}

// A missed choice had no plan that was of use.
type missed struct {
	chains []strips.Chain
	low    int64 // of its loads and tails
}

// again looks longer for plans of those choices that may be better than the best: those with the lowest bounds.
func (c *chooser) again(ctx context.Context) error {
	if c.x.Capacity > 0 || c.best == nil {
		return nil
	}
	all := slices.SortedFunc(maps.Values(c.missed), func(x, y missed) int {
		return cmp.Or(cmp.Compare(x.low, y.low), strings.Compare(nameOf(x.chains), nameOf(y.chains)))
	})
	for _, x := range all[:min(len(all), splitAgain)] {
		if x.low >= c.best.Arena || ctx.Err() != nil {
			break
		}
		y, err := c.plan(ctx, x.chains, stowage.Options{Seed: c.options.Solve.Seed},
			rowSearch{steps: splitAgainSteps, noes: splitNoes, only: true}, true)
		if err != nil {
			return err
		}
		if y != nil && (len(y.larger) == 0 || c.may) {
			c.keep(y)
		}
	}
	return c.deepen(ctx)
}
