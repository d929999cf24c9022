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
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestPaidHeights checks that the height of plans that must pay is minimised and proven.
func TestPaidHeights(t *testing.T) {
	exact := must.Get(plan.Find("exact"))(t)
	r := rand.New(rand.NewPCG(25, 9))
	for range 60 {
		var p *model.Problem
		var best []int64
		for best == nil || best[0] == 0 {
			p = penalised(r)
			p.Rules.Objective = []model.Measure{model.MeasurePenalty, model.MeasureHeight}
			decided := false
			if len(p.AllPools()) > 1 {
				continue
			}
			if best, _, decided = oracle.Ruled(p, 300_000); !decided {
				best = nil
			}
		}
		got := must.Get(ruled.Solve(context.Background(), p, run.Prepared(exact), plan.Options{Minimize: true}))(t)
		values := []int64{
			model.ValueOf(got.Measures, model.MeasurePenalty),
			model.ValueOf(got.Measures, model.MeasureHeight),
		}
		if got.Status != model.Optimal || !slices.Equal(values, best) {
			t.Errorf("%v %v, want %v\n%s", got.Status, values, best, drawn.DescribeRuled(p))
		}
	}
}
