package ladder

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestSparesSaveNodes has six buffers, each of which finds a place wherever the others go.
func TestSparesSaveNodes(t *testing.T) {
	for _, tc := range []struct {
		without []string
		nodes   int64
	}{{nil, 1}, {[]string{"spares"}, 28}} {
		l := ladderOf(t, timeline.New(meshing(1539)), tc.without)
		if v := climb(t, l, 20); v != common.Fits || l.Nodes != tc.nodes {
			t.Errorf("without %v: verdict %d after %d nodes, want %d", tc.without, v, l.Nodes, tc.nodes)
		}
	}
}

// TestSparesFindAPlace verifies plans at the lowest height, in which what was left out has found a place.
func TestSparesFindAPlace(t *testing.T) {
	for seed := range uint64(600) {
		p := meshing(seed)
		lowest, _, ok := oracle.Lowest(p)
		if !ok {
			continue
		}
		l := ladderOf(t, timeline.New(p), nil)
		if l == nil {
			continue
		}
		for capacity := lowest; capacity < lowest+4; capacity++ {
			if v := climb(t, l, capacity); v != common.Fits {
				t.Fatalf("seed %d: verdict %d at %d; the lowest is %d\n%s", seed, v, capacity, lowest, drawn.Describe(p))
			}
		}
	}
}

// TestSpareCountsLevels has two buffers of 4 bytes with alignment 4 and the levels that
// their capacity gives: three suffice whatever the other one takes.
func TestSpareCountsLevels(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 1, Size: 4, Alignment: 4},
		{ID: "b", Upper: 1, Size: 4, Alignment: 4},
	}}
	for levels, spared := range map[int64]bool{1: false, 2: true, 3: true} {
		l := ladderOf(t, timeline.New(p), []string{"shifts"})
		climb(t, l, 4*levels)
		l.spares, l.depth = 0, 0
		least := rungs{l.low[0], l.low[1]}
		if got := l.spare(0b11, &least, nil) != 0b11; got != spared {
			t.Errorf("with %d levels a buffer is spared: %v", levels, got)
		}
	}
}

// TestSparesCountWhatIsPulledUp has a placed buffer that is tied to an unplaced one. It may move into the place of a
// spared buffer that counts on it to stay.
func TestSparesCountWhatIsPulledUp(t *testing.T) {
	l := ladderOf(t, timeline.New(meshing(29712)), nil)
	if v := climb(t, l, 17); v != common.Fits {
		t.Errorf("verdict %d at 17, the lowest height", v)
	}
}
