package evictbound

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/model"
)

// TestRecorded holds bounds and covers. TestLeastPrice knows the cheapest.
func TestRecorded(t *testing.T) {
	never := func() bool { return false }
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		record := func(name string, many int, draw func(r *rand.Rand) *model.Problem) {
			b.Line(name, func(say func(...any)) {
				r := rand.New(rand.NewPCG(41, 1))
				for range many {
					p := draw(r)
					all := All(p)
					for _, slack := range []int64{0, 3} {
						l := New(p, all, slack, never)
						say(len(all), l.Fit(), l.Least(), l.LeastOfWhole(never))
						for _, enough := range []int64{0, l.Least() * 2} {
							taken, ok := l.Cheap(enough, rand.New(rand.NewPCG(41, 2)), never)
							if say(taken, ok); ok {
								say(Price(all, taken), l.Enough(taken))
							}
						}
					}
				}
			})
		}
		record("loaded", 60, drawn.Loaded)
		record("evicted", 60, drawn.Evicted)
		record("crowded, 12", 12, func(r *rand.Rand) *model.Problem { return crowded(r, 12) })
		record("crowded, 24", 4, func(r *rand.Rand) *model.Problem { return crowded(r, 24) })
	})
}
