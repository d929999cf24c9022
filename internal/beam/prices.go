package beam

import "math/bits"

// Idea: two buffers that want the same place take it from each other in turn, until the price of one has grown so much
// that the other looks elsewhere. Prices grow for as long as an attempt runs, so this takes longer and longer. Hence
// what was just placed costs more for a while (hold): who comes next finds another place first, and the two are apart.
// And a buffer that has often found no place comes back earlier than its area says (urgent), before others have taken
// what it needs.
//
// Both are for tails: where no buffer takes an eighth of the memory they were not measured to help.
//
// Invariant: a buffer that is placed costs its own price, or holdTimes as much for the holdNodes nodes after the one
// that placed it. Own prices never fall.
//
// Complexity: O(1) a node.
//
// Source: a tabu list (Glover, "Tabu search, part I", 1989), with a price in place of a ban. Variables that fail often
// come first in constraint solvers, too (Boussemart and others, "Boosting systematic search by weighting
// constraints", 2004).
//
// Trials: docs/lab/planners.md.

const (
	// holdNodes is for how many nodes a buffer costs holdTimes its own price.
	holdNodes, holdTimes = 10, 2
	// tailPart is the part of the memory from which on a buffer makes a tail.
	tailPart = 8
	// urgency divides the logarithm of a price. Where the price is costMost a buffer comes back as one of the area
	// times the 2nd root of costMost does.
	urgency = 2
	// fractionBits is how many bits a logarithm has behind the point.
	fractionBits = 10
)

// prices are what buffers cost that are in the way of others.
type prices struct {
	own    []int64          // by buffer
	recent [holdNodes]int32 // what the last nodes have placed
	placed []int64          // by buffer: the node that placed it last
	extent []int64          // by buffer: the logarithm of its area
}

// newPrices makes room for the prices of n buffers.
func (e *ejection) newPrices(n int) {
	e.cost, e.own, e.placed, e.extent = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for k := range n {
		e.extent[k] = logarithm(e.size[k]) + logarithm(max(1, e.lives(int32(k))))
	}
}

// resetPrices makes all prices equal.
func (e *ejection) resetPrices() {
	for k := range e.own {
		e.own[k], e.cost[k] = costUnit, costUnit
	}
	for r := range e.recent {
		e.recent[r] = none
	}
}

// raise makes a buffer cost more that has found no free place.
func (e *ejection) raise(k int32) {
	e.own[k] = min(e.own[k]+e.step, costMost)
	e.cost[k] = e.own[k]
}

// hold makes a buffer cost more that the present node has placed. One that an earlier node has placed costs its own
// price again.
func (e *ejection) hold(k int32) {
	slot := &e.recent[e.try.count%holdNodes]
	if j := *slot; j != none && e.placed[j] == e.try.count-holdNodes {
		e.cost[j] = e.own[j]
	}
	*slot, e.placed[k] = k, e.try.count
	e.cost[k] = min(holdTimes*e.own[k], costMost)
}

// persevere gives the next attempts more patience.
func (e *ejection) persevere() {
	if e.tail {
		e.usual = min(2*e.usual, patienceMost)
		e.patience = e.usual
	}
}

// key is the place of a buffer among those that are out, with its number: the least comes back first.
func (e *ejection) key(k int32) int64 {
	if !e.settings.urgent || !e.tail {
		return int64(e.rank[k])<<costBits | int64(k)
	}
	const most = 128 << fractionBits
	return (most-e.extent[k]-logarithm(e.own[k])/urgency)<<costBits | int64(k)
}

// logarithm returns the logarithm of a positive number to the base 2, with fractionBits bits behind the point. Between
// powers of two it is a straight line.
func logarithm(v int64) int64 {
	whole := bits.Len64(uint64(v)) - 1
	return int64(whole-1)<<fractionBits + v<<fractionBits>>whole
}

// drop takes a buffer out.
func (e *ejection) drop(k int32) {
	if s := &e.spots[k]; s.placed {
		if s.placed = false; e.settings.slide {
			e.unlink(k)
		}
	}
	h := append(e.out, e.key(k))
	for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	e.out = h
}

// pop returns the buffer that comes back next.
func (e *ejection) pop() int32 {
	h := e.out
	k := int32(h[0] & costMost)
	h[0] = h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; ; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if c >= len(h) || h[i] <= h[c] {
			break
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
	e.out = h
	return k
}
