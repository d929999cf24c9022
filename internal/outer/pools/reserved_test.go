package pools

import (
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/model"
)

// TestHopeless: a case is left out only if a buffer is longer than every hole below its limit, or the load above the holes together. If they are
// just as large, it is asked about.
func TestHopeless(t *testing.T) {
	for _, x := range []struct {
		sizes    []int64
		capacity int64
		first    int
		possible bool
	}{
		{[]int64{4, 3}, 20, 0, true}, // 7 below the first range
		{[]int64{4, 4}, 20, 1, true}, // 8 do not fit there, 7 + 2 below the second
		{[]int64{4, 5}, 20, 1, true},
		{[]int64{4, 6}, 20, 2, true}, // above the second
		{[]int64{8}, 20, 2, true},    // longer than the first two holes
		{[]int64{8}, 19, 2, false},
		{[]int64{7, 2, 8}, 20, 2, true}, // all that is free
		{[]int64{7, 2, 7, 2}, 20, 2, false},
	} {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x", Capacity: x.capacity, Reserved: []model.Range{{Lower: 7, Upper: 8}, {Lower: 10, Upper: 12}}}}}}
		var all []int32
		for k, size := range x.sizes {
			p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + k)), Upper: 2, Size: size})
			all = append(all, int32(k))
		}
		if first, possible := hopeless(lower.New(p).Strip(0, all, nil), 2, x.capacity); first != x.first || possible != x.possible {
			t.Errorf("%v in %d: %d, %v; want %d, %v", x.sizes, x.capacity, first, possible, x.first, x.possible)
		}
	}
}
