package tflm

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: a choice is planned only as far as it can be of use. Before it is planned, its arithmetic and its tail are
// known. If
// it has no less arithmetic than the best choice, its head has to be so small that its arena is the best. So the first
// question to the planner is for that head (rowplan.go), and mostly the last one.
//
// Invariant: known has each choice that was tried, and best is better than all others in it.
//
// Complexity: a few questions for each choice.
//
// Source: Stowage.

// some returns the choices to plan. Without a capacity these are the ones with the least load and tail, and front more
// with less arithmetic. With a capacity they are those that may fit, the least arithmetic first.
func (c *chooser) some(all []choice, most, front int) (out []choice) {
	if c.x.Capacity > 0 {
		out = slices.DeleteFunc(slices.Clone(all), func(x choice) bool {
			return c.low(&x) > c.x.Capacity
		})
		slices.SortStableFunc(out, func(x, y choice) int {
			return cmp.Or(cmp.Compare(x.macs, y.macs), cmp.Compare(x.load+x.tail, y.load+y.tail))
		})
		return out[:min(len(out), most)]
	}
	out = slices.Clone(all[:min(len(all), most)])
	least := int64(-1)
	for _, x := range all {
		if least < 0 || x.macs < least { // in the order of load and tail
			least = x.macs
			if x.front = true; front > 0 && !slices.ContainsFunc(out, func(y choice) bool {
				return nameOf(x.chains) == nameOf(y.chains)
			}) {
				front--
				out = append(out, x)
			}
		}
	}
	return out
}

// tryBest plans the best choices of segments. It goes on as long as what is found out of chains changes which choices
// are
// the best. It returns all choices.
func (c *chooser) tryBest(ctx context.Context, all []segment, most, front int) (choices []choice, err error) {
	by := map[strips.Chain]*segment{}
	for k := range all {
		by[all[k].chain] = &all[k]
	}
	for range splitRounds {
		choices = c.choices(all)
		was, best := len(c.heads), c.best
		if err := c.tryAll(ctx, c.some(choices, most, front), by); err != nil {
			return nil, err
		}
		if len(c.heads) == was && c.best == best || ctx.Err() != nil {
			break
		}
	}
	return choices, c.deepen(ctx)
}

// tryAll plans choices.
func (c *chooser) tryAll(ctx context.Context, all []choice, by map[strips.Chain]*segment) error {
	told := c.progress("choices of strips")
	for k := range all {
		x := &all[k]
		fits := c.x.Capacity > 0 && c.best != nil && c.best.Arena <= c.x.Capacity
		if fits && c.best.MACs < x.macs {
			break // the others have more arithmetic
		}
		limit := c.x.Capacity + 1
		switch {
		case c.x.Capacity > 0 && (!fits || x.macs < c.best.MACs):
		case c.best != nil:
			limit = c.best.Arena
		default:
			limit = c.arena(c.whole)
		}
		if !x.front {
			y, err := c.raised(ctx, *x, by, limit)
			if err != nil {
				return err
			}
			was := c.low(x)
			if *x = y; c.low(x) >= limit { // no plan of it is of use
				if was < limit {
					c.miss(x.chains, was)
				}
				continue
			}
		}
		if err := c.try(ctx, x.chains, c.low(x)); err != nil {
			return err
		}
		told(k+1, len(all))
	}
	return nil
}

// low returns what no arena of a choice is below.
func (c *chooser) low(x *choice) int64 { return x.load + x.tail - x.shared + c.tail }

// deepen looks longer for a lower plan of the best choice, so that choices that are not better are known sooner.
func (c *chooser) deepen(ctx context.Context) error {
	if c.best == nil || c.best.deep || ctx.Err() != nil {
		return nil
	}
	old := c.best
	x, err := c.plan(ctx, old.chains, stowage.Options{Seed: c.options.Solve.Seed},
		rowSearch{steps: splitAgainSteps, noes: splitNoes, start: old.plan.planned, only: true}, true)
	if err != nil || x == nil {
		return err
	}
	if len(x.larger) > 0 && len(old.larger) == 0 {
		x = old
	}
	x.deep = true
	c.known[nameOf(x.chains)], c.best = x, x
	return nil
}

// try plans a choice, and keeps it if it is the best. No plan of it is below low.
func (c *chooser) try(ctx context.Context, chains []strips.Chain, low int64) error {
	name := nameOf(chains)
	if _, done := c.known[name]; done || len(chains) == 0 || ctx.Err() != nil {
		return nil
	}
	c.known[name] = nil
	x, err := c.plan(ctx, chains, stowage.Options{Seed: c.options.Solve.Seed},
		rowSearch{steps: splitSteps, noes: splitNoes, only: true}, false)
	if err != nil || x == nil {
		c.miss(chains, low)
		return err
	}
	if len(x.larger) > 0 && !c.may {
		c.grown = append(c.grown, x)
		return nil
	}
	c.keep(x)
	return nil
}

// keep keeps a choice if it is the best, and for the front.
func (c *chooser) keep(x *Choice) {
	c.known[nameOf(x.chains)] = x
	if c.best == nil || c.better(x, c.best) {
		c.best = x
	}
}

// better compares two choices: what fits is better than what does not, then the smaller arena, or with a capacity less
// arithmetic.
func (c *chooser) better(x, y *Choice) bool {
	n := cmp.Compare(x.Arena, y.Arena)
	if c.x.Capacity > 0 {
		fits := func(x *Choice) int { return number(x.Arena > c.x.Capacity) }
		if n = cmp.Compare(fits(x), fits(y)); n == 0 && fits(x) == 0 {
			n = cmp.Compare(x.MACs, y.MACs)
		}
		n = cmp.Or(n, cmp.Compare(x.Arena, y.Arena))
	}
	return cmp.Or(n, cmp.Compare(x.MACs, y.MACs), cmp.Compare(x.Operators, y.Operators)) < 0
}

// plan plans a choice. It returns nil if there is no plan that is smaller everywhere, or none that is of use (within).
func (c *chooser) plan(ctx context.Context, chains []strips.Chain, run stowage.Options, rows rowSearch, smaller bool,
) (*Choice, error) {
	m, loops, err := sketch(c.splitter, chains)
	if err != nil {
		return nil, nil //nolint:nilerr // these chains cannot be split together
	}
	x := &Choice{Chains: chainsOf(chains, loops), chains: chains, Operators: len(m.Operators), MACs: MACs(m) - c.macs}
	if x.MACs > c.most {
		return nil, nil
	}
	o := c.options
	o.Scratch, o.Solve, o.rows = c.scratchOf(m), run, rows
	if o.rows.start == nil {
		if o.rows.within, err = c.within(m, x, o.Scratch, smaller); err != nil || o.rows.within < 0 {
			return nil, err
		}
	}
	made, err := inOrder(ctx, m, o)
	if err != nil && ctx.Err() != nil {
		return nil, nil // it ended too early for a plan
	}
	if err != nil || made.Offsets == nil {
		return nil, err
	}
	made.was, made.Before, made.Greedy = c.whole.original(), c.whole.Before, c.whole.Greedy
	made.Order, made.OrderBound = c.whole.Order, c.whole.OrderBound
	f := made.Set.Predict(made.Model, made.Arena, made.Offsets, made.Head, c.target)
	x.Arena, x.Head, x.Tail, x.plan = f.Smallest, made.Head, f.Tail, made
	if c.best != nil && x.Arena > c.best.Arena && x.MACs >= c.best.MACs {
		return nil, nil // nobody wants it
	}
	was := c.whole.Sizes()
	for k, s := range made.Sizes() {
		if s.After.Smallest > was[k].After.Smallest {
			return nil, nil
		}
	}
	if !c.named() {
		var ok bool
		if x.larger, ok, err = c.elsewhere(made); err != nil || !ok {
			return nil, err
		}
	}
	return x, nil
}

// within returns the largest head with which a choice would be of use, given what is known of it before it is planned:
// 0 if each head is, and a negative number if none is. If only a smaller arena than the best counts, arithmetic is
// none.
func (c *chooser) within(m *tflite.Model, x *Choice, scratch []tflite.Scratch, smaller bool) (int64, error) {
	if c.best == nil {
		return 0, nil
	}
	l, err := m.Lifetimes()
	if err != nil {
		return 0, err
	}
	a, err := m.Arena(l, scratch)
	if err != nil {
		return 0, err
	}
	arena := c.best.Arena // or less, but with fewer operators
	switch {
	case !smaller && x.MACs < c.best.MACs: // smaller than all that have as little arithmetic
		arena = c.arena(c.whole) - 1
		for _, y := range c.known {
			if y != nil && y.MACs <= x.MACs {
				arena = min(arena, y.Arena-1)
			}
		}
		arena = max(arena, c.x.Capacity)
	case x.MACs > c.best.MACs || x.MACs == c.best.MACs && x.Operators >= c.best.Operators:
		arena--
	}
	head := arena - c.set.Predict(m, a, nil, 0, c.target).Tail
	return cmp.Or(max(head, -1), -1), nil
}

// named reports whether the kernels are named, so that no others count.
func (c *chooser) named() bool { return c.whole.named || len(c.whole.Overlays) > 0 }

// original returns the plan of the model as it was given.
func (p *Plan) original() *Plan {
	if p.was != nil {
		return p.was
	}
	return p
}

// arena returns the smallest arena of a plan on the target.
func (c *chooser) arena(p *Plan) int64 {
	for _, s := range p.Sizes() {
		if s.Target == c.target {
			return s.After.Smallest
		}
	}
	return 0
}

// elsewhere returns the known kernels with which an arena is larger than without strips. ok is false if the largest
// arena of all known kernels is.
func (c *chooser) elsewhere(made *Plan) (larger []Growth, ok bool, err error) {
	most, mostWithout := int64(0), int64(0)
	for _, s := range made.Standings() {
		a, err := c.m.Arena(c.whole.Life, s.Set.Scratch(c.m))
		if err != nil {
			return nil, false, err
		}
		g := Growth{s.Set, made.With(s, c.target).Smallest, s.Set.Predict(c.m, a, nil, s.Own, c.target).Smallest}
		most, mostWithout = max(most, g.Arena), max(mostWithout, g.Without)
		if g.Arena > g.Without {
			larger = append(larger, g)
		}
	}
	if most > mostWithout {
		c.out.Why = fmt.Sprintf("with some kernels it would take %d, and at most %d without strips; --kernels NAME splits "+
			"for one set of kernels", most, mostWithout)
	}
	return larger, most <= mostWithout, nil
}
