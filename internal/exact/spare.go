package exact

import (
	"math/bits"

	"github.com/stowage-go/stowage/plan"
)

// Idea: a buffer that finds a place wherever the others go need not be searched for. At a
// node of ladder.go what is unplaced has levels from its least one to the ground, and each
// other one that is unplaced takes no more than so many of them, wherever it comes to lie. Where
// they cannot take all, the buffer is left out until the others are placed; without it
// more may be. They are put back last one first, so that each meets those only that
// were counted.
//
// It is what makes a graph of few edges easy to colour: a node with fewer neighbours than
// there are colours waits. Here the neighbours are those with windows of a few bytes in each
// other's slots, and colours are multiples of the alignment.
//
// Why it is sound: the others have a plan that goes on from the node if all have one. As all
// ranges are chosen, no level at or above its least meets what is placed and stays where it
// is; what may still be pulled up, the first that is tied to something unplaced and what
// follows it, counts like the others. What sleeps, what dominates and what has failed says
// something of plans of all; as each plan of the others makes one of all, in which they lie
// the same, it says the same of these.
//
// Invariant: spared has what was left out on the path, in that order; none of it is in set.
//
// Complexity: O(n²) for a node. Source: colouring by degrees (Kempe 1879).

// spare leaves out of a set what finds a place wherever the others go, those placed that may be
// pulled up among them.
func (l *ladder) spare(set uint32, e *rungs, pulled []int8) uint32 {
	moving, tied := uint32(0), uint32(0)
	for _, c := range pulled {
		moving |= 1 << c
		tied |= l.tied[c]
	}
	for again := true; again; {
		again = false
		for rest := set &^ tied; rest != 0; rest &= rest - 1 {
			u := bits.TrailingZeros32(rest)
			free := (l.high[u] - e[u]) / l.align[u] // one less
			for near := l.meet[u] & (set | moving); near != 0 && free >= 0; near &= near - 1 {
				free -= l.taken[bits.TrailingZeros32(near)*l.n+u]
			}
			if free >= 0 {
				set &^= 1 << u
				l.spared[l.spares] = int8(u)
				l.spares++
				again = true
			}
		}
	}
	return set
}

// fill finds levels for what was left out, the last first; x has those of all others.
func (l *ladder) fill(x *rungs) {
	for ; l.spares > 0; l.spares-- {
		u := int(l.spared[l.spares-1])
		at := max(l.low[u], l.start[u])
		for p := 0; p < l.depth; p++ { // those that are placed
			w := int(l.path[p])
			under, over := l.free[u*l.n+w], l.free[w*l.n+u]
			for k, d := len(under)-1, at-x[w]; l.meet[u]>>w&1 == 1; k-- {
				var free extent // the lowest that is left of the difference of levels
				if k >= 0 {
					free = extent{-under[k].high, -under[k].low}
				} else {
					free = over[-1-k]
				}
				if d <= free.high {
					if d < free.low {
						at = l.up(u, x[w]+free.low)
						p = -1 // all over again
					}
					break
				}
			}
		}
		x[u] = at
		l.say(plan.MovePlace, u, -at)
		l.path[l.depth] = int8(u)
		l.depth++
	}
}
