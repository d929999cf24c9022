package pairs

import (
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// fresh prepares the search of a partition.
func fresh(t *testing.T, tl *timeline.Timeline, p int) *Search {
	t.Helper()
	return must.Get(New(watch, tl, tl.Partitions[p].Buffers, func(*Search) {}))(t)
}

// TestSearch asks each random problem for its lowest height, which must fit, and for one less, which must be refuted.
// It says how many nodes that takes: a search that has lost a propagation takes more.
func TestSearch(t *testing.T) {
	var o oracle.Orders
	fit, refuted, nodes := 0, 0, int64(0)
	for seed := range uint64(3000) {
		p := drawn.Wide(seed)
		height, _, ok := o.Lowest(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		for _, capacity := range []int64{height, height - 1} {
			answers := map[common.Verdict]int{}
			offsets := make([]int64, len(p.Buffers))
			for i, b := range p.Buffers {
				if b.Fixed != nil {
					offsets[i] = *b.Fixed
				}
			}
			for k, part := range tl.Partitions {
				s := fresh(t, tl, k)
				answers[s.Run(capacity, 100_000)]++
				nodes += s.Nodes
				for j, i := range part.Buffers {
					offsets[i] = s.Offsets()[j]
				}
			}
			switch {
			case answers[common.Undecided] > 0:
				t.Fatalf("seed %d: undecided at %d", seed, capacity)
			case answers[common.Refuted] > 0:
				refuted++
				if capacity == height {
					t.Fatalf("seed %d: its lowest height %d is refuted", seed, height)
				}
			case len(tl.Partitions) > 0 && model.HeightOf(p, offsets) <= capacity:
				fit++
				if r := verify.Check(p, offsets, capacity); !r.OK() || capacity < height {
					t.Fatalf("seed %d: a plan under %d: %v", seed, capacity, r.Violations)
				}
			}
		}
	}
	if fit < 2000 || refuted < 2000 {
		t.Errorf("one-sided: %d fit, %d are refuted", fit, refuted)
	}
	if nodes > 340_000 {
		t.Errorf("%d nodes", nodes)
	}
	t.Log(fit, "fit,", refuted, "refuted,", nodes, "nodes")
}

// TestSearchLimits stops a search at each of its nodes: it has no answer before the last. A
// second run on the same search is as good as the first.
func TestSearchLimits(t *testing.T) {
	stopped := 0
	for seed := range uint64(400) {
		tl := timeline.New(drawn.Wide(seed))
		for k := range tl.Partitions {
			s := fresh(t, tl, k)
			want := s.Run(tl.LowerBound, math.MaxInt32)
			nodes, offsets := s.Nodes, slices.Clone(s.Offsets())
			if nodes > 100 {
				continue // each limit is a run
			}
			for limit := range nodes {
				s.Nodes = 0
				if got := s.Run(tl.LowerBound, limit); got != common.Undecided || s.Nodes != limit {
					t.Fatalf("seed %d: %d after %d of %d nodes", seed, got, s.Nodes, nodes)
				}
				stopped++
			}
			s.Nodes = 0
			if got := s.Run(tl.LowerBound, nodes); got != want || want == common.Fits && !slices.Equal(s.Offsets(), offsets) {
				t.Fatalf("seed %d: %d, and before %d", seed, got, want)
			}
		}
	}
	if stopped < 400 {
		t.Errorf("only %d limits", stopped)
	}
}

// TestSearchTicks counts the calls of tick, and asks with a watch that is over.
func TestSearchTicks(t *testing.T) {
	tl := timeline.New(drawn.Wide(3))
	ticks := int64(0)
	s := must.Get(New(watch, tl, tl.Partitions[0].Buffers, func(*Search) { ticks++ }))(t)
	s.Run(tl.LowerBound, 1000)
	if ticks == 0 || ticks != s.Nodes {
		t.Errorf("%d ticks in %d nodes", ticks, s.Nodes)
	}
	s.watch = ended()
	if got := s.Run(tl.LowerBound, 1000); got == common.Fits {
		t.Errorf("a plan with a watch that is over")
	}
}
