package lower_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecorded holds the strip of each pool with all buffers that may be in it. TestStrips knows which plans are valid.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(25)
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			b.Line(kind, func(say func(...any)) {
				for _, p := range all[kind] {
					l := lower.New(p)
					for pool := range l.Pools {
						// A body is in a pool with all of its members.
						var members []int32
						for i := range p.Buffers {
							members = append(members, int32(i))
						}
						s := l.Strip(int32(pool), members, nil)
						say(s.Members, s.Body, s.At, s.Reserved, s.Edges, s.ClocksAlone, s.Impossible, drawn.Describe(s.Problem))
					}
				}
			})
		}
	})
}
