package banks_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/ruled/banks"
	"github.com/stowage-go/stowage/internal/ruled/poolchoice"
	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestEqualsBruteForce compares plans of problems with rules of banks with brute force, with and without limits of nodes.
func TestEqualsBruteForce(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 15))
	for _, rules := range [][]string{
		{"lockstep"},
		{"borders"},
		{"borders", "lockstep"},
		{"sizes"},
		{"sizes", "borders"},
		{"granularity"},
		{"granularity", "sizes"},
	} {
		draw := func() *model.Problem { return drawn.Bank(r, rules...) }
		plantest.BruteForce(t, plantest.Share(2_000, 120, 40), 25, draw, rules, func(p *model.Problem, best []int64) (open bool) {
			for _, o := range []plan.Options{
				{Minimize: true}, {}, {Minimize: true, NodeLimit: 1}, {Minimize: true, NodeLimit: 20},
			} {
				got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
				done := plantest.Best(t, p, got, best)
				open = open || !done && o.NodeLimit == 0 && o.Minimize
			}
			return open
		})
	}
}

// TestTextures: objects of several dimensions stay so beside pools that lockstep ties.
func TestTextures(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := rand.New(rand.NewPCG(45, 17))
	draw := func() *model.Problem { return drawn.Bank(r, "extents", "lockstep") }
	rules := []string{"extents", "lockstep"}
	plantest.BruteForce(t, plantest.Share(2_000, 100, 50), 10, draw, rules, func(p *model.Problem, best []int64) (open bool) {
		for _, o := range []plan.Options{{Minimize: true}, {}, {Minimize: true, NodeLimit: 20}, {Minimize: true, NodeLimit: 2000}} {
			got := must.Get(ruled.Solve(context.Background(), p, planner, o))(t)
			done := plantest.Best(t, p, got, best)
			open = open || !done && o.NodeLimit == 0 && o.Minimize
		}
		return open
	})
}

// TestBordersByHeuristic asks a planner that proves nothing, so the heights are bisected.
func TestBordersByHeuristic(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 16))
	planner := run.Prepared(must.Get(plan.Find("first-fit"))(t))
	for range plantest.Share(1_000, 200, 50) {
		p := drawn.Bank(r, "borders")
		best, _, decided := oracle.Chains(p, 20_000)
		if !decided || slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
			continue
		}
		got := must.Get(banks.Plan(context.Background(), p, relax.Options{Name: "first-fit", Least: true}, plan.Stats{},
			func(ctx context.Context, p *model.Problem, o plan.Options, spent plan.Stats) (plan.Result, error) {
				return poolchoice.Plan(ctx, p, planner, o, spent)
			}))(t)
		plantest.Best(t, p, got, best)
	}
}

// TestImages plans the memories of three cores: buffers at one offset in all of them, and buffers of one
// (tt-metal#54788).
func TestImages(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Objective: []model.Measure{model.MeasureMaxHeight}}}
	for _, id := range []string{"core0", "core1", "core2"} {
		p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: id, Capacity: 1000})
	}
	add := func(id string, pool int32, lower, upper, size int64) int32 {
		extra := &model.Extra{Pools: []int32{pool}}
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: lower, Upper: upper, Size: size, Extra: extra})
		return int32(len(p.Buffers) - 1)
	}
	for _, x := range []struct {
		id                 string
		lower, upper, size int64
	}{{"sem", 0, 20, 4}, {"cb", 3, 9, 487}, {"stage", 6, 12, 230}, {"cfg", 1, 20, 4}} {
		var images []int32
		for q := range p.Rules.Pools {
			images = append(images, add(x.id+"@"+p.Rules.Pools[q].ID, int32(q), x.lower, x.upper, x.size))
		}
		p.Rules.Lockstep = append(p.Rules.Lockstep, images)
	}
	add("sock0", 0, 2, 18, 200)
	add("sock1", 1, 2, 18, 120)
	add("sock2", 2, 5, 15, 270)
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	solve := func() plan.Result {
		return must.Get(ruled.Solve(context.Background(), p, planner, plan.Options{Minimize: true}))(t)
	}
	plantest.Best(t, p, solve(), []int64{995})
	for q := range p.Rules.Pools {
		p.Rules.Pools[q].Capacity = 994
	}
	if r := solve(); r.Status != model.Infeasible {
		t.Errorf("within 994 bytes: %s", r.Status)
	}
	p.Rules.Pools[0].Capacity, p.Rules.Pools[1].Capacity, p.Rules.Pools[2].Capacity = 1000, 1000, 1027
	p.Rules.Pools[1].Reserved = []model.Range{{Lower: 0, Upper: 32}}
	p.Rules.Objective = []model.Measure{model.HeightIn("core1"), model.MeasureHeight}
	if r := solve(); r.Status != model.Optimal {
		t.Errorf("unequal cores: %s, %v", r.Status, r.Measures)
	}
}

// TestFewBuffers: four buffers, three of them at one offset in any of four pools with borders, take more than
// relax.MostQuestions questions. They are still proven.
func TestFewBuffers(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{
		Pools: []model.Pool{
			{ID: "p", Cost: 1, Borders: []int64{1, 2, 8}},
			{ID: "q", Borders: []int64{1, 6}},
			{ID: "r", Borders: []int64{1, 2}},
			{ID: "s", Borders: []int64{6, 7, 8}},
		},
		Lockstep:  [][]int32{{1, 0, 3}},
		Objective: []model.Measure{model.MeasureMaxHeight, model.PeakIn("s")},
	}}
	for k, x := range [][3]int64{{1, 3, 3}, {1, 3, 4}, {3, 4, 3}, {0, 4, 5}} {
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: string(rune('a' + k)), Lower: x[0], Upper: x[1], Size: x[2], Extra: &model.Extra{Spans: k == 1},
		})
	}
	planner := run.Prepared(must.Get(plan.Find("exact"))(t))
	r := must.Get(ruled.Solve(context.Background(), p, planner, plan.Options{Minimize: true}))(t)
	if plantest.Best(t, p, r, []int64{6, 4}); r.Status != model.Optimal {
		t.Errorf("%s, bounds %v", r.Status, r.Bounds)
	}
}
