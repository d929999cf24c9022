package eviction

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/poolchoice"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestLeast: the bound of the run with all evictions taken is one of the first measure alone.
func TestLeast(t *testing.T) {
	e := &search{
		p:        &model.Problem{Rules: &model.Rules{}},
		measures: []model.Measure{model.MeasurePeak, model.MeasureHeight, model.MeasureEviction},
		room:     plan.Result{Bounds: []model.Value{{Measure: model.MeasurePeak, Value: 20}}, LowerBound: 5},
	}
	if got := e.least(nil, 3); !slices.Equal(got, []int64{20, 5, 3}) {
		t.Errorf("%v, want 20, 5, 3", got)
	}
}

// TestCutShort ends the run when the first set has its plan. What the other sets may reach stays in the bound.
func TestCutShort(t *testing.T) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Upper: 10, Size: 4, Extra: &model.Extra{Evictions: []model.Eviction{{Lower: 3, Upper: 7, Cost: 1}}}},
			{ID: "b", Lower: 4, Upper: 6, Size: 4},
		},
		Rules: &model.Rules{Objective: []model.Measure{model.MeasureHeight}},
	}
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	o := Options{Options: plan.Options{Minimize: true}, Name: "auto", Least: true, Few: Few}
	r, err := Plan(ctx, p, o, func(ctx context.Context, p *model.Problem, o plan.Options,
		spent plan.Stats,
	) (plan.Result, error) {
		r, err := poolchoice.Plan(ctx, p, auto(t), o, spent)
		if asked++; asked == 2 { // after all evictions, and none
			cancel()
		}
		return r, err
	})
	if err != nil || r.Status != model.Feasible || r.Height != 8 || r.Bounds[0].Value != 4 {
		t.Errorf("%v, height %d, bounds %v, %v; want feasible, 8, and 4", r.Status, r.Height, r.Bounds, err)
	}
}

// TestNarrowed: the heights that pools reached are those of every best plan only if they are not a sum over several.
func TestNarrowed(t *testing.T) {
	one := &model.Problem{Rules: &model.Rules{}}
	two := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y", Capacity: 9}}}}
	for _, x := range []struct {
		p       *model.Problem
		measure model.Measure
		exact   bool
		limits  []int64
	}{
		{one, model.MeasureHeight, true, []int64{5}},
		{two, model.MeasureHeight, false, []int64{5, 3}},
		{two, model.MeasurePeak, false, []int64{5, 3}},
		{two, model.MeasureMaxHeight, true, []int64{5, 5}},
		{two, model.HeightIn("y"), true, []int64{0, 3}},
	} {
		values := []model.Value{
			{Measure: model.HeightIn("x"), Value: 5},
			{Measure: model.HeightIn("y"), Value: 3},
			{Measure: model.MeasureMaxHeight, Value: 5},
		}
		values = append(values, model.Value{Measure: model.MeasureHeight, Value: 5},
			model.Value{Measure: model.MeasurePeak, Value: 8})
		q, exact := narrowed(x.p, &model.Plan{Height: 5}, []model.Measure{x.measure}, values)
		var limits []int64
		for _, pool := range q.AllPools() {
			limits = append(limits, pool.Capacity)
		}
		if exact != x.exact || !slices.Equal(limits, x.limits) {
			t.Errorf("%s of %d pools: %v, %v; want %v, %v", x.measure, len(x.p.AllPools()), exact, limits, x.exact, x.limits)
		}
	}
}
