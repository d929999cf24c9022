package spread

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
)

// TestDominance: with dominance a walk finds the same least excess from far fewer states.
func TestDominance(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 41))
	states := map[bool]int{}
	for range 20 {
		p := drawn.Spilled(r, 24)
		for i := range p.Buffers {
			p.Buffers[i].Upper += 2 + r.Int64N(8) // so that many live together
		}
		c, why := New(lower.New(p))
		if why != "" {
			continue
		}
		c.Prices = c.price(context.Background(), math.MaxInt32)
		least := map[bool]int64{}
		for _, plain := range []bool{false, true} {
			w := &walk{
				Prices: c.Prices, bodies: c.Bodies[c.Single:], cut: math.MaxInt64, room: c.RoomOf(nil), plain: plain,
			}
			for q := range c.room {
				if c.room[q] != nil {
					w.pools = append(w.pools, int32(q))
				}
			}
			if !w.strike(math.MaxInt64/4, nil) {
				t.Fatal("struck off too much")
			}
			best, ok := w.run(context.Background(), c.Sections, math.MaxInt64/4, math.MaxInt32)
			if !ok {
				t.Fatal("no assignment")
			}
			least[plain] = best.excess
			states[plain] += len(w.records)
		}
		if least[false] != least[true] {
			t.Errorf("excess %d with dominance, %d without", least[false], least[true])
		}
	}
	t.Logf("%d states with dominance, %d without", states[false], states[true])
	if states[false] > states[true]/2 {
		t.Errorf("%d states with dominance, %d without", states[false], states[true])
	}
}
