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
// movement, another one in each walk.
//
// Invariant: buffers that have an offset never overlap.
//
// Walks differ in the unit, in their length and in what they draw (walks.go). A dear unit moves more.
//
// Complexity: as repair.go for a placement.
//
// Source: the guided ejection search of Nagata and Bräysy (2009) for routes of vehicles. Theirs also
// moves other buffers at random between placements. That was left out, since movement counts here, and since it gained nothing.
// Tried and dropped, on 80 changes of A to K that nothing decided before: random moves between placements, which found
// 15 to 21 plans where 19 were found without them in the same number of placements; units of one part in 16 and 64, 23
// plans where parts 4 and 16 gave 33; every second placement at random, 28 where every fourth gave 36. Sixteen walks of
// 16,000 placements found 61 plans, 64 walks of 2,000 found 55, and eight walks of 2,000 found 41.
// Dropped as well: hardest first, by weight times size times the square root of life, and every third placement at random. On every second
// change of A, D and K that the short and middle walks left, it finds 20 plans of 43 on A and K in 64,000 placements, where largest
// first finds 11. But the plans move more, and J then decides more by long walks. With it, and with the questions that spare.go dropped, J
// moved 3.96% of the bytes per change, where it moves 2.48%, and left 12 undecided where it leaves 14.
// A walk has 20 to 35 buffers pending most of the time. To keep them few did not help: 30,000 placements that eject only what has less
// weight (as Nagata and Bräysy do) found 13 plans of 81 on A and D, and annealing 0 to 5 of 46. Exact search for the rest once a single
// buffer is pending has little to do: that is so in 183 of 1.8 million placements of A.
// Before that, on 80 changes of B, D and J each: prices by weights times size, or times size and life, which left 25 and 30
// changes undecided where weights left 20; the buffer ejected last first, 24.

// guidedStays is how many times dearer a buffer is that has not moved.
const guidedStays = 2

// guided is a walk of some placements. part is the part of the mean cost of a movement that is the unit of the weights, and one in odd
// placements that eject takes another than the best place. It returns nil if it found no plan.
func (c *call) guided(placements int, part int64, odd uint64, draw *uint64) []int64 {
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
	return nil
}

// reprice sets the price of ejecting a buffer.
func (r *repairer) reprice(i int32, price int64) {
	if r.at[i] == r.c.old[i] && !r.c.mine[i] {
		price *= guidedStays
	}
	r.prices[i] = max(price, 1)
}
