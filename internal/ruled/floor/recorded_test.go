package floor

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds the bounds of all measures, before and after the first is held. TestTrue knows the best values.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(25)
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			b.Line(kind, func(say func(...any)) {
				for _, p := range all[kind] {
					f := New(p)
					for _, hold := range p.Objective() {
						for _, m := range p.Objective() {
							say(m, f.Least(m))
						}
						f.Hold(hold, f.Least(hold)+2)
					}
				}
			})
		}
	})
}
