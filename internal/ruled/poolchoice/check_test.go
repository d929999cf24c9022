package poolchoice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/pools"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestCheck: of problems whose cheapest loads do not pack, the cheapest assignment that packs is found and proven by
// the check of branches alone. Brute force asks about every assignment.
func TestCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 3))
	met, cores, few := 0, 0, 0
	want := plantest.Share(400, 60, 30)
	for n := 0; met < want; n++ {
		if n > 10*want {
			t.Fatalf("%d of %d problems", met, want)
		}
		// Sets whose load fits and that do not pack; some follow each other in time.
		p := &model.Problem{Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "fast", Capacity: 24}, {ID: "slow"}},
			Objective: []model.Measure{model.MeasureCost},
		}}
		for part := range 1 + n%2 {
			in := must.Get(gen.New("infeasible",
				gen.Options{Buffers: 9 + n%2*part, Capacity: 24, Horizon: 24, Seed: uint64(2*n + part)}))(t)
			for _, b := range in.Problem.Buffers {
				b.ID = strconv.Itoa(len(p.Buffers))
				b.Lower, b.Upper = b.Lower+24*int64(part), b.Upper+24*int64(part)
				b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(60)}}}
				p.Buffers = append(p.Buffers, b)
			}
		}
		for k := range 2 { // these have no room beside all others
			b := model.Buffer{ID: "more " + strconv.Itoa(k), Lower: r.Int64N(10), Size: 4 + r.Int64N(8)}
			b.Upper = b.Lower + 10 + r.Int64N(10)
			b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(20)}}}
			p.Buffers = append(p.Buffers, b)
		}
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		first, _ := c.loads.Cheapest(context.Background(), never, third)
		x := c.packing(nil)
		failed := must.Get(x.try(context.Background(), first))(t)
		if failed < 0 || !x.loads.CanCheck() {
			continue
		}
		met++
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
		k := x.checkerOf()
		if k == nil {
			t.Fatal("no windows")
		}
		x.checker = k
		must.Do(t, x.checkOn(context.Background()))
		if !x.found || x.least != best || x.loads.Low != best {
			t.Fatalf("found %v: %d, bound %d, best %d\n%s", x.found, x.least, x.loads.Low, best, drawn.DescribeRuled(p))
		}
		if slices.ContainsFunc(k.hot, func(w window) bool { return w.last-w.first < k.windows.Sections }) {
			few++
		}
		cores += k.named
	}
	t.Logf("%d problems, %d cores, %d with a window that is a part", met, cores, few)
	if cores < met || few < met/2 {
		t.Errorf("%d problems, %d cores, %d with a window that is a part", met, cores, few)
	}
}

// shortSighted plans as exact does, but leaves a problem undecided if it is long or has a fixed offset. After many
// questions it calls enough.
type shortSighted struct {
	run.Planner
	asked  *int
	enough func()
}

func (s shortSighted) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if *s.asked++; *s.asked == 5_000 {
		s.enough()
	}
	fixed := func(b model.Buffer) bool { return b.Fixed != nil }
	if buffers := tl.Problem.Buffers; len(buffers) > 260 || slices.ContainsFunc(buffers, fixed) {
		return plan.Result{Status: model.Unknown}, nil
	}
	return s.Planner.Plan(ctx, tl, o)
}

// TestCheckUndecided: if all windows have plans and the whole set is left undecided, that is no proof against the set.
func TestCheckUndecided(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{
		Pools:     []model.Pool{{ID: "fast", Capacity: 24}, {ID: "slow"}},
		Objective: []model.Measure{model.MeasureCost},
	}}
	for n := range int64(400) {
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.FormatInt(n, 10), Lower: n, Upper: n + 3 + n%2, Size: 6 + n%3,
			Extra: &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + n%7}}},
		})
	}
	ctx, enough := context.WithCancel(context.Background())
	defer enough()
	asked := 0
	c, ok := chooserOf(p, shortSighted{find(t, "exact"), &asked, enough})
	if !ok {
		t.Fatal("the loads alone leave no plan")
	}
	c.loads.Cheapest(ctx, never, third)
	k := c.packing(nil).checkerOf()
	must.Get(k.pass(ctx, 1))(t)
	if k.named > 0 || k.missed == 0 || ctx.Err() != nil {
		t.Errorf("%d cores, %d sets left undecided, %d questions; want no core", k.named, k.missed, asked)
	}
}
