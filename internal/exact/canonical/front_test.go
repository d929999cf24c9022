package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/model"
)

// TestFrontsCompareOffsets has one state that failed, and asks about others.
func TestFrontsCompareOffsets(t *testing.T) {
	p := &model.Problem{}
	for _, id := range []string{"a", "b", "c"} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Upper: 1, Size: 8})
	}
	k, _ := rootOf(p, 40)
	const set = 0b0110
	k.lb[1], k.lb[2] = 8, 4
	k.beat(set)
	for _, tc := range []struct {
		set      uint64
		a, b     int64
		capacity int64
		beaten   bool
	}{
		{set, 8, 4, 40, true},
		{set, 12, 4, 40, true},
		{set, 8, 4, 39, true},
		{set, 8, 4, 41, false},
		{set, 4, 8, 40, false},
		{set, 8, 0, 40, false},
		{0b0111, 8, 4, 40, false},
	} {
		k.capacity = tc.capacity
		k.setInf(1, tc.a)
		k.setInf(2, tc.b)
		if got := k.beaten(tc.set, common.Nobody); got != tc.beaten {
			t.Errorf("%+v: beaten %v", tc, got)
		}
	}
}
