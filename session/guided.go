package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: if the search over ejections fails, a walk goes on from the present plan. It takes the largest buffer without a
// place, puts it where that ejects the least, and goes on with the ejected ones. Each buffer has a weight, which grows
// each time the buffer finds no free place. So buffers that are hard to place are ejected less and
// less, and the walk leaves its cycles. It ends when all have a place.
//
// The price of ejecting a buffer is at first what it costs to move it. Once it was ejected, it is its weight times a
// unit, and twice that if it lies where it lay before the call. The unit is a share of the mean cost of a
// movement, another one in each round.
//
// Invariant: buffers that have an offset never overlap.
//
// Complexity: as repair.go for a placement; at most guidedNodes placements in each round.
//
// Source: the guided ejection search of Nagata and Bräysy (2009) for routes of vehicles. Theirs also
// moves other buffers at random between placements. That was left out, since movement counts here. Tried and dropped,
// on 80 changes of B, D and J each: prices by weight times size, or times size and life, which left 25 and 30
// changes undecided where weights left 20; the buffer ejected last first, 24. Ten times as many placements gained one change of D.

const (
	guidedNodes = 2_000 // placements in each round
	guidedStays = 2     // how many times dearer a buffer is that has not moved
	guidedOdd   = 8     // one in so many placements takes the second-best place
)

// guidedUnits has the rounds: which part of the mean cost of a movement is the unit of the weights.
var guidedUnits = [...]int64{4, 16}

// guided is the second part of the step repair.
func (c *call) guided() (Answer, []int64, error) {
	draw := c.s.o.Seed
	for _, part := range guidedUnits {
		if at := c.walk(part, &draw); at != nil {
			return Answer{}, at, nil
		}
		if c.watch.Over() {
			break
		}
	}
	return Answer{}, nil, nil
}

// walk is a round. It returns nil if it found no plan.
func (c *call) walk(part int64, draw *uint64) []int64 {
	r := &c.s.scratch.repair
	r.start(c)
	sum, weights := int64(0), make([]int64, len(r.at))
	for _, price := range r.prices {
		sum = min(sum+price, model.MaxSum)
	}
	unit := max(1, min(sum/int64(len(r.prices))/part, model.MaxSum>>32))
	best := make([]spot, 0, repairWidth+1)
	for range guidedNodes {
		if len(r.pending) == 0 {
			c.moveBack(r.at)
			return r.at
		}
		if c.watch.Over() {
			break
		}
		c.nodes++
		k := r.next()
		i := r.pending[k]
		r.pending = slices.Delete(r.pending, k, k+1)
		if best = r.places(i, best[:0]); len(best) == 0 {
			break // pinned buffers are in the way everywhere
		}
		spot := best[0]
		if spot.cost > 0 {
			if len(best) > 1 && splitmix.Next(draw)%guidedOdd == 0 {
				spot = best[1]
			}
			weights[i]++
		}
		r.put(0, i, spot.offset)
		r.reprice(i, weights[i]*unit)
		for _, j := range r.ejected[0] {
			r.reprice(j, weights[j]*unit)
		}
	}
	return nil
}

// reprice sets the price of ejecting a buffer.
func (r *repairer) reprice(i int32, price int64) {
	if r.at[i] == r.c.old[i] && !r.c.mine[i] {
		price *= guidedStays
	}
	r.prices[i] = max(price, 1)
}
