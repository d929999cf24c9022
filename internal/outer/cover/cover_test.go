package cover

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestLeastPrice holds the bound of the loads against every cover, and a cheap cover against the cheapest.
func TestLeastPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 9))
	tight, rowed, all, cheapest := 0, 0, 0, 0
	never := func() bool { return false }
	for range plantest.Share(5_000, 600, 300) {
		p := drawn.Loaded(r)
		evictions := All(p)
		loads := New(p, evictions, 0, never)
		if loads.Fit() {
			continue
		}
		best := int64(-1)
		for set := range 1 << len(evictions) {
			taken := make([]bool, len(evictions))
			for k := range taken {
				taken[k] = set>>k&1 == 1
			}
			if price := Price(evictions, taken); loads.Covers(taken) && (best < 0 || price < best) {
				best = price
			}
		}
		bound := loads.Least()
		if best < 0 {
			continue // no set frees enough
		}
		if all++; bound > best {
			t.Fatalf("the bound is %d, but there is a cover for %d\n%s", bound, best, drawn.DescribeRuled(p))
		} else if bound == best {
			tight++
		}
		whole := loads.LeastOfWhole(never)
		if whole < bound || whole > best {
			t.Fatalf("the bound with a row is %d, the other %d, the best %d\n%s", whole, bound, best, drawn.DescribeRuled(p))
		} else if whole == best {
			rowed++
		}
		taken, ok := loads.Cheap(bound, r, never)
		if !ok || !loads.Covers(taken) {
			t.Fatalf("a cover that covers nothing: %v\n%s", taken, drawn.DescribeRuled(p))
		}
		if Price(evictions, taken) == best {
			cheapest++
		}
	}
	t.Logf("the bound is met in %d of %d, with a row in %d, and %d covers are the cheapest", tight, all, rowed, cheapest)
	if tight*6 < all || rowed*2 < all || cheapest*100 < all*98 {
		t.Errorf("the bound is met in %d of %d, and %d covers are the cheapest", tight, all, cheapest)
	}
}
