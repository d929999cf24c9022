package parts

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds what is left of buffers, with no, all, and every other eviction.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(12)
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			b.Line(kind, func(say func(...any)) {
				for _, p := range all[kind] {
					every := Every(p)
					say(every.Buffer, every.First, every.From, every.Valid(), drawn.DescribeRuled(every.Problem))
					evictions := 0
					for i := range p.Buffers {
						evictions += len(evictionsOf(&p.Buffers[i]))
					}
					for _, in := range []int{1, 2, evictions + 1} {
						taken := make([]bool, evictions)
						for n := range taken {
							taken[n] = n%in == 0
						}
						q := Take(p, taken, p.Objective())
						say(q.Of, drawn.DescribeRuled(q.Problem))
					}
					say(drawn.DescribeRuled(All(p).Problem))
				}
			})
		}
	})
}
