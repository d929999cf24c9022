package tflm

import (
	"context"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: the load of a chain is that of its windows (chains.go). Some windows do not fit together as closely as that,
// and
// then each choice with the chain has a head above its load. So before a choice is planned, each of its chains is
// planned
// alone, at its own ticks: its head takes the place of its load. That is done once for a chain, and all choices with it
// are judged by its head. It is a small problem beside that of a choice.
//
//	choices by loads ──▶ chains of the best ones, alone ──▶ choices by heads ──▶ … until no chain of the best ones is new
//
// Invariant: a head is at least the load, and is no bound: more steps may find a lower one. A chain that has no plan in
// what the best choice leaves it counts as one that has it just above.
//
// Complexity: a few questions for each chain that is in a choice of the best ones.
//
// Source: Stowage.

// probe plans the chain of a segment alone, and raises its load to its head.
func (c *chooser) probe(ctx context.Context, x *segment) error {
	if head, done := c.heads[x.chain]; done {
		x.load = max(x.load, head)
		return nil
	}
	within := c.arena(c.whole) - 1
	switch {
	case c.x.Capacity > 0:
		within = min(within, c.x.Capacity)
	case c.best != nil:
		within = c.best.Arena - 1
	}
	within -= c.tail + x.tail - x.shared
	r, err := c.alone(x.chain)
	if err != nil || within <= 0 || ctx.Err() != nil {
		return err
	}
	made, err := r.search(ctx, stowage.Options{Seed: c.options.Solve.Seed},
		rowSearch{steps: splitSteps, noes: probeNoes, within: within, only: true})
	if err != nil || ctx.Err() != nil {
		return err
	}
	head := within + 1
	if made.Status.HasPlan() {
		head = made.Height
	}
	c.heads[x.chain], x.load = head, max(x.load, head)
	return nil
}

// probeNoes is how many questions without a plan end the search for a plan of a chain alone.
const probeNoes = 2

// alone returns the rows of a chain in strips, at its own ticks.
func (c *chooser) alone(chain strips.Chain) (*rowProblem, error) {
	m, _, err := sketch(c.splitter, []strips.Chain{chain})
	if err != nil {
		return nil, err
	}
	r, _, err := c.rowsOf(m, chain, false)
	if err != nil {
		return nil, err
	}
	r.finish()
	return r.rowProblem, nil
}

// probed reads the heads that are known into the loads of segments.
func (c *chooser) probed(all []segment) []segment {
	for k := range all {
		all[k].load = max(all[k].load, c.heads[all[k].chain])
	}
	return all
}

// raised returns the choice with the heads of its chains, after those of them are known that decide whether it is of
// use: it is not if its arena is not below most.
func (c *chooser) raised(ctx context.Context, x choice, all map[strips.Chain]*segment, most int64) (choice, error) {
	for {
		var next *segment
		for _, chain := range x.chains {
			y := all[chain]
			if x.load = max(x.load, y.load); next == nil || y.load > next.load {
				if _, done := c.heads[chain]; !done {
					next = y
				}
			}
		}
		if next == nil || c.low(&x) >= most || ctx.Err() != nil {
			return x, nil
		}
		was := len(c.heads)
		if err := c.probe(ctx, next); err != nil || len(c.heads) == was {
			return x, err
		}
	}
}
