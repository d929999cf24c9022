package penalty

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds bounds and plans. TestCliques, TestSlots and TestRuin know what is true.
func TestRecorded(t *testing.T) {
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		record := func(name string, many int, draw func(r *rand.Rand) *lowered) {
			r := rand.New(rand.NewPCG(41, uint64(many)))
			b.Line(name, func(say func(...any)) {
				for seed := range uint64(many) {
					q := draw(r)
					f := q.field()
					if f == nil {
						say("too large")
						continue
					}
					say(f.Bodies(), f.LeastByCliques(t.Context()))
					offsets := f.anyPlan(r)
					if offsets == nil {
						continue
					}
					say(f.Paid(offsets))
					for _, nodes := range []int64{30, 3000} {
						own := slices.Clone(offsets)
						least, taken := f.LeastBySlots(t.Context(), own, nodes)
						say(least, taken, own, f.Paid(own))
					}
					say(f.Improve(t.Context(), offsets, seed, Limits{Steps: 300}))
					say(f.Improve(t.Context(), offsets, seed, Limits{Steps: 300, Enough: f.Paid(offsets) / 2}))
				}
			})
		}
		record("one pool", 60, onePool)
		for _, n := range []int{6, 10, 20, 30} {
			record(fmt.Sprint("crowd of ", n), 6, func(r *rand.Rand) *lowered { return lowerOne(drawn.Crowd(r, n)) })
		}
	})
}
