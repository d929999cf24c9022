package choice

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/outer/pools"
	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// asAuto is a planner that is asked as auto is.
type asAuto struct{ run.Planner }

func (asAuto) Name() string { return "auto" }

// TestOrders: of problems whose loads fit and that do not pack, the walk through orders finds and proves the cheapest choice that does.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 18))
	above := 0
	for n := range 20 {
		in, err := gen.New("infeasible", gen.Options{Buffers: 9, Capacity: 24, Horizon: 24, Seed: uint64(n)})
		if err != nil {
			t.Fatal(err)
		}
		p := in.Problem
		p.Capacity = 0
		p.Rules = &model.Rules{Pools: []model.Pool{{ID: "fast", Capacity: 24}, {ID: "slow"}}, Objective: []model.Measure{model.MeasureCost}}
		for i := range p.Buffers {
			p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(9)}}}
		}
		c, ok := chooserOf(p, asAuto{find(t, "exact")})
		if !ok {
			t.Fatal("no choice")
		}
		first, _ := c.Cheapest(context.Background(), never, third)
		x := &packing{chooser: c, left: mostPacked, nodes: pools.PackNodes, least: math.MaxInt64}
		if failed, err := x.try(context.Background(), first); err != nil || failed != 0 {
			t.Fatalf("pool %d: %v", failed, err)
		}
		low := x.Low
		out := make(spread.Assignment, len(first))
		for k := range out {
			out[k] = 1
		}
		if _, err := x.try(context.Background(), out); err != nil {
			t.Fatal(err)
		}
		if err := x.orders(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		found := x.least
		best := int64(math.MaxInt64)
		x.each(func(of spread.Assignment) {
			if cost := x.Cost(of); cost < best {
				if failed, err := x.try(context.Background(), of); err != nil {
					t.Fatal(err)
				} else if failed < 0 {
					best = cost
				}
			}
		})
		if found != best || x.Low != best {
			t.Fatalf("found %d, bound %d, want %d\n%s", found, x.Low, best, drawn.DescribeRuled(p))
		}
		if best > low {
			above++
		}
	}
	if above < 10 {
		t.Errorf("the loads had the bound in all but %d", above)
	}
}
