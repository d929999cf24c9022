package outer

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
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
	known, err := plan.Find("auto")
	if err != nil {
		t.Fatal(err)
	}
	return &counted{Planner: run.Prepared(known)}
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
	x, err := (&search{planner: auto(t)}).evict(context.Background(), p, time.Now(), fewEvictions)
	if err != nil {
		t.Fatal(err)
	}
	if price := model.ValueOf(x.Measures, model.MeasureEviction); x.Status != model.Optimal || price != 41 {
		t.Errorf("%v at %d, bounds %v", x.Status, price, x.Bounds)
	}
}

// TestBoundEnds has many evictions and a bound that is met: one plan beside that of all evictions is made.
func TestBoundEnds(t *testing.T) {
	p := gen.TrainingSteps()[4]
	p.Capacity = 42467328
	planner := auto(t)
	x, err := (&search{planner: planner}).evict(context.Background(), p, time.Now(), fewEvictions)
	if err != nil {
		t.Fatal(err)
	}
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
	x, err := (&search{planner: auto(t)}).evict(context.Background(), p, time.Now(), fewEvictions)
	if err != nil {
		t.Fatal(err)
	}
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
		p := loaded(r)
		p.Rules = &model.Rules{Objective: []model.Measure{model.MeasureEviction}}
		p.Capacity = 26
		for i := range p.Buffers {
			p.Buffers[i].Alignment, p.Buffers[i].Extra.Pools = 1<<r.IntN(4), nil
			p.Buffers[i].Gaps = nil
		}
		if len(stretches(p)) == 0 {
			continue
		}
		ask := func(few int) plan.Result {
			got, err := (&search{planner: auto(t)}).evict(context.Background(), p, time.Now(), few)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
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
	for name, ask := range map[string]func(*search) (plan.Result, error){
		"cancelled": func(s *search) (plan.Result, error) {
			return s.evict(over, p, time.Now(), fewEvictions)
		},
		"one node": func(s *search) (plan.Result, error) {
			s.options.NodeLimit = 1
			return s.evict(context.Background(), p, time.Now(), fewEvictions)
		},
		"none": func(s *search) (plan.Result, error) {
			return s.evict(context.Background(), p, time.Now(), fewEvictions)
		},
	} {
		r, err := ask(&search{planner: auto(t)})
		if err != nil {
			t.Fatal(err)
		}
		price := model.ValueOf(r.Measures, model.MeasureEviction)
		t.Log(name, r.Status, r.Stopped, price, r.Bounds)
		switch {
		case r.Status == model.Infeasible, r.Status == model.Optimal && price != 2199936, name == "none" && price > 2250000:
			t.Errorf("%s: %v, %v", name, r.Status, r.Measures)
		case !r.Status.HasPlan():
			continue
		}
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() || r.Bounds[0].Value > 2199936 {
			t.Errorf("%s: %v, bounds %v", name, report.Violations, r.Bounds)
		}
	}
}
