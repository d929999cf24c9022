package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/model"
)

// TestLiftingRaisesAlongAChain has three buffers that wait, each raised by the one before:
// their bounds are the least distances from the first.
func TestLiftingRaisesAlongAChain(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 5},
		{ID: "b", Lower: 1, Upper: 4, Size: 3},
		{ID: "c", Lower: 3, Upper: 6, Size: 2},
		{ID: "d", Lower: 5, Upper: 7, Size: 4},
	}}
	k, c := rootOf(p, 20)
	for j := common.Buffer(1); j < 4; j++ {
		k.waiting.set[0] |= 1 << j
	}
	if !k.lift(c) {
		t.Fatal("a buffer cannot be raised")
	}
	for j, want := range []int64{0, 5, 8, 10} {
		if k.inf[j] != want {
			t.Errorf("buffer %d is raised to %d, want %d", j, k.inf[j], want)
		}
	}
}

// TestLiftingFailsWithoutARaiser has all buffers wait: nothing can raise the lowest.
func TestLiftingFailsWithoutARaiser(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 2, Size: 4}, {ID: "b", Upper: 1, Size: 2}, {ID: "c", Upper: 2, Size: 1},
	}}
	k, c := rootOf(p, 100)
	k.waiting.set[0] = 1<<3 - 1
	if k.lift(c) {
		t.Error("buffers that all wait are raised to", k.inf)
	}
}
