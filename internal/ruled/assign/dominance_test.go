package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
)

// TestDominance: with dominance, a walk of few states finds the least excess without a cut if a walk without it has
// to cut states off.
func TestDominance(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 41))
	met, whole := 0, map[bool]int{}
	for range 20 {
		p := drawn.Spilled(r, 24)
		for i := range p.Buffers {
			p.Buffers[i].Upper += 2 + r.Int64N(8) // so that many live together
		}
		c, why := choicesOf(p)
		if why != "" {
			continue
		}
		met++
		c.Prices = c.price(context.Background(), math.MaxInt32)
		run := func(plain bool, width int) (least, cut int64) {
			w := c.walkOf(plain)
			if !w.strike(math.MaxInt64/4, nil) {
				t.Fatal("struck off too much")
			}
			best, ok := w.run(context.Background(), c.Sections, math.MaxInt64/4, width)
			if !ok {
				t.Fatal("no assignment")
			}
			return best.excess, w.cut
		}
		want, _ := run(true, math.MaxInt32)
		for _, plain := range []bool{false, true} {
			least, cut := run(plain, 150)
			if least < want || min(least, cut) > want {
				t.Errorf("without dominance is %v: excess %d, and %d is cut off; the least is %d", plain, least, cut, want)
			}
			if cut == math.MaxInt64 {
				whole[plain]++
			}
		}
	}
	t.Logf("of %d walks, %d cut nothing off with dominance, and %d without", met, whole[false], whole[true])
	if whole[false] < met*3/4 || whole[true] > met/2 {
		t.Errorf("of %d walks, %d cut nothing off with dominance, and %d without", met, whole[false], whole[true])
	}
}
