package poolchoice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestFloors: 40 buffers in two pools that cost the same have 2^40 assignments. The height is proven by what is live.
func TestFloors(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}}
	for i := range int64(40) {
		b := model.Buffer{ID: strconv.FormatInt(i, 10), Size: 1 + i%7, Lower: i % 5, Upper: i%5 + 3}
		p.Buffers = append(p.Buffers, b)
	}
	c, _ := chooserOf(p, find(t, "auto"))
	r, err := c.decide(context.Background())
	if err != nil || r.Status != model.Optimal {
		t.Errorf("%v: %v, bounds %v", r.Status, r.Measures, r.Bounds)
	}
}

// TestFloorsHold compares the bounds of heights with the loads of every assignment that costs no more than the best
// plan.
func TestFloorsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 21))
	met, above := 0, 0
	for range plantest.Share(400, 80, 40) {
		p := drawn.Several(r, 3+r.IntN(3))
		if r.IntN(3) == 0 { // equal buffers that share equal pools evenly
			for q := range p.Rules.Pools {
				p.Rules.Pools[q] = model.Pool{ID: p.Rules.Pools[q].ID}
			}
			for i := range p.Buffers {
				p.Buffers[i] = model.Buffer{ID: p.Buffers[i].ID, Upper: 1, Size: 3}
			}
			p.Rules.Apart = nil
		}
		p.Rules.Objective = []model.Measure{model.MeasureCost, model.MeasureHeight}
		c, ok := chooserOf(p, find(t, "exact"))
		if !ok {
			continue
		}
		if _, ok := c.loads.Cheapest(context.Background(), never, third); !ok {
			continue
		}
		var costs []int64
		each(c.loads, func(of assign.Assignment) { costs = append(costs, c.loads.Cost(of)) })
		for _, cost := range []int64{slices.Min(costs), costs[r.IntN(len(costs))]} {
			c.floors = floors{}
			c.best = &plan.Result{Measures: []model.Value{{Measure: model.MeasureCost, Value: cost}}}
			measures := []model.Measure{model.MeasureHeight, model.MeasureMaxHeight}
			for _, q := range c.lowering.Pools {
				measures = append(measures, model.HeightIn(q.ID))
			}
			least := slices.Repeat([]int64{math.MaxInt64}, len(measures))
			each(c.loads, func(of assign.Assignment) {
				if c.loads.Cost(of) > cost {
					return
				}
				heights := c.loadsOf(of)
				values := append([]int64{0, slices.Max(heights)}, heights...)
				for _, h := range heights {
					values[0] += h
				}
				for k := range values {
					least[k] = min(least[k], values[k])
				}
			})
			for k, m := range measures {
				bound := c.leastOf(m)
				if bound > least[k] {
					t.Fatalf("the bound of %s is %d for plans up to %d; there are loads of %d\n%s", m, bound, cost, least[k],
						drawn.DescribeRuled(p))
				}
				if met++; bound > 0 {
					above++
				}
			}
		}
	}
	if t.Log(above, "of", met); above*3 < met {
		t.Errorf("%d of %d bounds say something", above, met)
	}
}

// loadsOf returns the largest load of each pool.
func (c *chooser) loadsOf(of assign.Assignment) []int64 {
	most := make([]int64, len(c.lowering.Pools))
	in := make([][]int64, len(c.lowering.Pools))
	for q := range in {
		in[q] = make([]int64, c.loads.Sections)
	}
	pool := c.loads.PoolOf(of)
	for k := range c.loads.Bodies {
		q := pool[c.loads.Bodies[k].Members[0]]
		for _, u := range c.loads.Bodies[k].Uses {
			for t := u.First; t < u.Last; t++ {
				in[q][t] += u.To - u.From
				most[q] = max(most[q], in[q][t])
			}
		}
	}
	return most
}
