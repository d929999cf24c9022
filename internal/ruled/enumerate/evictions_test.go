package enumerate

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestEvictionsLast: the price is minimal also as the last measure, after costs and penalties that may rise or fall
// with one more eviction.
func TestEvictionsLast(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 6))
	dear := 0
	for range plantest.Share(20_000, 2_500, 1_000) {
		p := drawn.Banked(r)
		if !slices.Contains(drawn.FeaturesOf(p), "evictions") {
			continue
		}
		before := []model.Measure{model.MeasureCost, model.MeasurePenalty, model.MeasureMaxHeight, model.MeasureHeight}
		r.Shuffle(len(before), func(i, j int) { before[i], before[j] = before[j], before[i] })
		p.Rules.Objective = append(before[:1+r.IntN(2)], model.MeasureEviction)
		best, _, decided := oracle.Sets(p, 30_000)
		if !decided || best == nil {
			continue
		}
		got := Plan(context.Background(), p, p.Objective(), Options{Nodes: 300_000})
		if !got.Done {
			continue
		}
		if values := measuresOf(p, got.Plan); !slices.Equal(values, best) {
			t.Fatalf("%v, the best is %v\n%s", values, best, drawn.DescribeRuled(p))
		}
		if best[0] > 0 && best[len(best)-1] == 0 {
			dear++
		}
	}
	if t.Log(dear, "with no eviction behind other measures"); dear < 10 {
		t.Error("lopsided")
	}
}
