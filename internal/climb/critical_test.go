package climb

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNear draws moves on a chain of ten links in an order of 100 buffers. Without moves that ignore the chain, a link
// goes to one of the four links below it, the bottom followed by the top. With such moves alone, it goes anywhere.
func TestNear(t *testing.T) {
	chain := []int{70, 10, 55, 3, 99, 42, 8, 61, 27, 90}
	w := &worker{search: &search{}, rng: rand.New(rand.NewPCG(1, 1))}
	w.critical.chain, w.critical.order = chain, make([]int32, 100)
	down, anywhere := map[int]int{}, map[int]bool{}
	for range 4000 {
		p, q := w.places()
		k, l := slices.Index(chain, p), slices.Index(chain, q)
		if k < 0 || l < 0 {
			t.Fatalf("a move from place %d to %d leaves the chain", p, q)
		}
		down[(l-k+len(chain))%len(chain)]++
	}
	if got := slices.Sorted(maps.Keys(down)); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("moves go %v links down, want 1 to 4", got)
	}
	w.sw.random = 100
	for range 4000 {
		_, q := w.places()
		anywhere[q] = true
	}
	if len(anywhere) != 100 {
		t.Errorf("moves that ignore the chain go to %d of 100 places", len(anywhere))
	}
}
