package lower

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// growAnew is grow, but counts anew how many edges each vertex would cover.
func growAnew(g *graph, a, b int32) clique {
	has := func(bits []uint64, v, u int32) bool { return bits[int(v)*g.words+int(u)/64]&(1<<(u%64)) != 0 }
	x := clique{a, b}
	for {
		best, most := int32(-1), -1
		for v := range int32(g.n) {
			count := 0
			for _, u := range x {
				if has(g.fresh, v, u) {
					count++
				}
			}
			if !slices.ContainsFunc(x, func(u int32) bool { return !has(g.edges, v, u) }) && count > most {
				best, most = v, count
			}
		}
		if best < 0 {
			break
		}
		x = append(x, best)
	}
	for _, v := range x {
		for _, u := range x {
			g.fresh[int(v)*g.words+int(u)/64] &^= 1 << (u % 64)
		}
	}
	slices.Sort(x)
	return x
}

// TestGrow covers random graphs by cliques, and compares each with one that is counted anew.
func TestGrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	grown := 0
	for range 100 {
		n := 2 + rng.IntN(140)
		words := (n + 63) / 64
		edges := make([]uint64, n*words)
		for share, i := rng.Float64(), 0; i < n; i++ {
			for j := range i {
				if rng.Float64() < share {
					edges[i*words+j/64] |= 1 << (j % 64)
					edges[j*words+i/64] |= 1 << (i % 64)
				}
			}
		}
		g := &graph{n: n, words: words, edges: edges, fresh: slices.Clone(edges)}
		h := &graph{n: n, words: words, edges: edges, fresh: slices.Clone(edges)}
		for v := range int32(n) {
			for u := g.freshOf(v); u >= 0; u = g.freshOf(v) {
				if got, want := g.grow(v, u), growAnew(h, v, u); !slices.Equal(got, want) || !slices.Equal(g.fresh, h.fresh) {
					t.Fatalf("%d vertices: from %d and %d grows %v, want %v", n, v, u, got, want)
				}
				grown++
			}
		}
	}
	if grown < 10000 {
		t.Errorf("%d cliques", grown)
	}
}
