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
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// asAuto is a planner that is asked as auto is.
type asAuto struct{ run.Planner }

// Help is that of auto.
func (asAuto) Help() run.Help { return run.HelpStack }

func (asAuto) Name() string { return "auto" }

// TestOrders: of problems whose loads fit and that do not pack, the walk through orders finds and proves the cheapest
// choice that does. So it does if there are more pools, which are dearer for each buffer, wherever they stand in the
// list.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 18))
	above := 0
	for n := range 20 {
		in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Capacity: 24, Horizon: 24, Seed: uint64(n)}))(t)
		costs := make([]int64, len(in.Problem.Buffers))
		for i := range costs {
			costs[i] = 1 + r.Int64N(9)
		}
		best := int64(math.MaxInt64)
		for _, more := range []int{0, 1, 2, 3} {
			fast := r.IntN(2 + more)
			slow := (fast + 1 + r.IntN(1+more)) % (2 + more)
			p := *in.Problem
			p.Capacity, p.Buffers = 0, slices.Clone(p.Buffers)
			p.Rules = &model.Rules{Objective: []model.Measure{model.MeasureCost}}
			for q := range 2 + more {
				p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: strconv.Itoa(q)})
			}
			p.Rules.Pools[fast].Capacity = 24
			for i := range p.Buffers {
				x := &model.Extra{}
				for q := range 2 + more {
					switch q {
					case fast:
					case slow:
						x.Costs = append(x.Costs, model.PoolCost{Pool: int32(q), Cost: costs[i]})
					default:
						x.Costs = append(x.Costs, model.PoolCost{Pool: int32(q), Cost: costs[i] + 1 + r.Int64N(5)})
					}
				}
				p.Buffers[i].Extra = x
			}
			x, low := packed(t, &p, int32(fast))
			must.Do(t, x.orders(context.Background()))
			if x.walks != nil {
				must.Do(t, x.longOrders(context.Background()))
			}
			found, proven := x.least, x.loads.Low
			if more == 0 {
				each(x.loads, func(of assign.Assignment) {
					if cost := x.loads.Cost(of); cost < best {
						if failed, err := x.try(context.Background(), of); err != nil {
							t.Fatal(err)
						} else if failed < 0 {
							best = cost
						}
					}
				})
				if best > low {
					above++
				}
			}
			if found != best || proven != best {
				t.Fatalf("%d more pools: found %d, bound %d, want %d\n%s", more, found, proven, best, drawn.DescribeRuled(&p))
			}
		}
	}
	if above < 10 {
		t.Errorf("the loads had the bound in all but %d", above)
	}
}

// packed prepares the search for what packs. The cheapest assignment by loads does not pack, and one with all buffers
// beside the pool is known.
func packed(t *testing.T, p *model.Problem, fast int32) (x *packing, low int64) {
	t.Helper()
	c, ok := chooserOf(p, asAuto{find(t, "exact")})
	if !ok {
		t.Fatal("no choice")
	}
	first, _ := c.loads.Cheapest(context.Background(), never, third)
	x = c.packing(first)
	x.failed = fast
	if failed, err := x.try(context.Background(), first); err != nil || failed != fast {
		t.Fatalf("pool %d: %v", failed, err)
	}
	low = x.loads.Low
	out := make(assign.Assignment, len(first))
	for k := range out {
		out[k] = 1 // the pool itself is the cheapest
	}
	must.Get(x.try(context.Background(), out))(t)
	return x, low
}
