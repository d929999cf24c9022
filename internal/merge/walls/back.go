package walls

import "slices"

// Idea: one order of the last pile decides all piles before it. Each wall is undone in turn, the last one first: what
// began is contiguous in the order, and what ended takes its place, in its own order or in the reverse.
//
// Complexity: O(walls × items in the pile).

// back undoes the walls of a guess, and returns the offset of each item.
func (s *Search) back(g *guess) []int64 {
	at := make([]int64, len(s.items))
	order := g.pile.appendItems(nil)
	for x := g.wall; ; x = x.previous {
		sum := int64(0)
		for _, i := range order {
			at[i] = sum
			sum += s.items[i].Size
		}
		if x == nil {
			return at
		}
		began := x.begun.appendItems(nil)
		from := slices.IndexFunc(order, func(i int32) bool { return slices.Contains(began, i) })
		trees := x.ended
		if x.ref >= 0 && (slices.Index(order, x.ref) < from) != x.refBefore {
			trees = backwards(nil, trees)
		}
		var ended []int32
		for _, k := range trees {
			ended = k.appendItems(ended)
		}
		order = with(order[:from], with(ended, order[from+len(began):]...)...)
	}
}
