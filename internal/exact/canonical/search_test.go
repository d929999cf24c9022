package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// alike is aligned with two pairs of identical buffers.
func alike(seed uint64, n int) *model.Problem {
	p := plantest.Aligned(seed, n)
	for _, i := range []int{1, 3} {
		id := p.Buffers[i].ID
		p.Buffers[i] = p.Buffers[i-1]
		p.Buffers[i].ID = id
	}
	return p
}

// TestPostponementSavesPlacements counts placements, because postponement saves no nodes: a branch that it ends would
// otherwise fail when the next candidate is placed.
func TestPostponementSavesPlacements(t *testing.T) {
	p := plantest.Aligned(24, 9)
	lowest, _, _ := oracle.Lowest(p)
	count := func(on ...string) (placements int) {
		k, c := rootOf(p, lowest-1, only(on...)...)
		k.nodeLimit = common.Unlimited
		k.Tell = func(_ int, kind plan.MoveKind, _ common.Buffer, _ int64) {
			if kind == plan.MovePlace {
				placements++
			}
		}
		k.findWaiting(c)
		if r := common.Exhausted; k.infer(c) {
			if r = k.search(c); r != common.Exhausted {
				t.Fatal("outcome", r, "under the lowest height")
			}
		}
		return placements
	}
	on := []string{"canonical", "dynamic-ordering", "suffix-bound", "not-first", "lifting"}
	if with, more := count(append(on, "postponement")...), count(on...); with != 920 || more != 2009 {
		t.Errorf("%d placements with postponement, %d without", with, more)
	}
}
