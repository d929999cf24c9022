package inorder_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// drawn returns buffers in pools with borders, or of two or three kinds in pools whose pages may differ.
func drawn(r *rand.Rand, borders bool) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Objective: []model.Measure{model.MeasureMaxHeight}}}
	if r.IntN(2) == 0 {
		p.Rules.Objective[0] = model.MeasureHeight
	}
	for k := range 1 + r.IntN(3) {
		q := model.Pool{ID: fmt.Sprint("heap", k)}
		for at := int64(0); borders && len(q.Borders) < 30; {
			at += 1 + r.Int64N(6000)
			q.Borders = append(q.Borders, at)
		}
		if !borders {
			q.Granularity = 1 + r.Int64N(4000)
		}
		p.Rules.Pools = append(p.Rules.Pools, q)
	}
	if !borders {
		p.Rules.Kinds = make([][]int32, 2+r.IntN(2))
	}
	for i := range 20 + r.Int32N(30) {
		lower := r.Int64N(30)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: fmt.Sprint(i), Lower: lower, Upper: lower + 1 + r.Int64N(12), Size: 1 << r.IntN(13) * (8 + r.Int64N(8)) / 8,
			Extra: &model.Extra{Spans: borders && r.IntN(3) == 0},
		})
		if !borders {
			k := int(i) % len(p.Rules.Kinds)
			p.Rules.Kinds[k] = append(p.Rules.Kinds[k], i)
		}
	}
	return p
}

// simple is the greedy of those who have no planner: the largest buffer first, into the pool in which it ends lowest. It
// returns the height of each pool.
func simple(p *model.Problem) []int64 {
	kind, order := p.Rules.KindOf(len(p.Buffers)), make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.Buffers[j].Size, p.Buffers[i].Size) })
	at, in, height := make([]int64, len(order)), make([]int, len(order)), make([]int64, len(p.Rules.Pools))
	for n, i := range order {
		b, least := &p.Buffers[i], int64(-1)
		for q, pool := range p.Rules.Pools {
			offset := int64(0)
			for again := true; again; {
				again = false
				for _, j := range order[:n] {
					o := &p.Buffers[j]
					if in[j] != q || o.Lower >= b.Upper || b.Lower >= o.Upper {
						continue
					}
					low, high, g := at[j], at[j]+o.Size, pool.Granularity
					if g > 0 && kind[i] != kind[j] {
						low, high = low/g*g, (high+g-1)/g*g
					}
					if offset < high && low < offset+b.Size {
						offset, again = high, true
					}
				}
				for _, border := range pool.Borders {
					if offset < border && border < offset+b.Size && !b.Extra.Spans {
						offset, again = border, true
					}
				}
			}
			if least < 0 || offset+b.Size < least {
				least, at[i], in[i] = offset+b.Size, offset, q
			}
		}
		height[in[i]] = max(height[in[i]], least)
	}
	return height
}

// TestNeverAboveGreedy: plans are no higher than that of the greedy, and often lower.
func TestNeverAboveGreedy(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("first-fit"))(t))
	for name, borders := range map[string]bool{"borders": true, "pages": false} {
		r := rand.New(rand.NewPCG(45, 19))
		problems, lower := plantest.Share(100, 16), 0
		for range problems {
			p := drawn(r, borders)
			x := must.Get(ruled.Solve(context.Background(), p, planner, plan.Options{Minimize: true, NodeLimit: 2000}))(t)
			if fault := verify.FirstOf(p, &x.Plan); fault != "" {
				t.Fatal(fault)
			}
			goal, heights := p.Objective()[0], simple(p)
			greedy, height := slices.Max(heights), model.ValueOf(x.Measures, goal)
			if goal == model.MeasureHeight {
				greedy = 0
				for _, h := range heights {
					greedy += h
				}
			}
			if height > greedy {
				t.Errorf("%s: %s %d of %v, above the greedy's %d", name, goal, height, p.Rules.Pools, greedy)
			}
			if height < greedy {
				lower++
			}
		}
		if lower < problems/4 {
			t.Errorf("%s: lower than the greedy on %d of %d", name, lower, problems)
		}
	}
}

// TestWithoutRules: plans without the rules mostly break them, so the test above is about the rules.
func TestWithoutRules(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("first-fit"))(t))
	for name, borders := range map[string]bool{"borders": true, "pages": false} {
		r := rand.New(rand.NewPCG(45, 19))
		broken := 0
		for range 20 {
			p := drawn(r, borders)
			q, rules := *p, *p.Rules
			q.Rules, rules.Pools = &rules, slices.Clone(rules.Pools)
			for k := range rules.Pools {
				rules.Pools[k].Granularity, rules.Pools[k].Borders = 0, nil
			}
			x := must.Get(ruled.Solve(context.Background(), &q, planner, plan.Options{Minimize: true, NodeLimit: 2000}))(t)
			if verify.FirstOf(p, &x.Plan) != "" {
				broken++
			}
		}
		if broken < 15 {
			t.Errorf("%s: %d of 20 plans without the rule break it", name, broken)
		}
	}
}
