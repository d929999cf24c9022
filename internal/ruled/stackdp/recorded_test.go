package stackdp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestRecorded holds what walks find. TestChoices and TestBruteForce know what is true.
func TestRecorded(t *testing.T) {
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for n, live := range []int{2, 3, 4, 5} {
			r := rand.New(rand.NewPCG(41, uint64(n)))
			b.Line(fmt.Sprintf("%d live", live), func(say func(...any)) {
				for range 12 {
					p := narrow(r, 16, live, 24)
					tl := timeline.New(p)
					for _, share := range []int64{100, 104, 115} {
						for _, width := range []int{2, 30, 2000} {
							say(Fit(t.Context(), tl, tl.LowerBound*share/100, width, 0))
						}
					}
					for _, share := range []int64{60, 75, 90} {
						q := asked(r, p, tl.LowerBound*share/100)
						q.Width = 500
						say(q.LooseFor(1), q.LooseFor(2), q.LooseFor(3))
						say(Choose(t.Context(), q))
						for _, with := range []func(){
							func() { q.Limit = 30 }, func() { q.Loose = 14 }, func() { q.Loose, q.Width = 0, 3 },
							func() { q.Any = true }, func() { q.Most = 40 }, func() { q.Room, q.Most = tl.Load, 0 },
							func() { q.Price, q.Inequalities = nil, nil },
						} {
							with()
							say(Choose(t.Context(), q))
						}
					}
				}
			})
		}
	})
}
