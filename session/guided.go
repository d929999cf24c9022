package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: if the search over ejections fails, a walk goes on from the present plan. It takes the largest buffer without
// a place, puts it where that ejects the least, and goes on with the ejected buffers. Each buffer has a weight, which
// grows each time the buffer finds no free place. So buffers that are hard to place are ejected less and less, and
// the walk leaves its cycles. It ends when every buffer has a place.
//
// The price of ejecting a buffer is at first the cost of moving it. After its first ejection the price is its weight
// times a unit, and twice that if it is at its old offset. The unit is a share of the mean cost of a movement, which
// differs from walk to walk.
//
// Invariant: buffers that have an offset never overlap.
//
// Walks differ in the unit, in their length and in what they draw (walks.go). A dear unit moves more.
//
// Complexity: as repair.go for a placement.
//
// Source: the guided ejection search of Nagata and Bräysy (2009) for routes of vehicles. Their random moves between
// placements are left out: they gained nothing, and movement counts here. Trials: docs/lab/session.md.

// guidedStays is how many times dearer a buffer is that has not moved.
const guidedStays = 2

// guided is a walk of some placements. part is the part of the mean cost of a movement that is the unit of the weights,
// and one in odd placements that eject takes another than the best place. It returns nil if it found no plan.
func (c *call) guided(placements int, part int64, odd uint64, draw *uint64) placing {
	r := &c.s.scratch.repair
	r.start(c)
	sum, weights := int64(0), make([]int64, len(r.at))
	for _, price := range r.prices {
		sum = min(sum+price, model.MaxSum)
	}
	unit := max(1, min(sum/int64(len(r.prices))/part, model.MaxSum>>32))
	best := make([]spot, 0, repairWidth+1)
	for range placements {
		if len(r.pending) == 0 {
			p := placing{at: r.at}
			c.moveBack(p)
			return p
		}
		if c.watch.Over() {
			break
		}
		c.nodes++
		k := r.next()
		i := r.pending[k]
		r.pending = slices.Delete(r.pending, k, k+1)
		if best = r.bestSpots(i, best[:0]); len(best) == 0 {
			break // pinned buffers are in the way everywhere
		}
		spot := best[0]
		if spot.cost > 0 {
			if len(best) > 1 && splitmix.Next(draw)%odd == 0 {
				spot = best[1+splitmix.Next(draw)%uint64(len(best)-1)]
			}
			weights[i]++
		}
		r.put(0, i, spot.offset)
		r.reprice(i, weights[i]*unit)
		for _, j := range r.ejected[0] {
			r.reprice(j, weights[j]*unit)
		}
	}
	return placing{}
}

// reprice sets the price of ejecting a buffer.
func (r *repairer) reprice(i int32, price int64) {
	if r.at[i] == r.c.old[i] && !r.c.mine[i] {
		price *= guidedStays
	}
	r.prices[i] = max(price, 1)
}
