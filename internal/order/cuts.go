package order

import (
	"cmp"
	"slices"
)

// Idea: an operator that comes before or after every other one cuts the program in two: whatever the order, all its
// ancestors run before it and all its descendants after it. What is live between does not depend on the order, so
// each part can be ordered by itself, and
//
//	lowest peak = max over the parts of their lowest peaks
//
// A part whose order is within the bound of another needs no search. Without the cuts, a search that fails in one
// part would try every order of the parts before it again.
//
// Invariant: each part ends with a cutting operator, the last one with the last operator.
//
// Complexity: O(operators × operators / 64).
//
// Source: divide and conquer of SERENITY (Ahn et al. 2020).

// part is a stretch of an order: places from until before to.
type part struct {
	from, to int
	peak     int64
}

// cut returns the parts of an order, the one with the highest peak first. In every order, the operators of a part
// are next to each other.
func (g *graph) cut(r *reach, order []int32) []part {
	n := g.operators()
	number := make([]int32, n) // of the part, from 1
	count := int32(0)
	for _, o := range g.topological() {
		if r.above(o).count()+r.below(o).count() == n-1 {
			// It and those of its ancestors that are in no part yet are the next one.
			count++
			number[o] = count
			for q := range number {
				if number[q] == 0 && r.above(o).has(int32(q)) {
					number[q] = count
				}
			}
		}
	}
	for q := range number {
		if number[q] == 0 { // after the last cut
			number[q] = count + 1
		}
	}
	var parts []part
	w := newWalk(g)
	for k, o := range order {
		if k == 0 || number[o] != number[order[k-1]] {
			parts = append(parts, part{from: k})
		}
		last := &parts[len(parts)-1]
		during, _ := w.cost(o)
		last.to, last.peak = k+1, max(last.peak, during)
		w.run(o)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.peak, a.peak) })
	return parts
}
