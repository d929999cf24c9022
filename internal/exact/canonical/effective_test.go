package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// coarse returns n buffers with alignment 4, except the first. So sizes are not rounded for all of them.
func coarse(seed uint64, n int) *model.Problem {
	p := plantest.Aligned(seed, n)
	for i := range p.Buffers[1:] {
		p.Buffers[1+i].Alignment = 4
	}
	p.Buffers[0].Alignment = 1
	return p
}

// TestEffectiveSize has a buffer of 5 bytes with nothing less than 8 above it, and one of 6
// bytes with a neighbour that needs no alignment.
func TestEffectiveSize(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 5, Alignment: 4},
		{ID: "b", Lower: 0, Upper: 3, Size: 6, Alignment: 4},
		{ID: "c", Lower: 1, Upper: 2, Size: 4, Alignment: 8},
		{ID: "d", Lower: 2, Upper: 4, Size: 3, Alignment: 1},
	}}
	k, _ := rootOf(p, 18)
	for x, want := range []int64{8, 6, 4, 3} {
		if k.block[x].size != want {
			t.Errorf("piece %d has the effective size %d, want %d", x, k.block[x].size, want)
		}
	}
	// a may lie at 12, where it would end at 20.
	for s, want := range []int64{-2, 0} {
		if k.effective.allowance[s] != want {
			t.Errorf("section %d is allowed %d, want %d", s, k.effective.allowance[s], want)
		}
	}
}
