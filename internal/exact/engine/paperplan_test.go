package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// figureTwo is the plan of the paper's figure 2.
var figureTwo = []int64{8, 8, 4, 4, 0}

// TestPaperPlan plans the example under the orders that google/minimalloc has by default, in which the buffers with the
// longest lives come first: the plan is figure 2's.
func TestPaperPlan(t *testing.T) {
	p := gen.MiniMalloc()
	tl := timeline.New(p)
	for _, orders := range []string{"WAT,TAW,TWA", defaultOrders} {
		for _, o := range []plan.Options{{Capacity: 12}, {}, {Capacity: 30, Minimize: true}} {
			o.Params = map[string]string{"orders": orders}
			r, err := run.Run(context.Background(), (&Planner{}), tl, o)
			if err != nil || r.Status != model.Optimal || r.Height != 12 || !verify.Check(p, r.Offsets, 12).OK() {
				t.Fatalf("orders %s, capacity %d: %+v, %v", orders, o.Capacity, r, err)
			}
			if strings.HasPrefix(orders, "WAT") && o.Capacity == 12 && !slices.Equal(r.Offsets, figureTwo) {
				t.Errorf("orders %s: %v, want %v", orders, r.Offsets, figureTwo)
			}
		}
		o := plan.Options{Capacity: 11, Params: map[string]string{"orders": orders}}
		if r, err := (&Planner{}).Plan(context.Background(), tl, o); err != nil || r.Status != model.Infeasible {
			t.Errorf("orders %s, capacity 11: %+v, %v", orders, r, err)
		}
	}
}
