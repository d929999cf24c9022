package ruled_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// evictions draws a problem that has evictions, beside any other features.
func evictions(r *rand.Rand) *model.Problem {
	for {
		p := drawn.Evicted(r)
		if slices.Contains(drawn.FeaturesOf(p), "evictions") {
			return p
		}
	}
}

// TestEvictions compares answers about evictions with brute force.
func TestEvictions(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 7))
	counts, pairs := map[model.Status]int{}, map[string]int{}
	for range plantest.Share(7_500, 1_500, 600) {
		p := evictions(r)
		status := check(t, r, p)
		counts[status]++
		for _, f := range drawn.FeaturesOf(p) {
			pairs[f]++
		}
	}
	t.Log(counts, pairs)
	if counts[model.Optimal] < 2*counts[model.Feasible] || counts[model.Infeasible]*5 < counts[model.Optimal] {
		t.Errorf("the test is lopsided: %v", counts)
	}
	for _, f := range drawn.RuledFeatures {
		if f != "clocks" && pairs[f] < counts[model.Optimal]/40 {
			t.Errorf("%d problems with %s", pairs[f], f)
		}
	}
}

// two is the example of the problem model: a or b must leave for c.
func two() *model.Problem {
	leaves := func(lower, upper, cost int64) *model.Extra {
		return &model.Extra{Evictions: []model.Eviction{{Lower: lower, Upper: upper, Cost: cost}}}
	}
	rules := &model.Rules{Objective: []model.Measure{model.MeasureEviction}}
	return &model.Problem{Capacity: 8, Rules: rules, Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 10, Size: 4, Extra: leaves(3, 7, 5)},
		{ID: "b", Lower: 0, Upper: 10, Size: 4, Extra: leaves(2, 8, 3)},
		{ID: "c", Lower: 4, Upper: 6, Size: 4},
	}}
}

// TestEvict plans it.
func TestEvict(t *testing.T) {
	known := must.Get(plan.Find("auto"))(t)
	r := must.Get(ruled.Solve(context.Background(), two(), run.Prepared(known), plan.Options{}))(t)
	price := model.ValueOf(r.Measures, model.MeasureEviction)
	if r.Status != model.Optimal || price != 3 || len(r.Parts) != 1 || r.Parts[0].Buffer != 1 {
		t.Errorf("%v, %v, parts %v", r.Status, r.Measures, r.Parts)
	}
	if report := verify.CheckMeasures(two(), &r.Plan, r.Measures); !report.OK() {
		t.Error(report.Violations[0].Message)
	}
}
