package session

import (
	"cmp"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer without room takes a place where others lie. These are ejected, and must find a place in the same
// way. A depth-first search tries the cheapest places first. The cost of a place is the movement of the buffers
// there. Each round has a limit on the total cost, twice that of the round before. So a repair that moves little is
// found before one that moves much.
//
// Where a buffer may go: at byte 0, at the capacity, at its old offset, and directly above or below another
// buffer. Of the free places the search tries the one in the smallest gap and the highest.
//
// Cost of all places at once: with the forbidden ranges sorted by their lower ends, and again by their upper
// ends, the cost at an offset is a difference of two prefix sums:
//
//	cost(o) = cost of ranges with low < o  -  cost of ranges with high <= o
//
// Invariant: a buffer that the search has placed stays until the search takes the placement back. So each
// branch ends after at most n placements. Pinned buffers stay too.
//
// Complexity: O(n) for a node, if no buffer has gaps (shelf.go), else O(n + k log k) with k live buffers; at most
// repairNodes nodes a round, and repairRounds rounds.
//
// Source: ejection chains (Glover 1996); the bounds by cost are those of iterative deepening.

// The effort of a repair.
const (
	repairRounds = 4  // limits on the cost, each twice the one before
	repairNodes  = 60 // nodes of the first round; each round has half as many more
	repairWidth  = 6  // places tried for each buffer
)

// A repairer is the state of a repair.
type repairer struct {
	c       *call
	at      []int64
	locked  []bool  // placed by the search, or pinned
	pending []int32 // buffers without a place
	prices  []int64 // what it costs the search to eject each buffer
	nodes   int     // nodes left in this round
	shelf   shelf   // the placed buffers, by their ends
	low     []ban   // scratch of bestSpots: bans by their lower ends
	high    []ban   // and by their upper ends
	costs   []int64 // prefix sums of costs and blocked ranges, for low and high
	spots   [][]spot
	ejected [][]int32
}

// A spot is a place for a buffer: its offset, and what it costs to eject those that lie there.
type spot struct {
	offset int64
	cost   int64
	gap    int64 // free places: the size of the gap that is left; smaller is better
}

// repair is the step repair.
func (c *call) repair() (Answer, placing, error) {
	r := &c.s.scratch.repair
	r.start(c)
	budget, nodes := int64(0), repairNodes
	for range repairRounds {
		least := r.cheapest()
		if least == model.MaxSum {
			return Answer{}, placing{}, nil
		}
		budget = max(2*budget, least)
		r.nodes = nodes
		found := r.search(0, budget)
		c.nodes += int64(nodes - r.nodes)
		if found {
			p := placing{at: r.at}
			c.moveBack(p)
			return Answer{}, p, nil
		}
		if c.watch.Over() || budget >= model.MaxSum/2 {
			break
		}
		nodes += nodes / 2
	}
	return Answer{}, placing{}, nil
}

// start prepares the state.
func (r *repairer) start(c *call) {
	s := c.s
	r.c = c
	r.at = append(r.at[:0], c.at...)
	r.shelf.fill(s, r.at)
	r.locked = slices.Grow(r.locked[:0], len(c.at))[:len(c.at)]
	for i := range r.locked {
		r.locked[i] = s.p.Buffers[i].Fixed != nil
	}
	r.pending = append(r.pending[:0], c.homeless...)
	r.prices = r.prices[:0]
	for i := range c.at {
		r.prices = append(r.prices, r.price(int32(i)))
	}
	r.level(0)
}

// cheapest returns the least cost of a place for the first buffer to place; model.MaxSum if there is none.
func (r *repairer) cheapest() int64 {
	spots := r.bestSpots(r.pending[0], r.spots[0][:0])
	r.spots[0] = spots
	if len(spots) == 0 {
		return model.MaxSum
	}
	return max(spots[0].cost, 1)
}

// level makes the scratch of a depth.
func (r *repairer) level(depth int) {
	for len(r.spots) <= depth {
		r.spots = append(r.spots, make([]spot, 0, repairWidth+2))
		r.ejected = append(r.ejected, nil)
	}
}

// search places all pending buffers within a budget of cost. If it fails, it leaves the state as it was.
func (r *repairer) search(depth int, budget int64) bool {
	if len(r.pending) == 0 {
		return true
	}
	if r.nodes--; r.nodes < 0 || r.c.watch.Over() {
		return false
	}
	r.level(depth)
	k := r.next()
	last := len(r.pending) - 1
	i := r.pending[k]
	r.pending[k] = r.pending[last]
	r.pending = r.pending[:last]
	r.locked[i] = true
	r.spots[depth] = r.bestSpots(i, r.spots[depth][:0])
	for n := 0; n < len(r.spots[depth]); n++ {
		s := r.spots[depth][n]
		if s.cost > budget {
			break
		}
		r.put(depth, i, s.offset)
		if r.search(depth+1, budget-s.cost) {
			return true
		}
		r.takeBack(depth, i, last)
		if r.nodes < 0 {
			break
		}
	}
	r.locked[i] = r.c.s.p.Buffers[i].Fixed != nil
	if r.pending = append(r.pending[:last], i); k < last {
		r.pending[k], r.pending[last] = i, r.pending[k]
	}
	return false
}

// next returns which pending buffer is placed next: the pinned ones, then the largest.
func (r *repairer) next() int {
	best := 0
	for k := range r.pending {
		a, b := &r.c.s.p.Buffers[r.pending[k]], &r.c.s.p.Buffers[r.pending[best]]
		pinned := btoi(a.Fixed != nil) - btoi(b.Fixed != nil)
		if cmp.Or(pinned, cmp.Compare(a.Size, b.Size), int(r.pending[best]-r.pending[k])) > 0 {
			best = k
		}
	}
	return best
}

// put places buffer i and ejects those in its way.
func (r *repairer) put(depth int, i int32, offset int64) {
	s := r.c.s
	gone := r.ejected[depth][:0]
	if r.shelf.gaps {
		s.scratch.bans = s.bans(s.scratch.bans[:0], i, r.at)
		for _, b := range s.scratch.bans {
			if b.low < offset && offset < b.high {
				gone = append(gone, b.buffer)
			}
		}
	} else {
		gone = r.shelf.within(gone, s.life[i], offset, offset+s.p.Buffers[i].Size)
	}
	for _, j := range gone {
		r.shelf.remove(j, &s.p.Buffers[j], r.at[j])
		r.at[j] = away
	}
	r.at[i] = offset
	r.shelf.add(i, &s.p.Buffers[i], offset)
	r.ejected[depth] = gone
	r.pending = append(r.pending, gone...)
}

// takeBack undoes put; pending had left buffers before.
func (r *repairer) takeBack(depth int, i int32, left int) {
	buffers := r.c.s.p.Buffers
	r.pending = r.pending[:left]
	r.shelf.remove(i, &buffers[i], r.at[i])
	r.at[i] = away
	for _, j := range r.ejected[depth] {
		r.at[j] = r.c.at[j]
		r.shelf.add(j, &buffers[j], r.at[j])
	}
}

// bestSpots appends the best places for buffer i, the cheapest first.
func (r *repairer) bestSpots(i int32, best []spot) []spot {
	s := r.c.s
	b := &s.p.Buffers[i]
	capacity := s.p.Capacity
	r.low, r.high = r.shelf.bans(r.low[:0], r.high[:0], s, i, r.at)
	n := len(r.low)
	r.costs = zeros(r.costs, 4*(n+1))
	lows, lowBlocks, highs, highBlocks := r.costs[:n+1], r.costs[n+1:2*n+2], r.costs[2*n+2:3*n+3], r.costs[3*n+3:]
	r.sum(r.low, lows, lowBlocks)
	r.sum(r.high, highs, highBlocks)
	// try adds an offset to the best spots, if from ranges have low < offset and to ranges have high <= offset.
	last := capacity - b.Size   // the highest offset
	most := int64(model.MaxSum) // the cost of the worst spot once all are taken
	if capacity == 0 {
		last = model.MaxSum
	}
	try := func(offset int64, from, to int) {
		spot := spot{offset: offset, cost: lows[from] - highs[to]}
		if spot.cost > most || offset < 0 || offset > last || lowBlocks[from] != highBlocks[to] {
			return
		}
		if from == to { // free
			spot.gap = room(r.low, r.high, from, to, last)
		}
		if best = enter(best, spot); len(best) == repairWidth {
			most = best[repairWidth-1].cost
		}
	}
	alone := func(offset int64) {
		if offset%b.Align() == 0 {
			try(offset, below(r.low, offset), upTo(r.high, offset))
		}
	}
	if b.Fixed != nil {
		alone(*b.Fixed)
		return best
	}
	alone(0)
	if capacity > 0 {
		alone(bound.Down(capacity-b.Size, b.Align()))
	}
	if old := r.c.old[i]; old >= 0 {
		alone(old)
	}
	// The offsets above others rise with their upper ends, and those below others with their lower ends.
	for _, above := range [...]bool{true, false} {
		for k, from, to := 0, 0, 0; k < n; k++ {
			offset := bound.Up(r.high[k].high, b.Align())
			if !above {
				if r.low[k].low < 0 {
					continue
				}
				offset = bound.Down(r.low[k].low, b.Align())
			}
			for from < n && r.low[from].low < offset {
				from++
			}
			for to < n && r.high[to].high <= offset {
				to++
			}
			try(offset, from, to)
		}
	}
	return best
}

// sum sets the prefix sums of ranges: entry k is what it costs to eject the first k, and how many of these are locked.
func (r *repairer) sum(bans []ban, costs, blocks []int64) {
	for k := range bans {
		costs[k+1], blocks[k+1] = costs[k], blocks[k]
		if j := bans[k].buffer; r.locked[j] {
			blocks[k+1]++
		} else {
			costs[k+1] = min(costs[k]+r.prices[j], model.MaxSum)
		}
	}
}

// price is what it costs the search to eject buffer j: its movement, and one for the buffer.
func (r *repairer) price(j int32) int64 {
	if r.c.mine[j] || r.c.old[j] != r.at[j] {
		return 1
	}
	return min(r.c.s.cost(j)+1, model.MaxSum/2)
}

// room returns the length of the free range of offsets around a free offset, of those up to the last.
func room(low, high []ban, from, to int, last int64) int64 {
	first := int64(0)
	if to > 0 {
		first = max(first, high[to-1].high)
	}
	if from < len(low) {
		last = min(last, low[from].low)
	}
	return last - first
}

// enter adds a spot to the best ones, which are in order, without spots of the same offset.
func enter(best []spot, s spot) []spot {
	if slices.ContainsFunc(best, func(b spot) bool { return b.offset == s.offset }) {
		return best
	}
	at := slices.IndexFunc(best, func(b spot) bool { return s.cost < b.cost || s.cost == b.cost && s.gap < b.gap })
	if at < 0 {
		at = len(best)
	}
	best = slices.Insert(best, at, s)
	return best[:min(len(best), repairWidth)]
}

// below returns the number of ranges with low < offset, of those sorted by low.
func below(bans []ban, offset int64) int {
	return sort.Search(len(bans), func(k int) bool { return bans[k].low >= offset })
}

// upTo returns the number of ranges with high <= offset, of those sorted by high.
func upTo(bans []ban, offset int64) int {
	return sort.Search(len(bans), func(k int) bool { return bans[k].high > offset })
}

func byHigh(a, b ban) int { return inOrder(a.high, b.high, a.buffer, b.buffer) }
