package exact

import (
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: ladder.go decides who is next in the order of levels, and a level may be counted from
// any height of a buffer, from another one for each. Two that cannot be level have their
// free ranges shared out between the orders: with those in which the one is above, or those
// in which the other is. Where one can be level with another inside it, that
// range is cut in two, and both orders have it to choose; where they can be level past one
// another, one order has a range more, and little room to be between the others. So heights
// are taken with which few pairs are like that: potentials first, as in shift.go, then one
// buffer after the other is moved to where a forbidden range of it and another begins or ends.
//
// Any heights are sound: distances and ranges are worked out from them (link).
//
// Complexity: O(n³) ranges for a sweep, of which there are a few, once for each ladder.
//
// Source: Stowage. Of the problems suite.Awkward(303000) to 322999 the 41 with a question of
// more than 60 ms take 7.8 million nodes with potentials alone, and 2.5 so.
//
// Tried and dropped: to begin with tops (seed 321067, whose windows are stairs, 778 thousand
// nodes in place of 573).

const (
	// sweepsMost is how many times all buffers are moved, at most.
	sweepsMost = 4
	// A height is above zero, however often it goes down by the sum of all sizes: the table
	// (latest.go) has no level above zero.
	middle = model.MaxSum / 8
)

// levels finds the heights from which levels are counted, the same for buffers alike.
func (l *ladder) levels(bans [][]timeline.Forbidden) {
	n, sum := l.n, int64(0)
	var first [ladderMost]int // of those alike
	for j, size := range l.size {
		sum += size
		l.shift[j] = middle
		if first[j] = j; l.twin[j] >= 0 {
			first[j] = first[l.twin[j]]
		}
	}
	if sum > middle/(2*sweepsMost*ladderMost) {
		return
	}
	for rounds, again := 0, true; again && rounds < n; rounds++ {
		again = false
		for at, b := range bans {
			if i, j := at/n, at%n; len(b) > 0 {
				last := -floor(-b[len(b)-1].Below, l.step(i, j))
				if top := l.shift[i] + l.size[i] - l.size[j] + last - 1; l.shift[j] > top {
					l.shift[j], again = top, true
				}
			}
		}
	}
	for turn := range sweepsMost * n {
		g := turn % n
		if first[g] != g {
			continue
		}
		best, at := l.excess(g, l.shift[g], &first, bans), l.shift[g]
		for i := range n {
			if best == 0 || first[i] == g {
				continue
			}
			for _, ban := range bans[i*n+g] {
				for _, level := range [2]int64{ban.Above + 1, ban.Below - 1} {
					height := level + l.shift[i] + l.size[i] - l.size[g]
					if ranges := l.excess(g, height, &first, bans); ranges < best {
						best, at = ranges, height
					}
				}
			}
		}
		for j := range n {
			if first[j] == g {
				l.shift[j] = at
			}
		}
	}
}

// excess returns how many ranges more than they need buffer g and others have, with a height
// from which its level is counted.
func (l *ladder) excess(g int, height int64, first *[ladderMost]int, bans [][]timeline.Forbidden) (ranges int) {
	for i := range l.n {
		if first[i] == g {
			continue
		}
		level, extra := height+l.size[g]-l.shift[i]-l.size[i], 0
		for k, ban := range bans[i*l.n+g] {
			extra = 2 // past it
			if level < ban.Below {
				if level > ban.Above {
					extra = 0
				} else if k > 0 {
					extra = 1
				}
				break
			}
		}
		ranges += extra
	}
	return ranges
}
