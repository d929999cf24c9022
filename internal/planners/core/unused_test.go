package core

import (
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestUnusedEnd: of a body whose last bytes are never in use, the search proves nothing. Two of the 33 bytes of x are
// in use, so both fit 65 bytes. It called that infeasible.
func TestUnusedEnd(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "x", Lower: 6, Upper: 7, Size: 33, Gaps: []model.Gap{{Lower: 6, Upper: 7, Window: &model.Window{Upper: 2}}}},
		{ID: "y", Lower: 3, Upper: 9, Size: 63},
	}}
	for _, minimize := range []bool{false, true} {
		r, err := run.Run(t.Context(), planner{}, timeline.New(p), plan.Options{Capacity: 65, Minimize: minimize})
		if err != nil || r.Status == model.Infeasible || r.LowerBound > 65 {
			t.Errorf("minimize %t: %s, bound %d, %v", minimize, r.Status, r.LowerBound, err)
		}
	}
}
