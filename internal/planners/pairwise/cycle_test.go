package pairwise

import (
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestCycle has three buffers in a circle of orders, under a capacity that a
// propagation which stops there would not reach in a lifetime.
func TestCycle(t *testing.T) {
	for _, tc := range []struct {
		name    string
		buffers []model.Buffer
	}{
		{"plain", []model.Buffer{{Upper: 2, Size: 1}, {Upper: 2, Size: 2}, {Upper: 2, Size: 3}}},
		{"aligned", []model.Buffer{
			{Upper: 2, Size: 1, Alignment: 4}, {Upper: 2, Size: 2, Alignment: 9}, {Upper: 2, Size: 3, Alignment: 6},
		}},
		// Around the circle the distances are 0, and rounding adds 2 to each round.
		{"rounded", []model.Buffer{
			{Lower: 0, Upper: 4, Size: 8, Alignment: 8, Gaps: []model.Gap{
				{Lower: 1, Upper: 2, Window: &model.Window{Lower: 4, Upper: 6}},
			}},
			{Lower: 1, Upper: 3, Size: 6, Alignment: 6, Gaps: []model.Gap{{Lower: 2, Upper: 3}}},
		}},
	} {
		for i := range tc.buffers {
			tc.buffers[i].ID = strconv.Itoa(i)
		}
		tl := timeline.New(&model.Problem{Buffers: tc.buffers})
		e := must.Get(New(watch, tl, &tl.Partitions[0], DefaultMaxPairs))(t)
		if !e.Reset(1 << 60) {
			t.Fatalf("%s: the root fails", tc.name)
		}
		failed := false
		for literal := range int32(2) {
			ok := true
			for p := int32(0); ok && p < int32(e.Pairs()); p++ {
				first, second := e.Pair(p)
				m := 2*p + literal
				if first == 0 && second == 2 {
					m ^= 1 // against the circle
				}
				if e.Decided(p) < 0 {
					ok = e.Order(m)
				}
			}
			if len(e.trail) > 1000 {
				t.Errorf("%s: %d entries", tc.name, len(e.trail))
			}
			if !ok {
				failed = true
				if got := e.Conflict(nil); len(got) < 2 {
					t.Errorf("%s: the conflict is %v", tc.name, got)
				}
			}
			e.PopTo(0)
		}
		if !failed && tc.name != "rounded" {
			t.Errorf("%s: a circle of orders holds", tc.name)
		}
	}
}

// TestRoundsSettle has two buffers whose halves are in use in turn, so that each may lie no lower than the other. Above
// a fixed byte rounding drives both up, 63 times, to the least common multiple of their alignments. That is no cycle.
func TestRoundsSettle(t *testing.T) {
	zero := int64(0)
	half := func(lower, from int64) model.Gap {
		return model.Gap{Lower: lower, Upper: lower + 1, Window: &model.Window{Lower: from, Upper: from + 4}}
	}
	tl := timeline.New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 2, Size: 8, Alignment: 64, Gaps: []model.Gap{half(0, 4), half(1, 0)}},
		{ID: "b", Upper: 2, Size: 8, Alignment: 63, Gaps: []model.Gap{half(0, 0), half(1, 4)}},
		{ID: "c", Upper: 2, Size: 1, Fixed: &zero},
	}})
	e, err := New(watch, tl, &tl.Partitions[0], DefaultMaxPairs)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Reset(1 << 40) {
		t.Fatal("the root fails")
	}
	level := 0
	for m := range 2 * int32(e.Pairs()) {
		if e.Decided(m/2) < 0 && e.distanceOf(m) == 0 {
			if level++; !e.Order(m) {
				t.Fatal("equal offsets at a common multiple of the alignments are refused")
			}
		}
	}
	if level != 2 || e.stride <= 2*len(e.value)+64 {
		t.Errorf("%d orders, and the next look for a cycle after %d steps", level, e.stride)
	}
}
