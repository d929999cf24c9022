package ruled_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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

// TestAlternativesEqualBruteForce compares plans of problems with alternatives with brute force, with and without limits of
// nodes.
func TestAlternativesEqualBruteForce(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 18))
	for _, rules := range [][]string{
		{"alternatives"},
		{"alternatives", "costs"},
		{"alternatives", "together"},
		{"alternatives", "evictions"},
		{"alternatives", "groups"},
		{"alternatives", "different_pools"},
		{"alternatives", "lockstep"},
		{"alternatives", "objects"},
	} {
		draw := func() *model.Problem { return drawn.Bank(r, rules...) }
		plantest.BruteForce(t, plantest.Share(2_000, 150, 50), 25, draw, rules[:1], func(p *model.Problem, best []int64) (open bool) {
			for _, o := range []plan.Options{{Minimize: true}, {}, {Minimize: true, NodeLimit: 20}} {
				got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
				done := plantest.Best(t, p, got, best)
				open = open || !done && o.NodeLimit == 0 && o.Minimize
			}
			return open
		})
	}
}

// TestTenLists: ten lists of three forms are proven within few nodes. The least cost of the 59,049 choices whose load fits is
// found by trying them all; the plans reach it.
func TestTenLists(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("auto"))(t))
	r := rand.New(rand.NewPCG(45, 3))
	for n := range 8 {
		p := depths(r)
		got := must.Get(ruled.Solve(context.Background(), p, planner, plan.Options{NodeLimit: 20_000}))(t)
		if want := leastByLoad(p); got.Status != model.Optimal || model.ValueOf(got.Measures, model.MeasureCost) != want {
			t.Errorf("problem %d: %v, %v; the least cost by loads is %d", n, got.Status, got.Measures, want)
		}
		if report := verify.CheckMeasures(p, &got.Plan, got.Measures); !report.OK() {
			t.Errorf("problem %d: %s", n, report.Violations[0].Message)
		}
	}
}

// depths returns a problem of ten rings of one, two or three stages beside eight buffers. Fewer stages cost more.
func depths(r *rand.Rand) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "m"}}, Objective: []model.Measure{model.MeasureCost}}}
	add := func(size, lower, upper, cost int64) {
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: fmt.Sprint(len(p.Buffers)), Lower: lower, Upper: upper, Size: size,
			Extra: &model.Extra{Costs: []model.PoolCost{{Cost: cost}}},
		})
	}
	life := func() (int64, int64) { at := r.Int64N(36); return at, at + 3 + r.Int64N(16) }
	for range 8 {
		lower, upper := life()
		add(4+r.Int64N(36), lower, upper, 0)
	}
	for range 10 {
		size, lost := 8+r.Int64N(32), 50+r.Int64N(150)
		lower, upper := life()
		first := int32(len(p.Buffers))
		for k := range int64(3) {
			add(size*(k+1), lower, upper, lost*3/(k+1)-lost)
		}
		p.Rules.Alternatives = append(p.Rules.Alternatives, []int32{first, first + 1, first + 2})
	}
	load := func(form int32) (most int64) {
		sums := map[int64]int64{}
		for i, b := range p.Buffers {
			for at := b.Lower; (i < 8 || int32(i-8)%3 == form) && at < b.Upper; at++ {
				sums[at] += b.Size
				most = max(most, sums[at])
			}
		}
		return most
	}
	p.Rules.Pools[0].Capacity = load(0) + (load(2)-load(0))/3
	return p
}

// leastByLoad returns the least cost of the choices whose load is at most the capacity, by trying all.
func leastByLoad(p *model.Problem) int64 {
	load, best := [64]int64{}, int64(math.MaxInt64)
	var try func(n int, cost int64)
	put := func(i int32, by int64) (fits bool) {
		fits = true
		for at := p.Buffers[i].Lower; at < p.Buffers[i].Upper; at++ {
			load[at] += by * p.Buffers[i].Size
			fits = fits && load[at] <= p.Rules.Pools[0].Capacity
		}
		return fits
	}
	try = func(n int, cost int64) {
		if n == len(p.Rules.Alternatives) {
			best = min(best, cost)
			return
		}
		for _, i := range p.Rules.Alternatives[n] {
			if put(i, 1) {
				try(n+1, cost+p.Buffers[i].Extra.Costs[0].Cost)
			}
			put(i, -1)
		}
	}
	for i := range int32(8) {
		put(i, 1)
	}
	try(0, 0)
	return best
}
