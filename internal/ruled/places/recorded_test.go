package places

import (
	"maps"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/model"
)

// TestRecorded holds places, distances and proofs. TestSound, TestTwo and TestExact know what is true.
func TestRecorded(t *testing.T) {
	all := recorded.Rules(25)
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			b.Line(kind, func(say func(...any)) {
				for _, p := range all[kind] {
					say(None(p))
					if proof := Prove(p, asIs); proof != nil {
						say(*proof)
					}
					if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
						continue
					}
					c := model.NewConflicts(p)
					sets, pairs := Find(p, c), NewPairs(p, c)
					say(sets.None())
					for i := range int32(len(p.Buffers)) {
						for pool := range int32(len(p.AllPools())) {
							say(sets.May(i, pool))
						}
						for j := range i {
							pairs.Between(i, j, func(low, high int64) { say(low, high) })
						}
					}
				}
			})
		}
	})
}
