package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: this is guided.go with rules. The largest body without a place goes where it ejects the least, in any pool.
// Then the ejected ones are placed in the same way. A body that finds no free place becomes dearer to eject. The walk
// ends when every body has a place.
//
// Candidates for a body: the lowest origin, its old place, and directly above or below bodies that conflict with it.
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

// A stop is a place that a body may take, the bodies that it ejects there, and their cost.
type stop struct {
	pool   int32
	origin int64
	cost   int64
	ejects []int32
}

// bodyWalks is the step repair for many bodies with rules.
func (c *call) bodyWalks() (Answer, placing, error) {
	g, ok := c.ground.(*ruledGround)
	if !ok {
		return Answer{}, placing{}, nil
	}
	draw := c.s.o.Seed
	for round := range walkRounds {
		if g.watch.Over() {
			break
		}
		if p := g.round(int64(1)<<(2*round), &draw); p.at != nil {
			g.moveBack(p)
			return Answer{}, p, nil
		}
	}
	return Answer{}, placing{}, nil
}

// round walks once. part is the part of the mean cost of a movement that is the unit of the weights.
func (g *ruledGround) round(part int64, draw *uint64) placing {
	p := g.now().clone()
	pending := slices.Clone(g.homeless)
	weight := map[int32]int64{}
	sum := int64(0)
	for i := range g.p.Buffers {
		sum = min(sum+g.s.cost(int32(i)), model.MaxSum)
	}
	unit := max(1, min(sum/int64(len(g.at))/part, model.MaxSum>>32))
	for range walkPlacements {
		if len(pending) == 0 {
			return p
		}
		if g.watch.Over() {
			return placing{}
		}
		g.nodes++
		g.largestFirst(pending)
		body := pending[0]
		pending = pending[1:]
		stops := g.stops(p, body, func(other int32) int64 {
			price := weight[other] * unit
			if price == 0 {
				price = max(g.moves(other).Cost, 1)
			} else if pool, origin, ok := g.oldPlace(other); ok && p.in(other) == pool && p.at[other] == origin+g.from(other) {
				price *= guidedStays
			}
			return min(price, model.MaxSum>>16)
		})
		if len(stops) == 0 {
			return placing{} // pinned bodies are in the way everywhere
		}
		best := stops[0]
		if len(best.ejects) > 0 {
			if len(stops) > 1 && splitmix.Next(draw)%walkOdd == 0 {
				best = stops[1]
			}
			weight[body]++
		}
		g.lift(p, best.ejects...)
		g.put(p, body, best.pool, best.origin)
		pending = slices.Concat(best.ejects, pending)
	}
	return placing{}
}

// stops returns the two best places for a body.
func (g *ruledGround) stops(p placing, body int32, price func(int32) int64) (best []stop) {
	for q := range int32(len(g.pools)) {
		grid, ok := g.grid(body, q)
		if !ok {
			continue
		}
		bans := g.bans(g.s.scratch.bans[:0], body, q, p)
		g.s.scratch.bans = bans
		try := func(origin int64) {
			known := func(s stop) bool { return s.pool == q && s.origin == origin }
			if !g.mayLie(body, q, origin) || slices.ContainsFunc(best, known) {
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
				other := g.of(bans[k].buffer)
				if _, pinned := g.pinned(other); pinned {
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
		if pool, origin, ok := g.oldPlace(body); ok && pool == q {
			try(origin)
		}
		if origin, pinned := g.pinned(body); pinned {
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
