package lower

import (
	"math/rand/v2"
	"testing"
)

// TestAntichain compares the weight of antichains of random partial orders with the largest over all sets.
func TestAntichain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		n := 1 + rng.IntN(11)
		weight := make([]int64, n)
		clock := make([][3]int, n) // points, ordered if one is at most the other in each of three ways
		for k := range n {
			weight[k] = 1 + rng.Int64N(9)
			clock[k] = [3]int{rng.IntN(6), rng.IntN(6), rng.IntN(6)}
		}
		less := func(a, b int) bool {
			x, y := clock[a], clock[b]
			return x != y && x[0] <= y[0] && x[1] <= y[1] && x[2] <= y[2]
		}
		before := make([][]int32, n)
		for a := range n {
			for b := range n {
				if less(a, b) {
					before[a] = append(before[a], int32(b))
				}
			}
		}
		sum := func(set []int32) (all int64) {
			for k, a := range set {
				all += weight[a]
				for _, b := range set[:k] {
					if less(int(a), int(b)) || less(int(b), int(a)) {
						return -1
					}
				}
			}
			return all
		}
		most := int64(0)
		for bits := range 1 << n {
			var set []int32
			for a := range n {
				if bits>>a&1 == 1 {
					set = append(set, int32(a))
				}
			}
			most = max(most, sum(set))
		}
		if got := sum(antichain(weight, before)); got != most {
			t.Fatalf("%v %v: %d, want %d", weight, clock, got, most)
		}
	}
}
