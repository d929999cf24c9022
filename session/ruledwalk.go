package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: guided.go with rules. The largest body without a place goes where it ejects the least, in any pool, and the ejected ones go on in
// the same way. A body that finds no free place becomes dearer to eject. The walk ends when all have a place.
//
// Where a body may go: at the lowest origin, at its old place, and directly above or below what conflicts with it.
//
// Invariant: bodies that have a place share no byte that they may not.
//
// Complexity: O(k²) for a placement with k bans; at most walkRounds times walkPlacements placements.

// The effort of a walk.
const (
	walkRounds     = 2
	walkPlacements = 400
	walkOdd        = 8 // one in so many placements that eject takes another than the best place
)

// A stop is a place that a body may take: what it ejects, and what that costs.
type stop struct {
	pool   int32
	origin int64
	cost   int64
	ejects []int32
}

// walk is the step repair for many bodies.
func (c *ruling) walk() (Answer, *placing, error) {
	draw := c.s.o.Seed
	for round := range walkRounds {
		if c.watch.Over() {
			break
		}
		if p := c.round(int64(1)<<(2*round), &draw); p != nil {
			c.moveBack(p)
			return Answer{}, p, nil
		}
	}
	return Answer{}, nil, nil
}

// round walks once. part is the part of the mean cost of a movement that is the unit of the weights.
func (c *ruling) round(part int64, draw *uint64) *placing {
	p := &placing{slices.Clone(c.at), slices.Clone(c.pool)}
	pending := slices.Clone(c.homeless)
	weight := map[int32]int64{}
	sum := int64(0)
	for i := range c.p.Buffers {
		sum = min(sum+c.s.o.cost(&c.p.Buffers[i]), model.MaxSum)
	}
	unit := max(1, min(sum/int64(len(c.at))/part, model.MaxSum>>32))
	for range walkPlacements {
		if len(pending) == 0 {
			return p
		}
		if c.watch.Over() {
			return nil
		}
		c.nodes++
		c.largestFirst(pending)
		body := pending[0]
		pending = pending[1:]
		stops := c.stops(p, body, func(other int32) int64 {
			price := weight[other] * unit
			if price == 0 {
				price = max(c.moves(other).Cost, 1)
			} else if pool, origin, ok := c.stands(other); ok && p.pool[other] == pool && p.at[other] == origin+c.from(other) {
				price *= guidedStays
			}
			return min(price, model.MaxSum>>16)
		})
		if len(stops) == 0 {
			return nil // pinned bodies are in the way everywhere
		}
		best := stops[0]
		if len(best.ejects) > 0 {
			if len(stops) > 1 && splitmix.Next(draw)%walkOdd == 0 {
				best = stops[1]
			}
			weight[body]++
		}
		for _, other := range best.ejects {
			c.lift(p, other)
		}
		c.put(p, body, best.pool, best.origin)
		pending = slices.Concat(best.ejects, pending)
	}
	return nil
}

// stops returns the two best places for a body.
func (c *ruling) stops(p *placing, body int32, price func(int32) int64) (best []stop) {
	for q := range int32(len(c.pools)) {
		grid, ok := c.grid(body, q)
		if !ok {
			continue
		}
		c.scratch = c.bans(c.scratch[:0], body, q, p.at, p.pool)
		bans := c.scratch
		try := func(origin int64) {
			if !c.mayLie(body, q, origin) || slices.ContainsFunc(best, func(s stop) bool { return s.pool == q && s.origin == origin }) {
				return
			}
			s := stop{pool: q, origin: origin}
			for k := range bans {
				if bans[k].low >= origin || origin >= bans[k].high {
					continue
				}
				if bans[k].buffer == away {
					return
				}
				other := c.of(bans[k].buffer)
				if _, pinned := c.pinned(other); pinned {
					return
				}
				if !slices.Contains(s.ejects, other) {
					s.ejects = append(s.ejects, other)
					s.cost += price(other)
				}
			}
			at, _ := slices.BinarySearchFunc(best, s, func(a, b stop) int {
				if a.cost <= b.cost {
					return -1
				}
				return 1
			})
			if best = slices.Insert(best, at, s); len(best) > 2 {
				best = best[:2]
			}
		}
		try(grid.First)
		if pool, origin, ok := c.stands(body); ok && pool == q {
			try(origin)
		}
		if origin, pinned := c.pinned(body); pinned {
			try(origin)
		}
		for k := range bans {
			try(grid.Up(max(bans[k].high, 0)))
			if low := bans[k].low; low >= grid.First {
				try(grid.Down(low))
			}
		}
	}
	return best
}
