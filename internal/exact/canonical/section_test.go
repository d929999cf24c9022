package canonical

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestCheckSection has sections that only one of the two inferences refutes. Each inference refutes its own sections,
// and none if it is off.
func TestCheckSection(t *testing.T) {
	for _, tc := range []struct {
		name   string
		bounds [3]int64 // least offsets of buffers of sizes 4, 4 and 2; the capacity is 11
		off    string
		fits   bool
		raised [3]int64
	}{
		{"neither", [3]int64{0, 1, 0}, "", true, [3]int64{0, 1, 0}},
		{"what is above 7 does not fit", [3]int64{0, 7, 7}, "", false, [3]int64{0, 7, 7}},
		{"what is above 7 does not fit, unseen", [3]int64{0, 7, 7}, "suffix-bound", true, [3]int64{0, 7, 7}},
		{"the second is not lowest", [3]int64{0, 2, 1}, "", true, [3]int64{0, 3, 1}},
		{"the second is not lowest, unseen", [3]int64{0, 2, 1}, "not-first", true, [3]int64{0, 2, 1}},
		{"the second is not lowest, without the other", [3]int64{0, 2, 1}, "suffix-bound", true, [3]int64{0, 3, 1}},
	} {
		p := &model.Problem{}
		for i, size := range []int64{4, 4, 2} {
			p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + i)), Lower: 0, Upper: 1, Size: size})
		}
		tl := timeline.New(p)
		k := New(tl, &tl.Partitions[0], switchesOf([]string{tc.off}), common.Limits{}, run.NewWatch(context.Background()))
		k.ranks.order = "TWA"
		k.SetCapacity(11)
		k.root()
		for j, bound := range tc.bounds {
			if bound > 0 {
				k.setInf(common.Buffer(j), bound)
			}
		}
		if fits := k.checkSection(0); fits != tc.fits || [3]int64(k.inf) != tc.raised {
			t.Errorf("%s: fits %v, bounds %v, want %v and %v", tc.name, fits, k.inf, tc.fits, tc.raised)
		}
	}
}
