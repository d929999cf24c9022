package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestDeepen: walks within more and more excess find the cheapest assignment and no false bound, at any width and
// limit. Their bound is sometimes above the bound of one walk.
func TestDeepen(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 6))
	higher := 0
	for n := range plantest.Share(4_000, 600, 200) {
		p := drawn.Spilled(r, 6+r.IntN(8))
		if n%4 == 0 {
			p = drawn.Several(r, 3+r.IntN(4))
		}
		c, least, dearest := chosen(p)
		if c == nil {
			continue
		}
		c.Prices = c.price(context.Background(), dearest)
		for _, width := range []int{1, 4, 1_000} {
			for _, upper := range []int64{least, least + r.Int64N(dearest-least+1)} {
				limit := c.Prices.Gap(upper)
				of, bound := c.deepen(context.Background(), limit, width, nil)
				if of != nil && c.Cost(of) < least || bound < math.MaxInt64 && c.Prices.Least(bound) > least ||
					bound == math.MaxInt64 {
					t.Fatalf("width %d within %d: %v, bound %d, best %d", width, upper, of, bound, least)
				}
				if width == 1_000 && (of == nil || c.Cost(of) != least || c.Prices.Least(bound) != least) {
					t.Fatalf("width %d within %d: %v, bound %d, best %d", width, upper, of, bound, least)
				}
				if _, once := c.through(context.Background(), limit, width, nil); c.Prices.Least(bound) > c.Prices.Least(once) {
					higher++
				}
			}
			if of, bound := c.deepen(context.Background(), c.Prices.Gap(least-1), width, nil); of != nil ||
				width == 1_000 && bound != math.MaxInt64 {
				t.Fatalf("below the best: %v, %d", of, bound)
			}
		}
	}
	if t.Log(higher, "bounds are higher"); higher < 20 {
		t.Errorf("%d bounds are higher than those of one walk", higher)
	}
}
