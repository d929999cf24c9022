package choice

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestDistanceRides: a buffer that may lie over one that dies moves there at the end, either way round.
func TestDistanceRides(t *testing.T) {
	for _, moves := range []int{0, 1} {
		p := &model.Problem{Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "fast", Capacity: 8}, {ID: "slow", Cost: 1}},
			Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 0}},
		}, Buffers: []model.Buffer{{ID: "x", Size: 8, Upper: 2}, {ID: "y", Size: 8, Lower: 1, Upper: 3}}}
		c, _ := chooserOf(p, find(t, "exact"))
		of, offsets := []int32{0, 0}, []int64{0, 0}
		of[moves] = 1
		if !c.cheapen(of, offsets) || !slices.Equal(of, []int32{0, 0}) {
			t.Errorf("buffer %d stays in the slow pool", moves)
		}
	}
}
