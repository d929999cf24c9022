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
