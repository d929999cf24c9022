package lower

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHeavySearch compares the heaviest clique of random graphs with all sets. Weights are small, so that many
// cliques are heavier than the next by 1.
func TestHeavySearch(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 24))
	for range 400 {
		n := 1 + r.IntN(11)
		s := heavySearch{n: n, words: 1, adjacent: make([]uint64, n), weight: make([]int64, n)}
		for v := range s.weight {
			s.weight[v] = 1 + r.Int64N(4)
		}
		slices.SortFunc(s.weight, func(x, y int64) int { return int(y - x) })
		for v := range n {
			for u := range v {
				if r.IntN(3) > 0 {
					s.adjacent[v] |= 1 << u
					s.adjacent[u] |= 1 << v
				}
			}
		}
		most := int64(0)
		for set := uint64(0); set < 1<<n; set++ {
			sum, clique := int64(0), true
			for left := set; left != 0; left &= left - 1 {
				v := bits.TrailingZeros64(left)
				sum += s.weight[v]
				clique = clique && set&^(1<<v)&^s.adjacent[v] == 0
			}
			if clique {
				most = max(most, sum)
			}
		}
		s.run()
		sum := int64(0)
		for k, v := range s.best {
			sum += s.weight[v]
			for _, u := range s.best[:k] {
				if s.adjacent[v]>>u&1 == 0 {
					t.Fatalf("%v is no clique", s.best)
				}
			}
		}
		if s.most != most || sum != most {
			t.Fatalf("a clique of %d, said to be %d; the heaviest is %d", sum, s.most, most)
		}
	}
}
