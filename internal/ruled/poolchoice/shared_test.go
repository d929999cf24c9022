package poolchoice

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled/heights"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// divisible returns buffers that may be in any of a few pools of objects, or in some. Some have two extents.
func divisible(r *rand.Rand) *model.Problem {
	goals := [][]model.Measure{{model.MeasureMaxHeight}, {model.MeasureHeight}, {model.MeasureObjects, model.MeasureHeight}}
	p := &model.Problem{Rules: &model.Rules{Objective: goals[r.IntN(len(goals))]}}
	for k := range 2 + r.IntN(2) {
		p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: fmt.Sprint("heap", k), Objects: true})
	}
	extents, some := r.IntN(3) == 0, r.IntN(2) == 0
	for i := range 12 + r.IntN(50) {
		lower := r.Int64N(40)
		b := model.Buffer{ID: fmt.Sprint(i), Lower: lower, Upper: lower + 1 + r.Int64N(12), Size: 1 << r.IntN(9) * (8 + r.Int64N(8)) / 8}
		b.Size = max(1, b.Size)
		if some && r.IntN(3) == 0 {
			b.Extra = &model.Extra{Pools: []int32{int32(r.IntN(len(p.Rules.Pools)))}}
		}
		if extents {
			b.SetExtents([]int64{1 + r.Int64N(32), 1 + r.Int64N(32)})
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// naive is the greedy of those who have no planner: the largest buffer first, into the object that makes the first
// measure least.
func naive(p *model.Problem) (value int64) {
	type shared struct {
		pool int32
		box  model.Box
		of   []int
	}
	var all []shared
	goal, height := p.Objective()[0], make([]int64, len(p.Rules.Pools))
	values := func(count int) (v [2]int64) {
		for _, h := range height {
			if v[1] += h; goal == model.MeasureMaxHeight {
				v[0] = max(v[0], h)
			}
		}
		switch goal {
		case model.MeasureHeight:
			v[0] = v[1]
		case model.MeasureObjects:
			v[0] = int64(count)
		}
		return v
	}
	order := make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.Buffers[j].Size, p.Buffers[i].Size) })
	for _, i := range order {
		b := &p.Buffers[i]
		best, into := [2]int64{}, -1
		try := func(k int, pool int32, more int64, count int) {
			height[pool] += more
			if v := values(count); into < 0 || slices.Compare(v[:], best[:]) < 0 {
				best, into = v, k
			}
			height[pool] -= more
		}
		for k, o := range all {
			free := b.MayUse(o.pool) && !slices.ContainsFunc(o.of, func(j int) bool {
				return p.Buffers[j].Lower < b.Upper && b.Lower < p.Buffers[j].Upper
			})
			if free {
				try(k, o.pool, o.box.Over(b.Box()).Bytes()-o.box.Bytes(), len(all))
			}
		}
		for q := range p.Rules.Pools {
			if b.MayUse(int32(q)) {
				try(len(all)+q, int32(q), b.Box().Bytes(), len(all)+1)
			}
		}
		if q := into - len(all); q >= 0 {
			into = len(all)
			all = append(all, shared{pool: int32(q)})
		}
		o, before := &all[into], int64(0)
		if len(o.of) > 0 {
			before = o.box.Bytes()
		}
		o.box, o.of = o.box.Over(b.Box()), append(o.of, i)
		height[o.pool] += o.box.Bytes() - before
	}
	return values(len(all))[0]
}

// TestShared: plans of several pools of objects are no worse than the greedy's, and often better. The orders alone are
// valid plans.
func TestShared(t *testing.T) {
	planner := run.Prepared(must.Get(plan.Find("first-fit"))(t))
	r := rand.New(rand.NewPCG(45, 20))
	problems, lower := plantest.Share(200, 40), 0
	for range problems {
		p := divisible(r)
		goal := p.Objective()[0]
		x := must.Get(Plan(context.Background(), p, planner, plan.Options{Minimize: true, NodeLimit: 2000}, plan.Stats{}))(t)
		if fault := verify.FirstOf(p, &x.Plan); fault != "" {
			t.Fatal(fault)
		}
		value, greedy := model.ValueOf(x.Measures, goal), naive(p)
		if value > greedy {
			t.Errorf("%s %d, above the greedy's %d", goal, value, greedy)
		}
		if value < greedy {
			lower++
		}
		c, ok := chooserOf(p, planner)
		if !ok {
			t.Fatal("no choices")
		}
		found := heights.Shared(c.lowering, c.loads, c.sharing()).Descend(context.Background(), make([]int64, 2))
		made := model.Plan{Offsets: found.Offsets, Pools: found.Pools}
		made.Height = model.ValueOf(model.MeasuresOf(p, &made), model.MeasureHeight)
		if fault := verify.FirstOf(p, &made); fault != "" {
			t.Fatal(fault)
		}
		if of := model.ValueOf(model.MeasuresOf(p, &made), goal); of > greedy || of > found.Values[0] {
			t.Errorf("%s %d of an order, said to be %d; the greedy's is %d", goal, of, found.Values[0], greedy)
		}
	}
	if lower < problems/4 {
		t.Errorf("better than the greedy on %d of %d", lower, problems)
	}
}
