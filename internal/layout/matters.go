package layout

import (
	"cmp"
	"slices"
)

// Idea: a large problem has more pieces than a picture has room for. Their area on the page does not say which of them
// to show: what sets the peak is often large and live for an instant, thinner than a pixel. So pieces are ranked by
// what they have to do with the height first, and only then by area. What has a rank is drawn as itself, widened to be
// seen, whatever its size on the page.
//
// A moment matters where the load is at its peak or the plan at its height. A plan can be at either all the time, as a
// tiling is; then nearly every piece has a rank, the ranks hold no more than a part of the room, and the largest have
// it.
//
// Complexity: O(p log p) for p pieces.

// The ranks, the first to be drawn first.
const (
	faulty   uint8 = iota // breaks a rule of the plan
	topmost               // ends at the height
	largest               // one of the largest of all
	peaking               // live when the load or the plan is highest
	ordinary              // the rest, by area
)

// ranks returns the rank of each piece.
func (g *page) ranks(offsets []int64, height int64, broken []bool) []uint8 {
	ranks := make([]uint8, len(g.pieces))
	spans := g.highest(offsets, height)
	for k, c := range g.pieces {
		switch {
		case broken[c.buffer]:
			ranks[k] = faulty
		case offsets[c.buffer]+c.to == height:
			ranks[k] = topmost
		case liveIn(spans, c):
			ranks[k] = peaking
		default:
			ranks[k] = ordinary
		}
	}
	bySize := make([]int32, len(g.pieces))
	for k := range bySize {
		bySize[k] = int32(k)
	}
	slices.SortFunc(bySize, g.largerFirst)
	for _, k := range bySize[:min(len(bySize), g.medium.Singles/10)] {
		ranks[k] = min(ranks[k], largest)
	}
	return ranks
}

// largerFirst orders pieces by size, then as they come.
func (g *page) largerFirst(a, b int32) int {
	return cmp.Or(cmp.Compare(g.pieces[b].to-g.pieces[b].from, g.pieces[a].to-g.pieces[a].from), cmp.Compare(a, b))
}

// A span is a stretch of time.
type span struct{ lower, upper int64 }

// highest returns the spans in which the load is at its peak or a piece ends at
// the height, disjoint and in ascending order.
func (g *page) highest(offsets []int64, height int64) []span {
	var all []span
	for k, load := range g.load.Loads {
		if load == g.load.Peak && load > 0 {
			all = append(all, span{g.load.Times[k], g.load.Times[k+1]})
		}
	}
	for _, c := range g.pieces {
		if offsets[c.buffer]+c.to == height {
			all = append(all, span{c.lower, c.upper})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.lower, b.lower) })
	var joined []span
	for _, s := range all {
		if n := len(joined); n > 0 && s.lower <= joined[n-1].upper {
			joined[n-1].upper = max(joined[n-1].upper, s.upper)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// liveIn reports whether a piece is live in one of the spans.
func liveIn(spans []span, c piece) bool {
	k, _ := slices.BinarySearchFunc(spans, c.lower, func(s span, at int64) int { return cmp.Compare(s.upper, at+1) })
	return k < len(spans) && spans[k].lower < c.upper
}
