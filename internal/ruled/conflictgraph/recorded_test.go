package conflictgraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds the plans of both searches. TestEject knows the lowest.
func TestRecorded(t *testing.T) {
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, most := range []int{6, 12, 40, 100} {
			r := rand.New(rand.NewPCG(41, uint64(most)))
			b.Line(fmt.Sprintf("up to %d buffers", most), func(say func(...any)) {
				for seed := range uint64(12) {
					p := drawn(t, r, most)
					g := graphOf(p)
					for _, goal := range []int64{0, clique(g)} {
						s := New(g, goal, seed)
						s.Orders(watch())
						say(s.Offsets, s.Height, s.Steps)
						s.Eject(watch(), 600, 0)
						say(s.Offsets, s.Height, s.Steps)
						s.Eject(watch(), 2000, 2)
						say(s.Offsets, s.Height, s.Steps)
						checked(t, p, s)
					}
				}
			})
		}
	})
}
