package ruled_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// penalised draws a problem with rules, penalties among them, whose objective names the penalty.
func penalised(r *rand.Rand) *model.Problem {
	for {
		p := drawn.Ruled(r)
		if len(p.Rules.Penalties) == 0 || slices.Contains(drawn.FeaturesOf(p), "evictions") {
			continue
		}
		p.Rules.Objective = [][]model.Measure{
			{model.MeasurePenalty},
			{model.MeasurePenalty, model.MeasureHeight},
			{model.MeasureHeight, model.MeasurePenalty},
			{model.MeasureCost, model.MeasurePenalty, model.MeasurePeak},
		}[r.IntN(4)]
		return p
	}
}

// TestPenalties compares least penalties with brute force, with every other rule beside them.
func TestPenalties(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 8))
	counts := map[model.Status]int{}
	for range plantest.Share(24_000, 6_000, 1_500) {
		counts[check(t, r, penalised(r))]++
	}
	t.Log(counts)
	if counts[model.Optimal] < 10*counts[model.Feasible] || counts[model.Infeasible] < 100 {
		t.Errorf("the test is lopsided: %v", counts)
	}
}
