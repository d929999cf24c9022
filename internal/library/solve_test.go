package library_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
)

// solve calls Solve and checks what it promises of every result.
func solve(t *testing.T, p *stowage.Problem, o stowage.Options) *stowage.Result {
	t.Helper()
	before := must.Get(json.Marshal(p))(t)
	r := must.Get(stowage.Solve(context.Background(), p, o))(t)
	capacity := p.CapacityOr(o.Capacity)
	if r.Status.HasPlan() {
		if report := verified(t, p, r.Offsets, capacity); !report.OK() || report.Height != r.Height {
			t.Fatalf("%s: height %d, report %+v", r.Planner, r.Height, report)
		}
	} else if r.Offsets != nil {
		t.Fatalf("%s: %s, with offsets", r.Planner, r.Status)
	}
	if after, err := json.Marshal(p); err != nil || string(after) != string(before) {
		t.Fatalf("%s changes its problem", r.Planner)
	}
	return r
}

// verified checks a plan of a good problem.
func verified(t *testing.T, p *stowage.Problem, offsets []int64, capacity int64) *stowage.Report {
	t.Helper()
	return must.Get(stowage.Verify(p, offsets, capacity))(t)
}

// TestSolve: the meaning of the problem's capacity, the options' capacity and Minimize together.
func TestSolve(t *testing.T) {
	for _, tc := range []struct {
		own     int64 // the capacity of the problem; the lowest plan has 12
		o       stowage.Options
		status  stowage.Status
		height  int64 // 0 for any that fits
		planner string
	}{
		{0, stowage.Options{}, stowage.Optimal, 12, "auto"},
		{12, stowage.Options{}, stowage.Optimal, 12, "auto"},
		{11, stowage.Options{}, stowage.Infeasible, 0, "auto"},
		{11, stowage.Options{Capacity: 12}, stowage.Optimal, 12, "auto"},
		{12, stowage.Options{Capacity: 11}, stowage.Infeasible, 0, "auto"},
		{100, stowage.Options{Minimize: true}, stowage.Optimal, 12, "auto"},
		{11, stowage.Options{Minimize: true}, stowage.Infeasible, 0, "auto"},
		{12, stowage.Options{Planner: "exact"}, stowage.Optimal, 12, "exact"},
		{0, stowage.Options{Planner: "exact", Workers: 4, Seed: 3}, stowage.Optimal, 12, "exact"},
		{40, stowage.Options{Planner: "first-fit"}, stowage.Optimal, 12, "first-fit"},
	} {
		p := gen.MiniMalloc()
		p.Capacity = tc.own
		r := solve(t, p, tc.o)
		if r.Status != tc.status || r.Height != tc.height || r.Planner != tc.planner {
			t.Errorf("capacity %d, %+v: %s %d by %s, want %s %d by %s", tc.own, tc.o, r.Status, r.Height, r.Planner,
				tc.status, tc.height, tc.planner)
		}
		if r.LowerBound != 12 {
			t.Errorf("capacity %d, %+v: bound %d", tc.own, tc.o, r.LowerBound)
		}
	}
}

func TestMinimize(t *testing.T) {
	p := gen.MiniMalloc()
	p.Capacity = 1000
	r, err := stowage.Minimize(context.Background(), p, stowage.Options{Planner: "exact"})
	if err != nil || r.Status != stowage.Optimal || r.Height != 12 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestNothingToPlan(t *testing.T) {
	for _, info := range stowage.Planners() {
		if strings.HasPrefix(info.Name, "test-") {
			continue
		}
		for _, capacity := range []int64{0, 1} {
			r := solve(t, &stowage.Problem{}, stowage.Options{Planner: info.Name, Capacity: capacity})
			if r.Status != stowage.Optimal || r.Height != 0 || len(r.Offsets) != 0 {
				t.Errorf("%s, capacity %d: %s %d", info.Name, capacity, r.Status, r.Height)
			}
		}
	}
}

// TestPlanners runs every planner on small problems with every feature; one that cannot honour a feature must say so.
func TestPlanners(t *testing.T) {
	infos := stowage.Planners()
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
		if info.Summary == "" || info.Source == "" || strings.Contains(info.Summary, "\n") {
			t.Errorf("%s is not described: %+v", info.Name, info)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the names are %v", names)
	}
	for _, want := range []string{"auto", "exact", "first-fit", stowage.DefaultPlanner} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no planner %s among %v", want, names)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "test-") {
			continue
		}
		plans, refusals := 0, 0
		for seed := range uint64(60) {
			p := drawn.Tiny(seed)
			minimum, _, feasible := oracle.MinHeight(p)
			r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: name, NodeLimit: 2000})
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), name) || errors.Is(err, stowage.ErrInvalidPlan) {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
				refusals++
			case r.Status.HasPlan():
				report := verified(t, p, r.Offsets, 0)
				if !report.OK() || r.Height < minimum || !feasible || r.Status == stowage.Optimal && r.Height != minimum ||
					r.LowerBound > minimum {
					t.Errorf("%s, seed %d: %s %d, bound %d, optimum %d", name, seed, r.Status, r.Height, r.LowerBound, minimum)
				}
				plans++
			case r.Status == stowage.Infeasible && feasible:
				t.Errorf("%s, seed %d: infeasible", name, seed)
			}
		}
		if plans < 10 || plans+refusals < 40 {
			t.Errorf("%s: %d plans and %d refusals of 60", name, plans, refusals)
		}
	}
}

// TestInputErrors gives each function each kind of bad input.
func TestInputErrors(t *testing.T) {
	ctx := context.Background()
	bad := &stowage.Problem{
		Capacity: 10, Buffers: []stowage.Buffer{{ID: "a", Upper: 1}, {ID: "a", Upper: 1, Size: 1}, {Upper: 1, Size: 1}},
	}
	const badText = "buffer a: size \"0\": must be from 1 to 2305843009213693951\nbuffer a: id \"a\": is a duplicate: the buffer at index 0 has the same\nbuffer number 3: id: is empty"
	two := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4}, {ID: "b", Upper: 1, Size: 4}}}
	for _, tc := range []struct {
		name string
		p    *stowage.Problem
		o    stowage.Options
		want string // of an *InputError, or
		is   error
	}{
		{name: "problem", p: bad, want: badText},
		{name: "no problem", want: "the problem is nil"},
		{name: "capacity of the problem", p: &stowage.Problem{Capacity: -3}, want: `capacity "-3": must be from 1 to 2305843009213693951, or 0 for none`},
		{name: "capacity too large", p: two, o: stowage.Options{Capacity: 1 << 62}, want: `capacity "4611686018427387904": must be from 1 to 2305843009213693951, or 0 for none`},
		{name: "technique", p: two, o: stowage.Options{Planner: "first-fit", Without: []string{"x"}}, want: `planner first-fit has no technique "x"; it has none`},
		{name: "parameter", p: two, o: stowage.Options{Planner: "exact", Params: map[string]string{"order": "A"}}, want: `planner exact has no parameter "order"; it has orders`},
		{
			name: "value of a parameter", p: two,
			o:    stowage.Options{Planner: "exact", Capacity: 9, Params: map[string]string{"orders": "AQ"}},
			want: `planner exact: parameter orders must be orders separated by commas, of the keys ACLOTUWZ, not "AQ"`,
		},
		{
			name: "negative numbers", p: two,
			o: stowage.Options{Capacity: -1, Timeout: -time.Second, NodeLimit: -2, Workers: -3},
			want: "capacity \"-1\": must be from 1 to 2305843009213693951, or 0 for none\ntimeout \"-1s\": must not be negative\n" +
				"node limit \"-2\": must not be negative\nworkers \"-3\": must not be negative",
		},
		{
			name: "all at once", p: bad,
			o: stowage.Options{
				Planner: "climb", NodeLimit: -1, Without: []string{"memo"}, Params: map[string]string{"random": "101", "deep": ""},
			},
			want: "planner climb has no technique \"memo\"; it has core, mend, rebuild, crests, critical\n" +
				"planner climb has no parameter \"deep\"; it has random, core-nodes, patience\n" +
				"planner climb: parameter random must be a whole number from 0 to 100, not \"101\"\nnode limit \"-1\": must not be negative\n" + badText,
		},
		{name: "planner", p: two, o: stowage.Options{Planner: "nobody"}, want: `no planner is named "nobody"; the planners are auto, `, is: stowage.ErrUnknownPlanner},
	} {
		_, solveErr := stowage.Solve(ctx, tc.p, tc.o)
		_, minimizeErr := stowage.Minimize(ctx, tc.p, tc.o)
		_, explainErr := stowage.Explain(ctx, tc.p, tc.o)
		_, smallestErr := stowage.ExplainSmallest(ctx, tc.p, tc.o)
		for k, err := range []error{solveErr, minimizeErr, explainErr, smallestErr} {
			var input *stowage.InputError
			switch {
			case err == nil:
				t.Errorf("%s, function %d: no error", tc.name, k)
			case tc.is != nil:
				if !errors.Is(err, tc.is) || !strings.HasPrefix(err.Error(), tc.want) {
					t.Errorf("%s, function %d: %v, want %s", tc.name, k, err, tc.want)
				}
			case !errors.As(err, &input) || err.Error() != tc.want || input.Total != strings.Count(tc.want, "\n")+1:
				t.Errorf("%s, function %d: %v, want\n%s", tc.name, k, err, tc.want)
			}
		}
	}
	var none context.Context
	for k, f := range []func() error{
		func() error { _, err := stowage.Solve(none, two, stowage.Options{Timeout: time.Second}); return err },
		func() error { _, err := stowage.Minimize(none, two, stowage.Options{}); return err },
		func() error { _, err := stowage.Explain(none, two, stowage.Options{Capacity: 4}); return err },
		func() error { _, err := stowage.ExplainSmallest(none, two, stowage.Options{Capacity: 4}); return err },
	} {
		var input *stowage.InputError
		if err := f(); !errors.As(err, &input) || err.Error() != "there is no context: it is nil" {
			t.Errorf("function %d without a context: %v", k, err)
		}
	}
	for _, p := range []*stowage.Problem{nil, bad} {
		var input *stowage.InputError
		if _, err := stowage.LowerBound(p); !errors.As(err, &input) {
			t.Errorf("LowerBound of a bad problem: %v", err)
		}
	}
}

// TestFixedAboveCapacity is no bad input: there is no plan, and that is proven.
func TestFixedAboveCapacity(t *testing.T) {
	at := int64(8)
	high := &stowage.Problem{Capacity: 20, Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4, Fixed: &at}}}
	for _, info := range stowage.Planners() {
		if strings.HasPrefix(info.Name, "test-") {
			continue
		}
		for _, minimize := range []bool{false, true} {
			o := stowage.Options{Planner: info.Name, Capacity: 11, Minimize: minimize}
			if r := solve(t, high, o); r.Status != stowage.Infeasible || r.LowerBound != 12 || r.Collision != nil ||
				r.Stopped != stowage.Finished {
				t.Errorf("%s: got %+v", info.Name, r)
			}
		}
	}
	if r := solve(t, high, stowage.Options{Capacity: 12}); r.Status != stowage.Optimal || r.Offsets[0] != 8 {
		t.Errorf("got %+v", r)
	}
}

// TestCollision names the buffers whose fixed offsets collide, with and without
// a capacity, by every planner that knows fixed offsets.
func TestCollision(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 4, Size: 4},
		{ID: "b", Lower: 2, Upper: 6, Size: 5, Fixed: at(8)},
		{ID: "c", Lower: 0, Upper: 3, Size: 6, Fixed: at(4)},
		{ID: "d", Lower: 4, Upper: 6, Size: 8, Fixed: at(0)},
	}}
	want := stowage.Collision{A: 1, B: 2, Lower: 2, Upper: 3, Start: 8, End: 10}
	refusals := 0
	for _, info := range stowage.Planners() {
		if strings.HasPrefix(info.Name, "test-") {
			continue
		}
		for _, o := range []stowage.Options{{}, {Capacity: 100}, {Capacity: 100, Minimize: true}, {Capacity: 9}} {
			o.Planner = info.Name
			r, err := stowage.Solve(context.Background(), p, o)
			if errors.Is(err, stowage.ErrUnsupported) {
				refusals++
				continue
			}
			if err != nil || r.Status != stowage.Infeasible || r.Collision == nil || *r.Collision != want {
				t.Errorf("%s, %+v: %+v, %v", info.Name, o, r, err)
			}
		}
	}
	if refusals > 40 {
		t.Errorf("%d refusals", refusals)
	}
	p.Buffers[1].Fixed = at(10)
	if r := solve(t, p, stowage.Options{}); r.Status != stowage.Optimal || r.Collision != nil {
		t.Errorf("side by side: %+v", r)
	}
}

// TestErrUnsupported has a planner refuse a feature.
func TestErrUnsupported(t *testing.T) {
	at := int64(0)
	p := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4, Fixed: &at}}}
	for _, info := range stowage.Planners() {
		_, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: info.Name})
		if info.Name == "contention" && !errors.Is(err, stowage.ErrUnsupported) ||
			err != nil && !errors.Is(err, stowage.ErrUnsupported) && !errors.Is(err, stowage.ErrInvalidPlan) {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}

// TestStopped ends runs in every way there is.
func TestStopped(t *testing.T) {
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 80, Seed: 2}))(t)
	hard := &stowage.Problem{Buffers: in.Problem.Buffers}
	bound := must.Get(stowage.LowerBound(hard))(t)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer stop()
	stowage.Register(own{"test-tired", func(_ context.Context, p *stowage.Problem,
		_ stowage.Options,
	) (stowage.Result, error) {
		return stowage.Result{}, nil
	}})
	for _, tc := range []struct {
		name string
		ctx  context.Context
		p    *stowage.Problem
		o    stowage.Options
		want stowage.Stop
	}{
		{"an optimum", context.Background(), gen.MiniMalloc(), stowage.Options{
			Minimize: true, Timeout: time.Hour, NodeLimit: 1 << 40,
		}, stowage.Finished},
		{"any plan that fits", context.Background(), hard, stowage.Options{Capacity: 4 * bound, Timeout: time.Hour}, stowage.Finished},
		{"none that fits", context.Background(), hard, stowage.Options{Capacity: bound - 1, Timeout: time.Hour}, stowage.Finished},
		{"a heuristic", context.Background(), hard, stowage.Options{Planner: "first-fit"}, stowage.Finished},
		{"the timeout", context.Background(), hard, stowage.Options{Planner: "exact", Timeout: 20 * time.Millisecond}, stowage.StopTimeout},
		{"the timeout of auto", context.Background(), hard, stowage.Options{Timeout: 20 * time.Millisecond}, stowage.StopTimeout},
		{"a deadline that is over", late, hard, stowage.Options{Planner: "exact"}, stowage.StopTimeout},
		{"nodes", context.Background(), hard, stowage.Options{Planner: "exact", NodeLimit: 50}, stowage.StopNodes},
		{"nodes of auto", context.Background(), hard, stowage.Options{NodeLimit: 500}, stowage.StopNodes},
		{"a cancelled context", gone, hard, stowage.Options{Planner: "exact"}, stowage.StopInterrupt},
		{"a cancelled context of auto", gone, hard, stowage.Options{}, stowage.StopInterrupt},
		{"effort", context.Background(), hard, stowage.Options{Without: []string{"exact", "climb"}}, stowage.StopEffort},
		{"one who gives up", context.Background(), hard, stowage.Options{Planner: "test-tired"}, stowage.Finished},
	} {
		r, err := stowage.Solve(tc.ctx, tc.p, tc.o)
		if err != nil || r.Stopped != tc.want {
			t.Errorf("%s: %+v, %v, want stopped by %q", tc.name, r, err, tc.want)
		}
	}
}

// TestProgress: the callback is called by one goroutine at a time, the height falls, the bound rises, and the plan is
// valid.
func TestProgress(t *testing.T) {
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 80, Seed: 2}))(t)
	p := &stowage.Problem{Buffers: in.Problem.Buffers}
	for name, o := range map[string]stowage.Options{
		"auto": {NodeLimit: 20_000}, "exact": {NodeLimit: 20_000, Workers: 3}, "climb": {NodeLimit: 1 << 18, Workers: 3},
	} {
		var calls, plans int
		var last stowage.Progress
		busy := false
		o.Planner, o.Progress = name, func(now stowage.Progress) {
			if busy {
				t.Errorf("%s: called twice at once", name)
			}
			busy = true
			calls++
			if now.LowerBound < 1 || now.Elapsed <= 0 || now.Elapsed < last.Elapsed {
				t.Errorf("%s: %+v after %+v", name, now, last)
			}
			if now.Offsets != nil {
				plans++
				if r := verified(t, p, now.Offsets, 0); !r.OK() || r.Height != now.Height {
					t.Errorf("%s: a plan of height %d, reported as %d: %v", name, r.Height, now.Height, r.Violations)
				}
			}
			last, last.Offsets = now, nil
			busy = false
		}
		_, err := stowage.Minimize(context.Background(), p, o)
		if err != nil || calls == 0 {
			t.Errorf("%s: %d calls, %d of them with a plan, %v", name, calls, plans, err)
		}
	}
}

func TestStart(t *testing.T) {
	p := gen.MiniMalloc()
	for _, tc := range []struct {
		start []int64
		want  string
	}{
		{[]int64{8, 8, 4, 4, 0}, ""},
		{[]int64{108, 8, 4, 4, 0}, ""}, // above the capacity, but a plan
		{[]int64{8, 8}, "start: the plan has 2 offsets, but the problem has 5 buffers"},
		{[]int64{8, 8, 4, 4, 1}, `start: buffers "b3" (size 4 at offset 4) and "b5" (size 4 at offset 1) both use bytes [4, 5) at times [0, 9)`},
	} {
		for _, name := range []string{"auto", "exact", "first-fit"} {
			for _, minimize := range []bool{false, true} {
				r, err := stowage.Solve(context.Background(), p,
					stowage.Options{Planner: name, Minimize: minimize, Start: tc.start})
				var input *stowage.InputError
				if tc.want == "" && (err != nil || r.Status != stowage.Optimal) {
					t.Errorf("%s from %v: %+v, %v", name, tc.start, r, err)
				}
				if tc.want != "" && (!errors.As(err, &input) || !strings.HasPrefix(err.Error(), tc.want)) {
					t.Errorf("%s from %v: %v, want %s", name, tc.start, err, tc.want)
				}
			}
		}
	}
}
