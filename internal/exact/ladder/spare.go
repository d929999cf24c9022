package ladder

import (
	"math/bits"

	"github.com/stowage-go/stowage/plan"
)

// Idea: some unplaced buffers find a place wherever the others go. Such a buffer u is spared, that
// is, left out of the search:
//
//	levels(u) > sum over near w of taken(w, u)
//
// levels(u) is the number of aligned levels from the least level of u to the ground. taken(w, u) is the largest
// number of these levels that w can forbid, wherever w lies. Near are the buffers that u meets and that can still
// move. If the formula holds, one level is left for u. Without u the formula may hold for more buffers. fill puts the
// spared buffers back, the last one first. So each one meets only buffers that were counted.
//
// This is what makes a graph with few edges easy to colour: a node with fewer neighbours than
// colours can wait. Here two buffers are neighbours if each uses a few bytes in time slots of the
// other, and colours are multiples of the alignment.
//
// Why this is sound: a plan of all buffers that continues the node is also a plan without u. Every plan without u
// extends to a plan of all. All ranges are chosen and nothing is tied to u, so no level of u from its least one on
// meets a placed buffer that stays where it is. Placed buffers that may still be pulled up are counted as near: they
// are the first one that is tied to an unplaced buffer, and those after it. Sleep sets, dominance and stored failures
// stay valid without the spared buffers, because every plan of the rest extends to a plan of all.
//
// Invariant: spared holds the buffers that were left out on the path, in that order. None is in set.
//
// Complexity: O(n²) for a node.
// Source: colouring by degrees (Kempe 1879).

// spare returns set without the buffers that find a place wherever the others go. pulled holds the
// placed buffers that may still be pulled up.
func (l *Search) spare(set uint32, e *rungs, pulled []int8) uint32 {
	moving, tied := uint32(0), uint32(0)
	for _, c := range pulled {
		moving |= 1 << c
		tied |= l.tied[c]
	}
	for again := true; again; {
		again = false
		for rest := set &^ tied; rest != 0; rest &= rest - 1 {
			u := bits.TrailingZeros32(rest)
			free := (l.high[u] - e[u]) / l.align[u] // the number of levels, less one
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

// fill finds levels for the spared buffers, the last one first. x holds the levels of all others.
func (l *Search) fill(x *rungs) {
	for ; l.spares > 0; l.spares-- {
		u := int(l.spared[l.spares-1])
		at := max(l.low[u], l.start[u])
		for p := 0; p < l.depth; p++ { // each placed buffer
			w := int(l.path[p])
			under, over := l.free[u*l.n+w], l.free[w*l.n+u]
			for k, d := len(under)-1, at-x[w]; l.meet[u]>>w&1 == 1; k-- {
				var free extent // the next free range of the difference of levels
				if k >= 0 {
					free = extent{-under[k].high, -under[k].low}
				} else {
					free = over[-1-k]
				}
				if d <= free.high {
					if d < free.low {
						at = l.up(u, x[w]+free.low)
						p = -1 // begin again with the first placed buffer
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
