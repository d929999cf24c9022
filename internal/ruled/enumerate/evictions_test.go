package enumerate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
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

// TestEvictionsThatPay: the price of evictions is minimal behind a penalty that falls or rises with one more eviction,
// in one tight pool.
func TestEvictionsThatPay(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 9))
	none, some := 0, 0
	for range plantest.Share(30_000, 3_000, 400) {
		n := 3 + r.IntN(3)
		p := &model.Problem{Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty, model.MeasureEviction}}}
		load := make([]int64, 9)
		for i := range n {
			b := model.Buffer{ID: "b" + strconv.Itoa(i), Size: 1 + r.Int64N(4), Lower: r.Int64N(6)}
			b.Upper = b.Lower + 1 + r.Int64N(min(6, 9-b.Lower))
			if b.Upper-b.Lower >= 3 && r.IntN(3) > 0 {
				at := b.Lower + 1
				b.Extra = &model.Extra{Evictions: []model.Eviction{{Lower: at, Upper: b.Upper - 1, Cost: r.Int64N(4)}}}
				if b.Upper-b.Lower >= 5 && r.IntN(2) == 0 {
					b.Extra.Evictions[0].Upper = at + 1
					second := model.Eviction{Lower: b.Upper - 2, Upper: b.Upper - 1, Cost: r.Int64N(4)}
					b.Extra.Evictions = append(b.Extra.Evictions, second)
				}
			}
			for s := b.Lower; s < b.Upper; s++ {
				load[s] += b.Size
			}
			p.Buffers = append(p.Buffers, b)
		}
		p.Rules.Pools = []model.Pool{{ID: "fast", Capacity: max(4, slices.Max(load)-r.Int64N(3))}}
		for i := range n {
			for j := range i {
				pair := model.Pair{int32(i), int32(j)}
				if r.IntN(2) == 0 {
					p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{Buffers: pair, Cost: 1 + r.Int64N(4)})
				}
				if r.IntN(4) == 0 {
					p.Rules.MayOverlap = append(p.Rules.MayOverlap, pair)
				}
			}
		}
		if model.Validate(p) != nil {
			continue
		}
		best, _, decided := oracle.Sets(p, 100_000)
		if !decided || best == nil {
			continue
		}
		got := Plan(context.Background(), p, p.Objective(), Options{})
		if got.Plan == nil {
			t.Fatalf("no plan, the best is %v\n%s", best, drawn.DescribeRuled(p))
		}
		if values := measuresOf(p, got.Plan); !slices.Equal(values, best) {
			t.Fatalf("%v, the best is %v\n%s", values, best, drawn.DescribeRuled(p))
		}
		if best[0] > 0 && best[1] == 0 {
			none++
		} else if best[0] > 0 {
			some++
		}
	}
	if t.Log(none, "pay without an eviction,", some, "with one"); none < 20 || some < 10 {
		t.Error("lopsided")
	}
}
