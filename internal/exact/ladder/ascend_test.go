package ladder

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestAscendingTakesFewNodes asks awkward problems about the bound of their tables. The
// number of nodes is known, and without one of the inferences it is another.
func TestAscendingTakesFewNodes(t *testing.T) {
	nodes := int64(0)
	for seed := range uint64(600) {
		tl := timeline.New(drawn.Awkward(seed))
		if len(tl.Problem.Buffers) > 12 {
			continue // its table takes long
		}
		l := ladderOf(t, tl, nil)
		if l == nil {
			continue
		}
		l.Run(tl, &tl.Partitions[0], tl.LowerBound, 1000)
		l.Run(tl, &tl.Partitions[0], l.Bound, 1000)
		nodes += l.Nodes
	}
	if nodes != 2214 {
		t.Errorf("%d nodes, want 2214", nodes)
	}
}

// TestAscendingIsTruthful asks at the lowest height and one byte under it.
func TestAscendingIsTruthful(t *testing.T) {
	for seed := range uint64(500) {
		p := meshing(seed)
		if seed%2 == 0 {
			p = plantest.Aligned(seed, 8)
		}
		lowest, _, ok := oracle.Lowest(p)
		l := ladderOf(t, timeline.New(p), nil)
		if l == nil || !ok {
			continue
		}
		for capacity, want := range map[int64]common.Verdict{lowest: common.Fits, lowest - 1: common.Refuted} {
			if v := climb(t, l, capacity); capacity > 0 && v != want {
				t.Fatalf("seed %d at %d: verdict %d; the lowest is %d\n%s", seed, capacity, v, lowest, drawn.Describe(p))
			}
		}
	}
}
