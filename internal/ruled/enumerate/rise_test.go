package enumerate

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestRise: a rise that takes thousands of rounds ends at the least offsets, and one that has no end is refuted long
// before it reaches the capacity. The inequalities are offset(1) >= offset(0) + up and offset(0) >= offset(1) + down.
func TestRise(t *testing.T) {
	const large = 1 << 31
	for _, tc := range []struct {
		aligns   []int64
		up, down int64
		want     []int64 // nil if there are no offsets
	}{
		// 8·7 and 9·7 differ by 7, and no smaller multiples do. With 6 in place of 7, each round lifts by 1 or more.
		{[]int64{8, 9}, 7, -7, []int64{56, 63}},
		{[]int64{8, 9}, 7, -6, nil},
		{[]int64{5000, 5001}, 4999, -4999, []int64{4999 * 5000, 4999 * 5001}},
		// The period of three such alignments is above any offset, so no number of rounds proves anything.
		{[]int64{large - 1, large, 1}, 2000, -2000, []int64{2000 * (large - 1), 2000 * large, 0}},
	} {
		n := len(tc.aligns)
		never := make([][]timeline.Forbidden, n)
		never[0] = []timeline.Forbidden{{Above: -1, Below: 1}} // a jump more, which is counted
		if tc.want != nil {
			never[0][0].Above = 1 // no multiple lies there
		}
		x := &search{watch: run.NewWatch(context.Background()), most: 100}
		k := &packer{
			lane: &lane{align: tc.aligns, never: never}, search: x, places: []int32{0, 1, 2}[:n],
			high: slices.Repeat([]int64{math.MaxInt64 / 4}, n), above: []more{{to: 1, by: tc.up}, {from: 1, by: tc.down}},
		}
		low := make([]int64, n)
		if risen := k.rise(low); risen != (tc.want != nil) || x.cut || risen && !slices.Equal(low, tc.want) {
			t.Errorf("%v, %d, %d: %v %v, cut %v; want %v", tc.aligns, tc.up, tc.down, risen, low, x.cut, tc.want)
		}
		x.watch.Close()
	}
}
