package ladder

import (
	"math/bits"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestLatestSeesAlignments has two buffers of 5 bytes with alignments 4 and 6. Their load is
// 10, but the upper one cannot lie under 6.
func TestLatestSeesAlignments(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 1, Size: 5, Alignment: 4},
		{ID: "b", Upper: 1, Size: 5, Alignment: 6},
	}}
	l := ladderOf(t, timeline.New(p), []string{"shifts"})
	if v := climb(t, l, 10); v != common.Refuted || l.Nodes != 0 || l.Bound != 11 {
		t.Errorf("verdict %d after %d nodes, bound %d, want 11 without a node", v, l.Nodes, l.Bound)
	}
	// On top of b, a is at 8 or above, and b on top of a is at 6 or above: levels are tops, upside down.
	for f, want := range []int64{-13, -11} {
		if got := l.latest(0b11, f); got != want {
			t.Errorf("the latest level of %d under the other is %d, want %d", f, got, want)
		}
	}
}

// TestLatestIsSound takes plans of the lowest height: in each of them every buffer keeps to
// its entry for all sets in which it has the least level.
func TestLatestIsSound(t *testing.T) {
	entries := 0
	for seed := range uint64(400) {
		p := drawn.Wide(seed)
		if seed%2 == 1 {
			p = meshing(seed)
		}
		lowest, offsets, ok := oracle.Lowest(p)
		if !ok {
			continue
		}
		l := ladderOf(t, timeline.New(p), nil)
		if l == nil {
			continue
		}
		climb(t, l, lowest)
		if l.Bound > lowest {
			t.Fatalf("seed %d: the bound %d is above the lowest height %d\n%s", seed, l.Bound, lowest, drawn.Describe(p))
		}
		if l.table == nil {
			continue
		}
		var level rungs
		for j, local := range l.id {
			level[j] = -offsets[l.tl.Partitions[0].Buffers[local]] - l.shift[j]
		}
		for set := uint32(1); set < 1<<l.t; set++ {
			f := bits.TrailingZeros32(set)
			for rest := set; rest != 0; rest &= rest - 1 {
				if j := bits.TrailingZeros32(rest); level[j] < level[f] {
					f = j
				}
			}
			if latest := l.latest(set, f); level[f] > latest {
				t.Fatalf("seed %d: level %d of %d in set %b, the latest is %d\n%s",
					seed, level[f], f, set, latest, drawn.Describe(p))
			}
			entries++
		}
	}
	if entries < 5000 {
		t.Error("only", entries, "entries were looked at")
	}
}

// TestLatestIsTight adds up by how much the tables of problems with windows are under the
// ground. The sum is known: without a part of the bound it is less.
func TestLatestIsTight(t *testing.T) {
	sum := int64(0)
	for seed := range uint64(200) {
		tl := timeline.New(meshing(seed))
		l := ladderOf(t, tl, nil)
		if l == nil || !l.measure(tl, &tl.Partitions[0]) {
			continue
		}
		for at, latest := range l.table {
			if f := at % l.t; latest > noStart && at/l.t>>f&1 == 1 {
				sum += l.high[f] - latest
			}
		}
	}
	if sum != 251206 {
		t.Errorf("the tables are %d levels under the ground, want 251206", sum)
	}
}
