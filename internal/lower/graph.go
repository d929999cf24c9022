package lower

import (
	"math/bits"
	"slices"
)

// A graph has rows of bits: edges, and the edges that no clique covers yet.
type graph struct {
	n, words     int
	edges, fresh []uint64

	gains []int32 // of each vertex, for grow; nil before the first call
}

// freshOf returns the first neighbour of v whose edge to v is not covered, or -1.
func (g *graph) freshOf(v int32) int32 {
	for w, x := range g.fresh[int(v)*g.words : int(v+1)*g.words] {
		if x != 0 {
			return int32(w*64 + bits.TrailingZeros64(x))
		}
	}
	return -1
}

// grow returns a maximal clique that contains a and b, and marks its edges as covered. It adds the vertex with the most
// uncovered edges to the clique, the first if several have as many. gains has these numbers and is updated as the
// clique grows: counting them again took most of the time of a problem with clocks.
func (g *graph) grow(a, b int32) clique {
	row := func(bits []uint64, v int32) []uint64 { return bits[int(v)*g.words : int(v+1)*g.words] }
	candidates := slices.Clone(row(g.edges, a))
	if g.gains == nil {
		g.gains = make([]int32, g.n)
	}
	clear(g.gains)
	var x clique
	inside := make([]uint64, g.words)
	join := func(v int32) {
		x = append(x, v)
		inside[v/64] |= 1 << (v % 64)
		g.intersect(candidates, v)
		for w, word := range row(g.fresh, v) {
			for word &= candidates[w]; word != 0; word &= word - 1 {
				g.gains[w*64+bits.TrailingZeros64(word)]++
			}
		}
	}
	join(a)
	for next := b; next >= 0; {
		join(next)
		next = -1
		for w, word := range candidates {
			for ; word != 0; word &= word - 1 {
				if v := int32(w*64 + bits.TrailingZeros64(word)); next < 0 || g.gains[v] > g.gains[next] {
					next = v
				}
			}
		}
	}
	for _, v := range x {
		fresh := row(g.fresh, v)
		for w := range fresh {
			fresh[w] &^= inside[w]
		}
	}
	slices.Sort(x)
	return x
}

// intersect removes all candidates except neighbours of v.
func (g *graph) intersect(candidates []uint64, v int32) {
	for w, x := range g.edges[int(v)*g.words : int(v+1)*g.words] {
		candidates[w] &= x
	}
}
