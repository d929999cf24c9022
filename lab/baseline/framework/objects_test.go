package framework

import (
	"context"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestObjectsNoneAbove plans 60 problems of 6 to 50 buffers in a pool of objects, and 6 of up to 300. No plan is higher
// than that of a strategy of TensorFlow Lite, and most of the 60 are proven to be the lowest.
func TestObjectsNoneAbove(t *testing.T) {
	below, proven := 0, 0
	for n := range 66 {
		buffers := 6 + n%45
		if n >= 60 {
			buffers = 50 * (n - 59)
		}
		p := shuffled(buffers, uint64(n))
		q := *p
		q.Rules = &model.Rules{
			Pools: []model.Pool{{ID: "textures", Objects: true}}, Objective: []model.Measure{model.MeasureHeight},
		}
		r := must.Get(stowage.Solve(context.Background(), &q, plan.Options{}))(t)
		if report := verify.CheckMeasures(&q, &r.Plan, r.Measures); !report.OK() {
			t.Fatalf("%d: %s", n, report.Violations[0].Message)
		}
		if r.Status == model.Optimal && n < 60 {
			proven++
		}
		lowest := int64(0)
		for _, x := range all() {
			if !strings.HasPrefix(x.name, "tflite-objects-") {
				continue
			}
			other := planned(t, x, p, plan.Options{Minimize: true})
			if lowest == 0 || other.Height < lowest {
				lowest = other.Height
			}
			if r.Height > other.Height {
				t.Errorf("%d: %d buffers: height %d, %s has %d", n, buffers, r.Height, x.name, other.Height)
			}
		}
		if r.Height < lowest {
			below++
		}
	}
	t.Logf("%d of 60 are proven; %d of 66 are below all strategies", proven, below)
	if proven < 50 || below < 8 {
		t.Error("too few are proven, or below")
	}
}
