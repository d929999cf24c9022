package stowage_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// solve calls Solve and checks what it promises of every result.
func solve(t *testing.T, p *stowage.Problem, o stowage.Options) *stowage.Result {
	t.Helper()
	before, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := stowage.Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	capacity := o.Capacity
	if capacity == 0 {
		capacity = p.Capacity
	}
	if r.Status.HasPlan() {
		if report := stowage.Verify(p, r.Offsets, capacity); !report.OK() || report.Height != r.Height {
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

// TestSolve is about what the capacity of the problem, that of the options and
// Minimize mean together.
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
		p := suite.MiniMalloc()
		p.Capacity = tc.own
		r := solve(t, p, tc.o)
		if r.Status != tc.status || r.Height != tc.height || r.Planner != tc.planner {
			t.Errorf("capacity %d, %+v: %s %d by %s, want %s %d by %s", tc.own, tc.o, r.Status, r.Height, r.Planner, tc.status, tc.height, tc.planner)
		}
		if r.LowerBound != 12 {
			t.Errorf("capacity %d, %+v: bound %d", tc.own, tc.o, r.LowerBound)
		}
	}
}

func TestMinimize(t *testing.T) {
	p := suite.MiniMalloc()
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

// TestPlanners runs every planner on small problems with every feature; one
// that cannot honour a feature must say so.
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
			p := suite.Tiny(seed)
			minimum, _, feasible := suite.MinHeight(p)
			r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: name, NodeLimit: 2000})
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), name) || errors.Is(err, stowage.ErrInvalidPlan) {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
				refusals++
			case r.Status.HasPlan():
				report := stowage.Verify(p, r.Offsets, 0)
				if !report.OK() || r.Height < minimum || !feasible || r.Status == stowage.Optimal && r.Height != minimum || r.LowerBound > minimum {
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
	at := int64(8)
	ctx := context.Background()
	bad := &stowage.Problem{Capacity: 10, Buffers: []stowage.Buffer{{ID: "a", Upper: 1}, {ID: "a", Upper: 1, Size: 1}}}
	high := &stowage.Problem{Capacity: 20, Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4, Fixed: &at}}}
	two := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4}, {ID: "b", Upper: 1, Size: 4}}}
	for _, tc := range []struct {
		name  string
		p     *stowage.Problem
		o     stowage.Options
		input bool // an *InputError
		want  string
	}{
		{"problem", bad, stowage.Options{}, true, "buffer a: size \"0\": must be from 1 to 2305843009213693951\nbuffer a: id \"a\": is a duplicate: buffer number 1 has it too"},
		{"fixed above the capacity of the options", high, stowage.Options{Capacity: 11}, true, `buffer a: offset "8": ends above the capacity 11 with size 4`},
		{"capacity too large", two, stowage.Options{Capacity: 1 << 62}, true, `capacity "4611686018427387904": must be from 1 to 2305843009213693951, or 0 for none`},
		{"planner", two, stowage.Options{Planner: "nobody"}, false, `no planner is named "nobody"; there are auto, `},
		{"technique", two, stowage.Options{Planner: "first-fit", Without: []string{"x"}}, false, `planner first-fit has no technique "x"; it has none`},
		{"parameter", two, stowage.Options{Planner: "exact", Params: map[string]string{"order": "A"}}, false, `planner exact has no parameter "order"; it has orders`},
		{"value of a parameter", two, stowage.Options{Planner: "exact", Capacity: 9, Params: map[string]string{"orders": "AQ"}}, false, `planner exact: parameter orders must be orders separated by commas, of the keys ACLOTUWZ, not "AQ"`},
		{"negative capacity", two, stowage.Options{Capacity: -1}, false, "the capacity must not be negative"},
		{"negative limits", two, stowage.Options{Timeout: -1, NodeLimit: -1, Workers: -1}, false, "the timeout must not be negative\nthe node limit must not be negative\nthe number of workers must not be negative"},
	} {
		_, solveErr := stowage.Solve(ctx, tc.p, tc.o)
		_, minimizeErr := stowage.Minimize(ctx, tc.p, tc.o)
		o := tc.o
		if o.Capacity == 0 {
			o.Capacity = 9
		}
		_, explainErr := stowage.Explain(ctx, tc.p, o)
		for k, err := range []error{solveErr, minimizeErr, explainErr} {
			var input *stowage.InputError
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || errors.As(err, &input) != tc.input {
				t.Errorf("%s, function %d: %v, want %s", tc.name, k, err, tc.want)
			}
		}
	}
	if _, err := stowage.LowerBound(bad); err == nil {
		t.Error("LowerBound takes a bad problem")
	}
	if r := solve(t, high, stowage.Options{Capacity: 12}); r.Status != stowage.Optimal || r.Offsets[0] != 8 {
		t.Errorf("got %+v", r)
	}
}

func TestStart(t *testing.T) {
	p := suite.MiniMalloc()
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
				r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: name, Minimize: minimize, Start: tc.start})
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

// puppet is a planner that returns what it is told to.
type puppet struct{ result *plan.Result }

func (puppet) Info() plan.Info {
	return plan.Info{Name: "test-puppet", Summary: "returns what a test tells it to", Source: "stowage_test.go"}
}

func (p puppet) Plan(context.Context, *timeline.Timeline, plan.Options) (plan.Result, error) {
	return *p.result, nil
}

// TestInvalidPlan has a planner that is wrong: no invalid plan gets out.
func TestInvalidPlan(t *testing.T) {
	var result plan.Result
	run.Register(puppet{&result})
	p := suite.MiniMalloc()
	for _, tc := range []struct {
		offsets []int64
		want    string
	}{
		{[]int64{8, 8, 4, 4, 0}, ""},
		{[]int64{8, 8, 5, 4, 0}, `buffers "b1" (size 4 at offset 8) and "b3" (size 4 at offset 5) both use bytes [8, 9) at times [0, 3)`},
		{[]int64{9, 8, 4, 4, 0}, `buffer "b1" of size 4 is at offset 9 and ends at 13, above the capacity 12`},
		{[]int64{8, 8, 4, 4, -4}, `buffer "b5" is at offset -4, below zero`},
		{[]int64{8, 8, 4, 4}, "the plan has 4 offsets, but the problem has 5 buffers"},
		{nil, "the plan has 0 offsets, but the problem has 5 buffers"},
	} {
		for _, status := range []stowage.Status{stowage.Feasible, stowage.Optimal} {
			result = plan.Result{Status: status, Plan: stowage.Plan{Offsets: tc.offsets}}
			r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: "test-puppet"})
			if tc.want == "" {
				if err != nil || r.Height != 12 {
					t.Errorf("a valid plan is refused: %v", err)
				}
				continue
			}
			want := "stowage: a planner returned an invalid plan: test-puppet: " + tc.want
			if r != nil || !errors.Is(err, stowage.ErrInvalidPlan) || err.Error() != want {
				t.Errorf("%v: %+v, %v, want %s", tc.offsets, r, err, want)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	p := suite.MiniMalloc()
	p.Capacity = 1 // Verify goes by its argument
	if r := stowage.Verify(p, []int64{8, 8, 4, 4, 0}, 0); !r.OK() || r.Height != 12 {
		t.Errorf("a valid plan is refused: %+v", r)
	}
	r := stowage.Verify(p, []int64{8, 8, 4, 4, 0}, 11)
	if diff := cmp.Diff(2, r.Total); diff != "" {
		t.Errorf("%+v", r)
	}
	for k, v := range r.Violations {
		if v.A != k || v.B != -1 || !strings.Contains(v.Message, "above the capacity 11") {
			t.Errorf("violation %d is %+v", k, v)
		}
	}
}

func TestExplain(t *testing.T) {
	ctx := context.Background()
	p := suite.MiniMalloc()
	p.Capacity = 0
	if _, err := stowage.Explain(ctx, p, stowage.Options{}); err == nil || err.Error() != "stowage: explain needs a capacity" {
		t.Errorf("without a capacity: %v", err)
	}
	for _, own := range []bool{true, false} {
		o := stowage.Options{Capacity: 11}
		if p.Capacity = 0; own {
			o.Capacity, p.Capacity = 0, 11
		}
		e, err := stowage.Explain(ctx, p, o)
		if err != nil || e.Status != stowage.Infeasible || !e.Irreducible || e.Capacity != 11 || e.Load != 12 || len(e.Buffers) != 3 {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	e, err := stowage.Explain(ctx, p, stowage.Options{Capacity: 12})
	if err != nil || e.Status != stowage.Feasible || e.Buffers != nil {
		t.Errorf("got %+v, %v", e, err)
	}
	// Here the load fits, and the reason takes search to find.
	in, err := suite.New("infeasible", suite.Options{Seed: 4, Buffers: 16, Capacity: 24, Horizon: 40})
	if err != nil {
		t.Fatal(err)
	}
	if e, err = stowage.Explain(ctx, in.Problem, stowage.Options{}); err != nil || e.Status != stowage.Infeasible || !e.Irreducible {
		t.Fatalf("got %+v, %v", e, err)
	}
	for skip := -1; skip < len(e.Buffers); skip++ {
		part := &stowage.Problem{}
		for k, i := range e.Buffers {
			if k != skip {
				part.Buffers = append(part.Buffers, in.Problem.Buffers[i])
			}
		}
		if fits := suite.Fits(part, e.Capacity); fits != (skip >= 0) {
			t.Errorf("buffers %v without number %d: fits %v", e.Buffers, skip, fits)
		}
	}
}

func TestLowerBound(t *testing.T) {
	at := int64(96)
	p := suite.Wave()
	if b, err := stowage.LowerBound(p); b != 37 || err != nil {
		t.Errorf("got %d, %v", b, err)
	}
	p.Buffers[0].Fixed = &at
	if b, err := stowage.LowerBound(p); b != 106 || err != nil {
		t.Errorf("with a fixed offset: got %d, %v", b, err)
	}
	if b, err := stowage.LowerBound(&stowage.Problem{}); b != 0 || err != nil {
		t.Errorf("of nothing: got %d, %v", b, err)
	}
}

// TestContext ends before it begins: there is a plan all the same, and no proof
// that was not made.
func TestContext(t *testing.T) {
	in, err := suite.New("infeasible", suite.Options{Buffers: 80, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	for _, ctx := range []context.Context{ctx, late} {
		r, err := stowage.Minimize(ctx, &stowage.Problem{Buffers: in.Problem.Buffers}, stowage.Options{})
		if err != nil || r.Status != stowage.Feasible || !stowage.Verify(in.Problem, r.Offsets, 0).OK() {
			t.Errorf("minimise: got %+v, %v", r, err)
		}
		if r, err = stowage.Solve(ctx, in.Problem, stowage.Options{}); err != nil || r.Status != stowage.Unknown {
			t.Errorf("solve: got %+v, %v", r, err)
		}
		if e, err := stowage.Explain(ctx, in.Problem, stowage.Options{}); err != nil || e.Status != stowage.Unknown {
			t.Errorf("explain: got %+v, %v", e, err)
		}
	}
}
