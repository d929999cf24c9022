package poolchoice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// failing draws a problem whose cheapest assignment by loads does not pack. It returns that assignment and the first
// pool without a plan.
func failing(t *testing.T, r *rand.Rand, n int) (x *packing, first assign.Assignment, failed int32) {
	t.Helper()
	for range 1_000 {
		p := drawn.Tight(r, n)
		p.Rules.Objective = []model.Measure{model.MeasureCost}
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		first, _ = c.loads.Cheapest(context.Background(), never, third)
		x = c.packing(first)
		failed := must.Get(x.try(context.Background(), first))(t)
		if x.failed = failed; failed >= 0 {
			return x, first, failed
		}
	}
	t.Fatal("everything packs")
	return nil, nil, 0
}

// TestPack: if the cheapest assignment by loads does not pack, the cheapest that packs is found, and mostly proven.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 32))
	proven, cores := 0, 0
	const met = 40
	for range met {
		x, first, failed := failing(t, r, 8)
		low := x.loads.Low
		y, err := x.coreOf(context.Background(), failed, first)
		if err != nil || !y.proven {
			t.Fatal("no core of a small problem", err)
		}
		if len(y.bodies) < len(x.loads.Bodies)/2 {
			cores++
		}
		for k := range y.bodies {
			rest := x.membersOf(slices.Delete(slices.Clone(y.bodies), k, k+1))
			if status, err := x.plans.Packs(context.Background(), failed, rest, pools.PackNodes); err != nil ||
				!status.HasPlan() {
				t.Fatalf("core %v does not pack without its %d: %v", y.bodies, k, status)
			}
		}
		best := int64(math.MaxInt64)
		each(x.loads, func(of assign.Assignment) {
			if cost := x.loads.Cost(of); cost < best {
				members := split(x.lowering.Pools, x.loads.PoolOf(of))[0]
				status, err := x.plans.Packs(context.Background(), 0, members, pools.PackNodes)
				if err != nil || status == model.Unknown {
					t.Fatal(status, err)
				}
				if len(members) == 0 || status.HasPlan() {
					best = cost
				}
			}
		})
		c := &chooser{lowering: x.lowering, plans: x.plans, loads: x.loads, costFirst: x.costFirst, byLoads: first}
		if err := c.pack(context.Background()); err != nil || c.packed == nil {
			t.Fatal("nothing packs", err)
		}
		packed := c.packed
		if x.loads.Cost(packed) != best || x.loads.Low > best {
			t.Fatalf("packed %d, bound %d, best %d\n%s", x.loads.Cost(packed), x.loads.Low, best,
				drawn.DescribeRuled(x.lowering.Problem))
		}
		if x.loads.Low == best && low < best {
			proven++
		}
	}
	t.Logf("%d proven by classes, %d cores are less than half", proven, cores)
	if proven < met/2 || cores < met/4 {
		t.Errorf("of %d, %d proven by classes, %d cores are less than half", met, proven, cores)
	}
}

// TestNotTheCheapest: classes that begin with an assignment that is not the cheapest prove nothing false.
func TestNotTheCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 34))
	dearer := 0
	for range 20 {
		x, _, _ := failing(t, r, 8)
		low, best := x.loads.Low, int64(math.MaxInt64)
		var fail []assign.Assignment
		each(x.loads, func(of assign.Assignment) {
			x.best, x.least, x.left = nil, math.MaxInt64, mostPacked
			failed := must.Get(x.try(context.Background(), of))(t)
			if failed < 0 {
				best = min(best, x.loads.Cost(of))
			} else {
				fail = append(fail, slices.Clone(of))
			}
		})
		for _, of := range fail {
			if x.loads.Cost(of) <= best {
				continue
			}
			dearer++
			x.loads.Low, x.best, x.least, x.left, x.first = low, nil, math.MaxInt64, r.IntN(2), of
			must.Do(t, x.without(context.Background()))
			if x.loads.Low > best {
				t.Fatalf("from one of cost %d the bound is %d, and the best is %d", x.loads.Cost(of), x.loads.Low, best)
			}
		}
	}
	if dearer < 20 {
		t.Errorf("%d assignments that do not pack are dearer than the best", dearer)
	}
}

// TestEvict: what evict makes of an assignment that does not pack is a plan.
func TestEvict(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 33))
	evicted := 0
	const met = 30
	for range met {
		x, first, _ := failing(t, r, 14)
		must.Do(t, x.evict(context.Background()))
		if x.best == nil {
			continue
		}
		evicted++
		result, err := x.plans.Plan(context.Background(), x.loads.PoolOf(x.best))
		if err != nil || !result.Status.HasPlan() || x.loads.Cost(first) > x.least {
			t.Fatal("no plan of what packs", err)
		}
	}
	if evicted < met*3/4 {
		t.Errorf("evict finds a plan in %d of %d", evicted, met)
	}
}

// patient is a planner that finds nothing with few nodes.
type patient struct {
	run.Planner
	most int64 // nodes that it had
}

func (p *patient) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if o.NodeLimit > 0 && o.NodeLimit < firstNodes && len(tl.Problem.Buffers) > 4 {
		return plan.Result{Status: model.Unknown, Stats: plan.Stats{Nodes: 1}}, nil
	}
	p.most = max(p.most, o.NodeLimit)
	return p.Planner.Plan(ctx, tl, o)
}

// TestBegin: the planner is asked about the cheapest assignment a second time, with more nodes.
func TestBegin(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 37))
	met := 0
	for range 20 {
		p := drawn.Spilled(r, 14)
		asked := &patient{Planner: find(t, "exact")}
		c, _ := chooserOf(p, asked)
		first, _ := c.loads.Cheapest(context.Background(), never, third)
		if c.byLoads = first; first == nil {
			continue
		}
		must.Do(t, c.pack(context.Background()))
		packed := c.packed
		if packed != nil && c.loads.Cost(packed) == c.loads.Cost(first) && asked.most == firstNodes {
			met++
		}
	}
	if met < 15 {
		t.Errorf("the cheapest is found in %d of 20", met)
	}
}
