package run

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// puppet is a planner that returns what a test tells it to.
type puppet struct {
	name string
	plan func(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error)
}

func (p puppet) Name() string { return p.name }

func (p puppet) Info() plan.Info { return plan.Info{Name: p.name} }

func (p puppet) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return p.plan(ctx, tl, o)
}

// stack has three buffers of 4, and two of them overlap. The load is 8.
func stack() *timeline.Timeline {
	return timeline.New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 4},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
		{ID: "c", Lower: 3, Upper: 4, Size: 4},
	}})
}

// TestConclusions gives Run the results that a planner may return, and checks what Run makes of them. The load is 8.
func TestConclusions(t *testing.T) {
	offsets := func(x ...int64) model.Plan { return model.Plan{Offsets: x} }
	for _, tc := range []struct {
		name     string
		capacity int64
		give     plan.Result
		want     plan.Result
	}{
		{
			"a plan at the bound is optimal", 0,
			plan.Result{Status: model.Feasible, Plan: offsets(0, 4, 0), Member: "m", Stats: plan.Stats{Nodes: 3, Backtracks: 2}},
			plan.Result{
				Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 0}, Height: 8}, LowerBound: 8, Member: "m",
				Stats: plan.Stats{Nodes: 3, Backtracks: 2},
			},
		},
		{
			"a plan above it is not", 20,
			plan.Result{Status: model.Feasible, Plan: offsets(0, 4, 6)},
			plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"the planner's own bound counts", 20,
			plan.Result{Status: model.Feasible, Plan: offsets(0, 4, 6), LowerBound: 10},
			plan.Result{Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 10},
		},
		{
			"a lower bound of the planner's does not", 20,
			plan.Result{Status: model.Feasible, Plan: offsets(0, 4, 6), LowerBound: 3},
			plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"an optimum is its own bound", 20,
			plan.Result{Status: model.Optimal, Plan: offsets(0, 4, 6)},
			plan.Result{Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 10},
		},
		{
			"a height claimed is not believed", 20,
			plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 5}},
			plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"without a plan there are no offsets", 20,
			plan.Result{Status: model.Unknown, Plan: model.Plan{Offsets: []int64{0, 40, 6}, Height: 44}, LowerBound: 9},
			plan.Result{Status: model.Unknown, LowerBound: 9},
		},
		{
			"infeasible bounds the height", 20,
			plan.Result{Status: model.Infeasible, Plan: offsets(0, 40, 6)},
			plan.Result{Status: model.Infeasible, LowerBound: 21},
		},
		{
			"a planner may know a higher bound", 20,
			plan.Result{Status: model.Infeasible, LowerBound: 30},
			plan.Result{Status: model.Infeasible, LowerBound: 30},
		},
	} {
		p := puppet{"puppet", func(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
			return tc.give, nil
		}}
		got, err := Run(context.Background(), p, stack(), plan.Options{Capacity: tc.capacity})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got.Stats.Elapsed <= 0 || got.Stats.Elapsed > time.Minute {
			t.Errorf("%s: elapsed %v", tc.name, got.Stats.Elapsed)
		}
		tc.want.Planner, got.Stats.Elapsed = "puppet", 0
		if got.Status != tc.want.Status || !slices.Equal(got.Offsets, tc.want.Offsets) || got.Height != tc.want.Height ||
			got.LowerBound != tc.want.LowerBound ||
			got.Planner != tc.want.Planner || got.Member != tc.want.Member || got.Stats != tc.want.Stats {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// TestInfeasibleByBound: below the lower bound Run does not call the planner.
func TestInfeasibleByBound(t *testing.T) {
	called := 0
	p := puppet{"puppet", func(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
		called++
		return plan.Result{}, nil
	}}
	for _, minimize := range []bool{false, true} {
		r, err := Run(context.Background(), p, stack(), plan.Options{Capacity: 7, Minimize: minimize})
		if err != nil || r.Status != model.Infeasible || r.LowerBound != 8 || r.Planner != "puppet" || r.Offsets != nil ||
			called > 0 {
			t.Errorf("got %+v, %v, %d calls", r, err, called)
		}
	}
	if r, err := Run(context.Background(), p, stack(), plan.Options{Capacity: 8}); err != nil ||
		r.Status != model.Unknown || called != 1 {
		t.Errorf("at the bound: got %+v, %v, %d calls", r, err, called)
	}
}

func TestRunPasses(t *testing.T) {
	type key struct{}
	refused := errors.New("no windows here")
	ctx := context.WithValue(context.Background(), key{}, 1)
	p := puppet{"puppet", func(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
		if ctx.Value(key{}) != 1 || o.Seed != 7 || o.Capacity != 9 || len(tl.Problem.Buffers) != 3 {
			t.Errorf("the planner gets %+v", o)
		}
		if deadline, ok := ctx.Deadline(); ok != (o.Timeout > 0) || ok && time.Until(deadline) > o.Timeout {
			t.Errorf("timeout %v: deadline %v, %v", o.Timeout, deadline, ok)
		}
		return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 0}}}, refused
	}}
	for _, timeout := range []time.Duration{0, time.Hour} {
		if r, err := Run(ctx, p, stack(), plan.Options{Seed: 7, Capacity: 9, Timeout: timeout}); !errors.Is(err,
			refused) || r.Offsets != nil || r.Status != model.Unknown {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	// The timeout ends only the planner's context.
	waits := puppet{"puppet", func(ctx context.Context, _ *timeline.Timeline, _ plan.Options) (plan.Result, error) {
		<-ctx.Done()
		return plan.Result{}, nil
	}}
	if r, err := Run(ctx, waits, stack(), plan.Options{Timeout: time.Millisecond}); err != nil ||
		r.Status != model.Unknown || ctx.Err() != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestNoBuffers plans nothing: an empty plan is optimal.
func TestNoBuffers(t *testing.T) {
	p := puppet{"puppet", func(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
		return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{}}}, nil
	}}
	for _, capacity := range []int64{0, 1} {
		if r, err := Run(context.Background(), p, timeline.New(&model.Problem{}),
			plan.Options{Capacity: capacity}); err != nil || r.Status != model.Optimal || r.Height != 0 || r.LowerBound != 0 {
			t.Errorf("capacity %d: got %+v, %v", capacity, r, err)
		}
	}
}

// TestWrongCount: a plan with too few offsets does not panic. Run leaves it to verify to refuse it.
func TestWrongCount(t *testing.T) {
	for _, offsets := range [][]int64{nil, {0}, {0, 4, 0, 4}} {
		p := puppet{"puppet", func(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
			return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: offsets}}, nil
		}}
		if r, err := Run(context.Background(), p, stack(), plan.Options{}); err != nil || len(r.Offsets) != len(offsets) ||
			!r.Status.HasPlan() {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

// TestStart: a run never ends higher than the plan that it started from, even if the planner ignores that plan.
func TestStart(t *testing.T) {
	for _, tc := range []struct {
		name     string
		capacity int64
		minimize bool
		start    []int64
		give     plan.Result
		status   model.Status
		height   int64
		member   string
	}{
		{"a higher plan gives way", 0, false, []int64{0, 5, 0}, plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 6, 0}}, Member: "m",
		}, model.Feasible, 9, "start"},
		{"at the bound it is optimal", 0, false, []int64{0, 4, 0}, plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 6, 0}},
		}, model.Optimal, 8, "start"},
		{"a lower plan stays", 0, false, []int64{0, 7, 0}, plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 6, 0}}, Member: "m",
		}, model.Feasible, 10, "m"},
		{"no plan gives way", 10, false, []int64{0, 6, 0}, plan.Result{Status: model.Unknown}, model.Feasible, 10, "start"},
		{"but not to one above the capacity", 9, false, []int64{0, 6, 0}, plan.Result{Status: model.Unknown}, model.Unknown, 0, ""},
		{"any plan that fits will do", 20, false, []int64{0, 5, 0}, plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 6, 0}}, Member: "m",
		}, model.Feasible, 10, "m"},
		{"unless the lowest is wanted", 20, true, []int64{0, 5, 0}, plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 6, 0}}, Member: "m",
		}, model.Feasible, 9, "start"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := puppet{"p", func(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
				return tc.give, nil
			}}
			r, err := Run(t.Context(), p, stack(), plan.Options{Capacity: tc.capacity, Minimize: tc.minimize, Start: tc.start})
			if err != nil || r.Status != tc.status || r.Height != tc.height || r.Member != tc.member {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
