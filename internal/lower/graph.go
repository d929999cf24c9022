package lower

import (
	"math/bits"
	"slices"
)

// A graph has rows of bits: edges, and the edges that no clique covers yet.
type graph struct {
	n, words     int
	edges, fresh []uint64
}

// freshOf returns the first vertex with which v has an edge that is not covered, or -1.
func (g *graph) freshOf(v int32) int32 {
	for w, x := range g.fresh[int(v)*g.words : int(v+1)*g.words] {
		if x != 0 {
			return int32(w*64 + bits.TrailingZeros64(x))
		}
	}
	return -1
}

// grow returns a clique with a and b in it, which no vertex can join, and covers its edges.
func (g *graph) grow(a, b int32) clique {
	x := clique{a, b}
	candidates := slices.Clone(g.edges[int(a)*g.words : int(a+1)*g.words])
	g.keep(candidates, b)
	for {
		best, most := int32(-1), -1
		for w, word := range candidates {
			for ; word != 0; word &= word - 1 {
				v := int32(w*64 + bits.TrailingZeros64(word))
				count := 0
				for _, u := range x {
					if g.fresh[int(v)*g.words+int(u)/64]&(1<<(u%64)) != 0 {
						count++
					}
				}
				if count > most {
					best, most = v, count
				}
			}
		}
		if best < 0 {
			break
		}
		x = append(x, best)
		g.keep(candidates, best)
	}
	for _, v := range x {
		for _, u := range x {
			g.fresh[int(v)*g.words+int(u)/64] &^= 1 << (u % 64)
		}
	}
	slices.Sort(x)
	return x
}

// keep leaves only neighbours of v.
func (g *graph) keep(candidates []uint64, v int32) {
	for w, x := range g.edges[int(v)*g.words : int(v+1)*g.words] {
		candidates[w] &= x
	}
}
