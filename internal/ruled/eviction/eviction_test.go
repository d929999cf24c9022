package eviction

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/ruled/evictbound"
	"github.com/stowage-go/stowage/internal/ruled/poolchoice"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// counted counts how often a planner is asked.
type counted struct {
	run.Planner
	asked int
}

func (c *counted) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	c.asked++
	return c.Planner.Plan(ctx, tl, o)
}

func auto(t *testing.T) *counted {
	t.Helper()
	known := must.Get(plan.Find("auto"))(t)
	return &counted{Planner: run.Prepared(known)}
}

// evict plans a problem with evictions.
func evict(t *testing.T, ctx context.Context, p *model.Problem, planner run.Planner, o Options) plan.Result {
	t.Helper()
	o.Name, o.Least = planner.Name(), pools.Minimizing(p, &o.Options)
	r := must.Get(Plan(ctx, p, o, func(ctx context.Context, p *model.Problem, o plan.Options,
		spent plan.Stats,
	) (plan.Result, error) {
		return poolchoice.Plan(ctx, p, planner, o, spent)
	}))(t)
	return r
}

// judged compares an answer with brute force. It reports whether the plan is the best.
func judged(t *testing.T, p *model.Problem, got *plan.Result, best []int64) bool {
	t.Helper()
	if !got.Status.HasPlan() {
		if got.Status == model.Infeasible && best != nil {
			t.Fatalf("a false infeasible\n%s", drawn.DescribeRuled(p))
		}
		return false
	}
	if report := verify.CheckMeasures(p, &got.Plan, got.Measures); !report.OK() {
		t.Fatalf("%s\n%s", report.Violations[0].Message, drawn.DescribeRuled(p))
	}
	var values []int64
	for k, m := range p.Objective() {
		values = append(values, model.ValueOf(got.Measures, m))
		if slices.Equal(values[:k], best[:k]) && got.Bounds[k].Value > best[k] {
			t.Fatalf("the bounds are %v, brute force has %v\n%s", got.Bounds, best, drawn.DescribeRuled(p))
		}
	}
	c := slices.Compare(values, best)
	if c < 0 || got.Status == model.Optimal && c > 0 {
		t.Fatalf("%v with %v, brute force has %v\n%s", got.Status, values, best, drawn.DescribeRuled(p))
	}
	return c == 0
}

// heights are objectives with two measures of height, or with eviction behind one: a bound of the one is none of the
// other.
var heights = [][]model.Measure{
	{model.MeasureHeight, model.MeasureEviction},
	{model.MeasurePeak, model.MeasureEviction},
	{model.MeasureHeight, model.MeasureMaxHeight},
	{model.MeasurePeak, model.MeasureHeight},
	{model.MeasureMaxPeak, model.MeasureEviction, model.MeasureMaxHeight},
}

// TestMany plans tiny problems as if they had many evictions, and compares the answers with brute force.
func TestMany(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 8))
	counts, met := map[model.Status]int{}, 0
	for n := range plantest.Share(3_000, 800, 400) {
		p := drawn.Evicted(r)
		if n%3 == 1 {
			p.Rules.Objective = heights[r.IntN(len(heights))]
		}
		if len(evictbound.All(p)) == 0 {
			continue
		}
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided {
			continue
		}
		o := Options{Options: plan.Options{Minimize: true}}
		if r.IntN(4) == 0 {
			o.NodeLimit = 1 + r.Int64N(50)
		}
		got := evict(t, context.Background(), p, auto(t), o)
		counts[got.Status]++
		if judged(t, p, &got, best) {
			met++
		}
	}
	planned := counts[model.Optimal] + counts[model.Feasible]
	t.Logf("%v, %d of %d plans are the best", counts, met, planned)
	if counts[model.Optimal]*10 < planned*4 || met*10 < planned*8 {
		t.Errorf("%v, %d of %d plans are the best", counts, met, planned)
	}
}

// TestFew plans tiny problems set by set, half of them with an early end, and compares the answers with brute force.
func TestFew(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 25))
	counts := map[model.Status]int{}
	for n := range plantest.Share(3_000, 600, 500) {
		p := drawn.Evicted(r)
		if n%2 == 1 {
			p.Rules.Objective = heights[r.IntN(len(heights))]
		}
		if len(evictbound.All(p)) == 0 {
			continue
		}
		best, _, decided := oracle.Ruled(p, 100_000)
		if !decided {
			continue
		}
		ctx := context.Background()
		if n%4 > 1 {
			ctx = run.EndAtLook(ctx, r.Int64N(30))
		}
		got := evict(t, ctx, p, auto(t), Options{Options: plan.Options{Minimize: true}, Few: Few})
		counts[got.Status]++
		judged(t, p, &got, best)
	}
	if t.Log(counts); min(counts[model.Optimal], counts[model.Feasible], counts[model.Infeasible]) < 20 {
		t.Errorf("the test is lopsided: %v", counts)
	}
}

// TestLoads plans 21 buffers in two pools. All choices of pools would take too long to refute the sets that are too
// cheap, but the loads refute them.
func TestLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pools := []model.Pool{{ID: "x"}, {ID: "y"}}
	p := &model.Problem{Rules: &model.Rules{Pools: pools, Objective: []model.Measure{model.MeasureEviction}}}
	load := int64(0)
	for i := range 21 {
		b := model.Buffer{ID: strconv.Itoa(i), Lower: 0, Upper: 10, Size: 50 + r.Int64N(100)}
		switch {
		case i < 8:
			b.Size, b.Lower, b.Upper = 30, 3, 9
			b.Extra = &model.Extra{Evictions: []model.Eviction{{Lower: 4, Upper: 7, Cost: int64(20 + i)}}}
		case i == 20:
			b.Size, b.Lower, b.Upper = 40, 5, 6
		}
		load += b.Size
		p.Buffers = append(p.Buffers, b)
	}
	p.Rules.Pools[0].Capacity, p.Rules.Pools[1].Capacity = (load-30)/2, (load-30)/2
	x := evict(t, context.Background(), p, auto(t), Options{Few: Few})
	if price := model.ValueOf(x.Measures, model.MeasureEviction); x.Status != model.Optimal || price != 41 {
		t.Errorf("%v at %d, bounds %v", x.Status, price, x.Bounds)
	}
}

// TestBoundEnds has many evictions and a bound that is met: one plan beside that of all evictions is made.
func TestBoundEnds(t *testing.T) {
	p := gen.TrainingSteps()[4]
	p.Capacity = 42467328
	planner := auto(t)
	x := evict(t, context.Background(), p, planner, Options{Few: Few})
	price := model.ValueOf(x.Measures, model.MeasureEviction)
	if x.Status != model.Optimal || price != 21233664 || planner.asked > 2 {
		t.Errorf("%v at %d after %d plans, bounds %v", x.Status, price, planner.asked, x.Bounds)
	}
}

// TestHoles gives the tensors of U-Net large alignments, so that the cheapest cover of the loads has no plan.
func TestHoles(t *testing.T) {
	p := gen.TrainingSteps()[1]
	p.Capacity = 276470976
	for i := range p.Buffers {
		p.Buffers[i].Alignment = 4096 << (i % 3)
	}
	x := evict(t, context.Background(), p, auto(t), Options{Few: Few})
	// 138776576 when this was written; 205906944 without slack.
	if price := model.ValueOf(x.Measures, model.MeasureEviction); !x.Status.HasPlan() || price > 150_000_000 {
		t.Errorf("%v at %d, bounds %v", x.Status, price, x.Bounds)
	}
}

// TestSlack plans problems in which the cheapest cover of the loads often has no plan, because of alignments: a set
// that is a little dearer is found, and few evictions more than needed are taken. Without leaving out they cost 1.18
// times the least, with it 1.05.
func TestSlack(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 10))
	holes, same, sum, least := 0, 0, int64(0), int64(0)
	for range plantest.Share(1_000, 150, 100) {
		p := drawn.Loaded(r)
		p.Rules = &model.Rules{Objective: []model.Measure{model.MeasureEviction}}
		p.Capacity = 26
		for i := range p.Buffers {
			p.Buffers[i].Alignment, p.Buffers[i].Extra.Pools = 1<<r.IntN(4), nil
			p.Buffers[i].Gaps = nil
		}
		if len(evictbound.All(p)) == 0 {
			continue
		}
		ask := func(few int) plan.Result { return evict(t, context.Background(), p, auto(t), Options{Few: few}) }
		best := ask(12)
		if best.Status != model.Optimal {
			continue
		}
		many := ask(0)
		if !many.Status.HasPlan() {
			t.Fatalf("%v where there is a plan", many.Status)
		}
		price := model.ValueOf(many.Measures, model.MeasureEviction)
		optimum := model.ValueOf(best.Measures, model.MeasureEviction)
		if many.Bounds[0].Value >= optimum {
			continue // the loads say it all
		}
		holes, sum, least = holes+1, sum+price, least+optimum
		if price == optimum {
			same++
		}
	}
	t.Logf("%d problems with holes: %d as cheap as can be, %d in place of %d in all", holes, same, sum, least)
	if holes < 15 || same*10 < holes*7 || sum*100 > least*112 {
		t.Errorf("%d problems with holes: %d as cheap as can be, %d in place of %d in all", holes, same, sum, least)
	}
}

// TestEvictLimits ends runs early: what comes back is a plan or unknown, never more.
func TestEvictLimits(t *testing.T) {
	p := gen.TrainingSteps()[2]
	p.Capacity = 4398208
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for name, ask := range map[string]func() plan.Result{
		"cancelled": func() plan.Result { return evict(t, over, p, auto(t), Options{Few: Few}) },
		"one node": func() plan.Result {
			return evict(t, context.Background(), p, auto(t), Options{Options: plan.Options{NodeLimit: 1}, Few: Few})
		},
		"none": func() plan.Result { return evict(t, context.Background(), p, auto(t), Options{Few: Few}) },
	} {
		r := ask()
		price := model.ValueOf(r.Measures, model.MeasureEviction)
		t.Log(name, r.Status, r.Stopped, price, r.Bounds)
		switch {
		case r.Status == model.Infeasible, r.Status == model.Optimal && price != 2199936, name == "none" &&
			price > 2250000:
			t.Errorf("%s: %v, %v", name, r.Status, r.Measures)
		case !r.Status.HasPlan():
			continue
		}
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() || r.Bounds[0].Value > 2199936 {
			t.Errorf("%s: %v, bounds %v", name, report.Violations, r.Bounds)
		}
	}
}
