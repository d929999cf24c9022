package plan

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/timeline"
)

// puppet is a planner that does as it is told.
type puppet struct {
	name string
	plan func(ctx context.Context, tl *timeline.Timeline, o Options) (Result, error)
}

func (p puppet) Info() Info { return Info{Name: p.name} }

func (p puppet) Plan(ctx context.Context, tl *timeline.Timeline, o Options) (Result, error) {
	return p.plan(ctx, tl, o)
}

// withRegistry runs f on an empty registry.
func withRegistry(t *testing.T, f func()) {
	t.Helper()
	saved := registry
	defer func() { registry = saved }()
	registry = nil
	f()
}

func TestRegistry(t *testing.T) {
	withRegistry(t, func() {
		if _, err := Lookup("a"); err == nil || len(All()) != 0 || len(Names()) != 0 {
			t.Error("the empty registry is not empty")
		}
		for _, name := range []string{"m", "z", "a", "first-fit"} {
			Register(puppet{name: name})
		}
		if want := []string{"a", "first-fit", "m", "z"}; !slices.Equal(Names(), want) {
			t.Errorf("the names are %v, want %v", Names(), want)
		}
		for _, name := range Names() {
			if p, err := Lookup(name); err != nil || p.Info().Name != name {
				t.Errorf("Lookup(%q) = %v, %v", name, p, err)
			}
		}
		for _, name := range []string{"", "b", "zz", "FIRST-FIT"} {
			want := `no planner is named "` + name + `"; there are a, first-fit, m, z`
			if p, err := Lookup(name); p != nil || err == nil || err.Error() != want {
				t.Errorf("Lookup(%q) = %v, %v, want the error %s", name, p, err, want)
			}
		}
		All()[0] = puppet{name: "other"}
		if Names()[0] != "a" {
			t.Error("All gives the registry itself away")
		}
		defer func() {
			if what := recover(); what != "plan: two planners are named m" {
				t.Errorf("a second m: %v", what)
			}
		}()
		Register(puppet{name: "m"})
	})
}

func TestCheckOptions(t *testing.T) {
	rich := Info{Name: "rich", Techniques: []Technique{{Name: "memo"}, {Name: "lifting"}}, Params: []Param{{Name: "orders"}, {Name: "beam"}}}
	poor := Info{Name: "poor"}
	for _, tc := range []struct {
		info Info
		o    Options
		want []string
	}{
		{poor, Options{}, nil},
		{rich, Options{Without: []string{"memo", "lifting"}, Params: map[string]string{"beam": "3"}, Capacity: 1, Timeout: 1, NodeLimit: 1, Workers: 1}, nil},
		{rich, Options{Without: []string{"memo", "mem", ""}}, []string{`planner rich has no technique "mem"; it has memo, lifting`, `planner rich has no technique ""; it has memo, lifting`}},
		{poor, Options{Without: []string{"memo"}}, []string{`planner poor has no technique "memo"; it has none`}},
		{rich, Options{Params: map[string]string{"z": "1", "a": "2", "beam": ""}}, []string{`planner rich has no parameter "a"; it has orders, beam`, `planner rich has no parameter "z"; it has orders, beam`}},
		{poor, Options{Params: map[string]string{"beam": "3"}}, []string{`planner poor has no parameter "beam"; it has none`}},
		{poor, Options{Capacity: -1}, []string{"the capacity must not be negative"}},
		{poor, Options{Timeout: -1}, []string{"the timeout must not be negative"}},
		{poor, Options{NodeLimit: -1}, []string{"the node limit must not be negative"}},
		{poor, Options{Workers: -1}, []string{"the number of workers must not be negative"}},
		{poor, Options{Capacity: -1, Timeout: -1, NodeLimit: -1, Workers: -1, Without: []string{"x"}}, []string{
			`planner poor has no technique "x"; it has none`, "the capacity must not be negative", "the timeout must not be negative",
			"the node limit must not be negative", "the number of workers must not be negative",
		}},
	} {
		var got []string
		if err := CheckOptions(tc.info, tc.o); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %+v: got %q, want %q", tc.info.Name, tc.o, got, tc.want)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		o                Options
		minimizing, fits bool // of the height 10
	}{
		{Options{}, true, true},
		{Options{Capacity: 9}, false, false},
		{Options{Capacity: 10}, false, true},
		{Options{Capacity: 9, Minimize: true}, true, false},
		{Options{Minimize: true}, true, true},
	} {
		if tc.o.Minimizing() != tc.minimizing || tc.o.Fits(10) != tc.fits {
			t.Errorf("%+v: minimising %v, 10 fits %v", tc.o, tc.o.Minimizing(), tc.o.Fits(10))
		}
	}
}

// stack is three buffers of 4, two of which overlap each other: load 8.
func stack() *timeline.Timeline {
	return timeline.New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4}, {ID: "c", Lower: 3, Upper: 4, Size: 4},
	}})
}

// TestConclusions gives Run what a planner may return and checks what it makes
// of it. The load is 8.
func TestConclusions(t *testing.T) {
	offsets := func(x ...int64) model.Plan { return model.Plan{Offsets: x} }
	for _, tc := range []struct {
		name     string
		capacity int64
		give     Result
		want     Result
	}{
		{
			"a plan at the bound is optimal", 0,
			Result{Status: model.Feasible, Plan: offsets(0, 4, 0), Member: "m", Stats: Stats{Nodes: 3, Backtracks: 2}},
			Result{Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 0}, Height: 8}, LowerBound: 8, Member: "m", Stats: Stats{Nodes: 3, Backtracks: 2}},
		},
		{
			"a plan above it is not", 20,
			Result{Status: model.Feasible, Plan: offsets(0, 4, 6)},
			Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"the planner's own bound counts", 20,
			Result{Status: model.Feasible, Plan: offsets(0, 4, 6), LowerBound: 10},
			Result{Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 10},
		},
		{
			"a lower bound of the planner's does not", 20,
			Result{Status: model.Feasible, Plan: offsets(0, 4, 6), LowerBound: 3},
			Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"an optimum is its own bound", 20,
			Result{Status: model.Optimal, Plan: offsets(0, 4, 6)},
			Result{Status: model.Optimal, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 10},
		},
		{
			"a height claimed is not believed", 20,
			Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 5}},
			Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 6}, Height: 10}, LowerBound: 8},
		},
		{
			"without a plan there are no offsets", 20,
			Result{Status: model.Unknown, Plan: model.Plan{Offsets: []int64{0, 40, 6}, Height: 44}, LowerBound: 9},
			Result{Status: model.Unknown, LowerBound: 9},
		},
		{
			"infeasible bounds the height", 20,
			Result{Status: model.Infeasible, Plan: offsets(0, 40, 6)},
			Result{Status: model.Infeasible, LowerBound: 21},
		},
		{
			"a planner may know a higher bound", 20,
			Result{Status: model.Infeasible, LowerBound: 30},
			Result{Status: model.Infeasible, LowerBound: 30},
		},
	} {
		p := puppet{"puppet", func(context.Context, *timeline.Timeline, Options) (Result, error) { return tc.give, nil }}
		got, err := Run(context.Background(), p, stack(), Options{Capacity: tc.capacity})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got.Stats.Elapsed <= 0 || got.Stats.Elapsed > time.Minute {
			t.Errorf("%s: elapsed %v", tc.name, got.Stats.Elapsed)
		}
		tc.want.Planner, got.Stats.Elapsed = "puppet", 0
		if got.Status != tc.want.Status || !slices.Equal(got.Offsets, tc.want.Offsets) || got.Height != tc.want.Height || got.LowerBound != tc.want.LowerBound ||
			got.Planner != tc.want.Planner || got.Member != tc.want.Member || got.Stats != tc.want.Stats {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// TestInfeasibleByBound needs no planner.
func TestInfeasibleByBound(t *testing.T) {
	called := 0
	p := puppet{"puppet", func(context.Context, *timeline.Timeline, Options) (Result, error) {
		called++
		return Result{}, nil
	}}
	for _, minimize := range []bool{false, true} {
		r, err := Run(context.Background(), p, stack(), Options{Capacity: 7, Minimize: minimize})
		if err != nil || r.Status != model.Infeasible || r.LowerBound != 8 || r.Planner != "puppet" || r.Offsets != nil || called > 0 {
			t.Errorf("got %+v, %v, %d calls", r, err, called)
		}
	}
	if r, err := Run(context.Background(), p, stack(), Options{Capacity: 8}); err != nil || r.Status != model.Unknown || called != 1 {
		t.Errorf("at the bound: got %+v, %v, %d calls", r, err, called)
	}
}

func TestRunPasses(t *testing.T) {
	type key struct{}
	refused := errors.New("no windows here")
	ctx := context.WithValue(context.Background(), key{}, 1)
	p := puppet{"puppet", func(ctx context.Context, tl *timeline.Timeline, o Options) (Result, error) {
		if ctx.Value(key{}) != 1 || o.Seed != 7 || o.Capacity != 9 || len(tl.Problem.Buffers) != 3 {
			t.Errorf("the planner gets %+v", o)
		}
		if deadline, ok := ctx.Deadline(); ok != (o.Timeout > 0) || ok && time.Until(deadline) > o.Timeout {
			t.Errorf("timeout %v: deadline %v, %v", o.Timeout, deadline, ok)
		}
		return Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{0, 4, 0}}}, refused
	}}
	for _, timeout := range []time.Duration{0, time.Hour} {
		if r, err := Run(ctx, p, stack(), Options{Seed: 7, Capacity: 9, Timeout: timeout}); !errors.Is(err, refused) || r.Offsets != nil || r.Status != model.Unknown {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	// The timeout ends the planner's context, and no other.
	waits := puppet{"puppet", func(ctx context.Context, _ *timeline.Timeline, _ Options) (Result, error) {
		<-ctx.Done()
		return Result{}, nil
	}}
	if r, err := Run(ctx, waits, stack(), Options{Timeout: time.Millisecond}); err != nil || r.Status != model.Unknown || ctx.Err() != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestNoBuffers plans nothing: an empty plan is optimal.
func TestNoBuffers(t *testing.T) {
	p := puppet{"puppet", func(context.Context, *timeline.Timeline, Options) (Result, error) {
		return Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{}}}, nil
	}}
	for _, capacity := range []int64{0, 1} {
		if r, err := Run(context.Background(), p, timeline.New(&model.Problem{}), Options{Capacity: capacity}); err != nil || r.Status != model.Optimal || r.Height != 0 || r.LowerBound != 0 {
			t.Errorf("capacity %d: got %+v, %v", capacity, r, err)
		}
	}
}

// TestWrongCount is a plan with too few offsets: it is left for verify to
// refuse, and is no reason to panic.
func TestWrongCount(t *testing.T) {
	for _, offsets := range [][]int64{nil, {0}, {0, 4, 0, 4}} {
		p := puppet{"puppet", func(context.Context, *timeline.Timeline, Options) (Result, error) {
			return Result{Status: model.Feasible, Plan: model.Plan{Offsets: offsets}}, nil
		}}
		if r, err := Run(context.Background(), p, stack(), Options{}); err != nil || len(r.Offsets) != len(offsets) || !r.Status.HasPlan() {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}
