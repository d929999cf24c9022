package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestDistanceIsThatOfTheTimeline compares every two buffers that meet, with the table of distances and without, and
// without gaps. Nothing is aligned, so nothing is rounded.
func TestDistanceIsThatOfTheTimeline(t *testing.T) {
	plain := func(seed uint64, n int) *model.Problem {
		p := plantest.Aligned(seed, n)
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 1
		}
		return p
	}
	for name, family := range map[string]func(uint64, int) *model.Problem{"plain": plain, "tapered": tapered} {
		compared := 0
		for seed := range uint64(60) {
			p := family(seed, 9)
			tl := timeline.New(p)
			if len(tl.Partitions) > 1 {
				continue
			}
			k, _ := rootOf(p, 1000, "shifts")
			for range 2 {
				for i := range k.n {
					for j := range k.n {
						d, meet := k.distance(i, j)
						want, must := tl.Distance(int(k.id[i]), int(k.id[j]))
						if i != j && (meet != must || meet && d != want) {
							t.Fatalf("%s, seed %d: from %d to %d %d %v, want %d %v", name, seed, i, j, d, meet, want, must)
						}
						compared++
					}
				}
				k.distances = nil
			}
		}
		if compared < 1000 {
			t.Errorf("%s: only %d pairs", name, compared)
		}
	}
}
