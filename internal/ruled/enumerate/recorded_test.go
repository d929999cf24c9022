package enumerate

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds plans and nodes, with more and fewer nodes, and from a known plan. TestBest knows the best.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(8)
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			b.Line(kind, func(say func(...any)) {
				for _, p := range all[kind] {
					if say(Takes(p, Buffers), Takes(p, 4)); !Takes(p, Buffers) {
						continue
					}
					o := Options{Nodes: 4000}
					for range 3 {
						got := Plan(t.Context(), p, p.Objective(), o)
						if say(got.Done, got.Nodes); got.Plan == nil {
							break
						}
						o.Values = measuresOf(p, got.Plan)
						say(*got.Plan, o.Values)
						o.Values[len(o.Values)-1]++
						o.Nodes /= 3
					}
				}
			})
		}
	})
}
