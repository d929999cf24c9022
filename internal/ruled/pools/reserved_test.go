package pools

import (
	"context"
	"testing"

	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestHopeless: a case is left out only if a buffer is longer than every hole below its limit, or the load above the
// holes together. If they are just as large, it is asked about.
func TestHopeless(t *testing.T) {
	for _, x := range []struct {
		sizes    []int64
		capacity int64
		first    int
		possible bool
	}{
		{[]int64{4, 3}, 20, 0, true}, // 7 below the first range
		{[]int64{4, 4}, 20, 1, true}, // 8 do not fit there, 7 + 2 below the second
		{[]int64{4, 5}, 20, 1, true},
		{[]int64{4, 6}, 20, 2, true}, // above the second
		{[]int64{8}, 20, 2, true},    // longer than the first two holes
		{[]int64{8}, 19, 2, false},
		{[]int64{7, 2, 8}, 20, 2, true}, // all that is free
		{[]int64{7, 2, 7, 2}, 20, 2, false},
	} {
		p := &model.Problem{
			Rules: &model.Rules{
				Pools: []model.Pool{
					{ID: "x", Capacity: x.capacity, Reserved: []model.Range{{Lower: 7, Upper: 8}, {Lower: 10, Upper: 12}}},
				},
			},
		}
		var all []int32
		for k, size := range x.sizes {
			p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + k)), Upper: 2, Size: size})
			all = append(all, int32(k))
		}
		if first, possible := hopeless(lower.New(p).Strip(0, all, nil), 2, x.capacity); first != x.first ||
			possible != x.possible {
			t.Errorf("%v in %d: %d, %v; want %d, %v", x.sizes, x.capacity, first, possible, x.first, x.possible)
		}
	}
}

// unsure is a planner that leaves the first question undecided.
type unsure struct {
	run.Planner
	asked int
}

func (u *unsure) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if u.asked++; u.asked == 1 {
		return plan.NewResult(model.Unknown, nil), nil
	}
	return u.Planner.Plan(ctx, tl, o)
}

// TestUndecidedCase: if it is open whether a plan ends below the first range, a plan above the range is not proven
// the lowest, and its bound is the first case's.
func TestUndecidedCase(t *testing.T) {
	known := must.Get(plan.Find("exact"))(t)
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 9, Capacity: 24, Horizon: 24, Seed: 1}))(t)
	p := &model.Problem{Buffers: in.Problem.Buffers, Rules: &model.Rules{
		Pools:     []model.Pool{{ID: "x", Capacity: 100, Reserved: []model.Range{{Lower: 24, Upper: 25}}}},
		Objective: []model.Measure{model.MeasureHeight},
	}}
	for _, first := range []model.Status{model.Infeasible, model.Unknown} {
		planner := &unsure{Planner: run.Prepared(known)}
		if first == model.Infeasible {
			planner.asked = 1 // sure of all
		}
		s := New(lower.New(p), planner, plan.Options{Minimize: true}, plan.Stats{})
		s.assign(make([]int32, len(p.Buffers)))
		a := must.Get(s.plan(context.Background(), s.pools[0].strip, 100, true))(t)
		switch {
		case planner.asked < 2 || a.height <= 25:
			t.Errorf("first %v: asked %d times, height %d", first, planner.asked, a.height)
		case first == model.Infeasible && (a.status != model.Optimal || a.bound != a.height):
			t.Errorf("no plan below the range: %v, %d, bound %d; want optimal", a.status, a.height, a.bound)
		case first == model.Unknown && (a.status != model.Feasible || a.bound > 24):
			t.Errorf("it is not known if there is a plan below the range: %v, %d, bound %d; want feasible, and at most 24",
				a.status, a.height, a.bound)
		}
	}
}
