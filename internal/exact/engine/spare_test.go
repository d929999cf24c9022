package engine

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestSparesSaveNodes has six buffers, each of which finds a place wherever the others go.
func TestSparesSaveNodes(t *testing.T) {
	for _, tc := range []struct {
		without []string
		nodes   int64
	}{{nil, 1}, {[]string{"spares"}, 28}} {
		e, l := ladderOf(t, timeline.New(meshing(1539)), tc.without)
		if v := climb(t, e, l, 20); v != common.Fits || l.nodes != tc.nodes {
			t.Errorf("without %v: verdict %d after %d nodes, want %d", tc.without, v, l.nodes, tc.nodes)
		}
		e.watch.Close()
	}
}

// TestSparesFindAPlace verifies plans at the lowest height, in which what was left out has
// found a place.
func TestSparesFindAPlace(t *testing.T) {
	for seed := range uint64(600) {
		p := meshing(seed)
		lowest, _, ok := suite.Lowest(p)
		if !ok {
			continue
		}
		e, l := ladderOf(t, timeline.New(p), nil)
		if l == nil {
			continue
		}
		for capacity := lowest; capacity < lowest+4; capacity++ {
			if v := climb(t, e, l, capacity); v != common.Fits {
				t.Fatalf("seed %d: verdict %d at %d; the lowest is %d\n%s", seed, v, capacity, lowest, suite.Describe(p))
			}
		}
		e.watch.Close()
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
		e, l := ladderOf(t, timeline.New(p), []string{"shifts"})
		climb(t, e, l, 4*levels)
		l.spares, l.depth = 0, 0
		least := rungs{l.low[0], l.low[1]}
		if got := l.spare(0b11, &least, nil) != 0b11; got != spared {
			t.Errorf("with %d levels a buffer is spared: %v", levels, got)
		}
		e.watch.Close()
	}
}

// TestSparesCountWhatIsPulledUp has a placed buffer that is tied to an unplaced one and takes
// the place of a spared one if that counts on it to stay.
func TestSparesCountWhatIsPulledUp(t *testing.T) {
	e, l := ladderOf(t, timeline.New(meshing(29712)), nil)
	defer e.watch.Close()
	if v := climb(t, e, l, 17); v != common.Fits {
		t.Errorf("verdict %d at 17, the lowest height", v)
	}
}
