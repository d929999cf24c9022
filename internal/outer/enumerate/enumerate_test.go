package enumerate

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// measuresOf returns the measures of a plan.
func measuresOf(p *model.Problem, plan *model.Plan) (values []int64) {
	all := model.MeasuresOf(p, plan)
	for _, m := range p.Objective() {
		values = append(values, model.ValueOf(all, m))
	}
	return values
}

// TestBest: without a plan to begin with, the plan is the best, or there is none, as brute force says.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	plans, none := 0, 0
	for n := range plantest.Share(40_000, 4_000, 1_000) {
		var p *model.Problem
		var best []int64
		decided := false
		if n%2 == 0 {
			p = drawn.Broad(r)
			best, _, decided = oracle.Chains(p, 20_000)
		} else {
			p = drawn.Ruled(r)
			best, _, decided = oracle.Ruled(p, 100_000)
		}
		if !decided || !Takes(p, Buffers) {
			continue
		}
		got := Plan(context.Background(), p, p.Objective(), Options{})
		if !got.Done {
			t.Fatalf("no end\n%s", drawn.DescribeRuled(p))
		}
		if got.Plan == nil {
			if none++; best != nil {
				t.Fatalf("no plan; the best is %v\n%s", best, drawn.DescribeRuled(p))
			}
			continue
		}
		plans++
		got.Plan.Height = model.ValueOf(model.MeasuresOf(p, got.Plan), model.MeasureHeight)
		if report := verify.CheckPlan(p, got.Plan); !report.OK() {
			t.Fatalf("%s\n%s", report.Violations[0].Message, drawn.DescribeRuled(p))
		}
		if values := measuresOf(p, got.Plan); !slices.Equal(values, best) {
			t.Fatalf("%v, the best is %v\n%s", values, best, drawn.DescribeRuled(p))
		}
	}
	t.Log(plans, "plans,", none, "without")
	if plans < none/2 || none < plans/4 {
		t.Error("lopsided")
	}
}
