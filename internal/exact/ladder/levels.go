package ladder

import (
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: the level of each buffer may be counted from any height of that buffer. ladder.go orders
// buffers by level, so the heights decide which order a free range of a pair belongs to:
//
//	the two can never be level                     each range belongs to one order
//	they can be level, one inside the other        that range is cut in two: 1 more
//	they can be level, outside one another         one order has a range more, with
//	                                               little room: counted as 2
//
// This file looks for heights with few extra ranges. It starts with potentials, as canonical/shift.go does.
// Then it moves one buffer after the other to the height with the fewest extra ranges. The
// heights it tries are those where a forbidden range with another buffer begins or ends.
//
// Any heights are sound, because distances and ranges are computed from them (link).
//
// Complexity: a sweep over all buffers looks at O(n³) ranges. There are at most four sweeps, once for each ladder.
//
// Source: Stowage. Among the problems drawn.Awkward(303000) to 322999, 41 have a question of more
// than 60 ms. They take 7.8 million nodes with potentials alone, and 2.5 million with this file.
//
// Trials: docs/lab/exact.md (starting from the tops takes a third more nodes on windows that are stairs).

const (
	// sweepsMost is how many times all buffers are moved, at most.
	sweepsMost = 4
	// Heights start at middle and stay above zero, even if each sweep moves them down by the sum
	// of all sizes. The table (latest.go) needs this: it holds no level above zero.
	middle = model.MaxSum / 8
)

// levels finds the heights from which levels are counted. Identical buffers get the same height.
func (l *Search) levels(bans [][]timeline.Forbidden) {
	n, sum := l.n, int64(0)
	var first [ladderMost]int // the first of the buffers that are identical to it
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

// excess returns how many extra ranges buffer g has with all others if its level is counted from the given height.
func (l *Search) excess(g int, height int64, first *[ladderMost]int, bans [][]timeline.Forbidden) (ranges int) {
	for i := range l.n {
		if first[i] == g {
			continue
		}
		level, extra := height+l.size[g]-l.shift[i]-l.size[i], 0
		for k, ban := range bans[i*l.n+g] {
			extra = 2 // level outside one another
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
