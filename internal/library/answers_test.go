package library_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
)

// own is a planner of one's own, as any user may write it.
type own struct {
	name string
	plan func(context.Context, *stowage.Problem, stowage.Options) (stowage.Result, error)
}

func (p own) Info() stowage.PlannerInfo {
	return stowage.PlannerInfo{Name: p.name, Summary: "does what a test tells it to", Source: "answers_test.go"}
}

func (p own) Plan(ctx context.Context, problem *stowage.Problem, o stowage.Options) (stowage.Result, error) {
	return p.plan(ctx, problem, o)
}

// TestInvalidPlan has a planner that is wrong: no invalid plan gets out.
func TestInvalidPlan(t *testing.T) {
	var result stowage.Result
	stowage.Register(own{"test-puppet", func(context.Context, *stowage.Problem, stowage.Options) (stowage.Result,
		error,
	) {
		return result, nil
	}})
	p := gen.MiniMalloc()
	for _, tc := range []struct {
		offsets []int64
		bound   int64
		want    string
	}{
		{[]int64{8, 8, 4, 4, 0}, 0, ""},
		{[]int64{8, 8, 4, 4, 0}, 12, ""},
		{[]int64{8, 8, 4, 4, 0}, 13, "the lower bound claimed is 13, but the height is 12"},
		{[]int64{8, 8, 5, 4, 0}, 0, `buffers "b1" (size 4 at offset 8) and "b3" (size 4 at offset 5) both use bytes [8, 9) at times [0, 3)`},
		{[]int64{9, 8, 4, 4, 0}, 0, `buffer "b1" of size 4 is at offset 9 and ends at 13, above the capacity 12`},
		{[]int64{8, 8, 4, 4, -4}, 0, `buffer "b5" is at offset -4, below zero`},
		{[]int64{8, 8, 4, 4}, 0, "the plan has 4 offsets, but the problem has 5 buffers"},
		{nil, 0, "the plan has 0 offsets, but the problem has 5 buffers"},
	} {
		for _, status := range []stowage.Status{stowage.Feasible, stowage.Optimal} {
			result = stowage.Result{Status: status, Plan: stowage.Plan{Offsets: tc.offsets}, LowerBound: tc.bound}
			r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: "test-puppet"})
			if tc.want == "" {
				if err != nil || r.Height != 12 || r.Planner != "test-puppet" || r.Status != stowage.Optimal {
					t.Errorf("a valid plan is refused: %+v, %v", r, err)
				}
				continue
			}
			want := "planner test-puppet returned an invalid plan: " + tc.want
			if r != nil || !errors.Is(err, stowage.ErrInvalidPlan) || err.Error() != want {
				t.Errorf("%v: %+v, %v, want %s", tc.offsets, r, err, want)
			}
		}
	}
}

// TestImpossibleStatus has a planner with impossible answers: Infeasible without a capacity, and a status that does
// not exist.
func TestImpossibleStatus(t *testing.T) {
	var result stowage.Result
	stowage.Register(own{"test-liar", func(context.Context, *stowage.Problem, stowage.Options) (stowage.Result,
		error,
	) {
		return result, nil
	}})
	p := gen.MiniMalloc()
	for _, tc := range []struct {
		status   stowage.Status
		capacity int64
		want     string // of the error; empty for none
	}{
		{stowage.Infeasible, 0, "infeasible without a capacity, while no fixed offsets collide"},
		{stowage.Infeasible, 12, ""},
		{stowage.Unknown, 0, ""},
		{77, 0, "there is no status(77)"},
		{77, 12, "there is no status(77)"},
		{stowage.Infeasible + 1, 12, "there is no status(4)"},
	} {
		p.Capacity = tc.capacity
		result = stowage.Result{Status: tc.status}
		r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: "test-liar"})
		if tc.want == "" {
			if err != nil || r.Status != tc.status {
				t.Errorf("%s in %d: %+v, %v", tc.status, tc.capacity, r, err)
			}
			continue
		}
		if want := "planner test-liar returned an invalid plan: " + tc.want; r != nil ||
			!errors.Is(err, stowage.ErrInvalidPlan) || err.Error() != want {
			t.Errorf("%s in %d: %+v, %v, want %s", tc.status, tc.capacity, r, err, want)
		}
	}
	// Without a capacity a collision of fixed offsets is a reason.
	at := int64(0)
	collide := &stowage.Problem{
		Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 4, Fixed: &at}, {ID: "b", Upper: 1, Size: 4, Fixed: &at}},
	}
	result = stowage.Result{Status: stowage.Infeasible}
	if r := solve(t, collide, stowage.Options{Planner: "test-liar"}); r.Status != stowage.Infeasible ||
		r.Collision == nil {
		t.Errorf("got %+v", r)
	}
}

func TestVerify(t *testing.T) {
	p := gen.MiniMalloc()
	plan := []int64{8, 8, 4, 4, 0}
	for _, tc := range []struct {
		own, capacity int64
		violations    int
	}{{0, 0, 0}, {0, 12, 0}, {0, 11, 2}, {11, 0, 2}, {11, 12, 0}, {12, 11, 2}} {
		p.Capacity = tc.own
		r := verified(t, p, plan, tc.capacity)
		if r.Total != tc.violations || r.OK() != (tc.violations == 0) || r.Height != 12 {
			t.Errorf("%+v: %+v", tc, r)
		}
		for k, v := range r.Violations {
			if v.A != k || v.B != -1 || v.Rule != stowage.RuleCapacity || !strings.Contains(v.Message, "above the capacity 11") {
				t.Errorf("violation %d is %+v", k, v)
			}
		}
	}
	// What cannot be checked is no report.
	bad := gen.MiniMalloc()
	bad.Buffers[1].Upper = bad.Buffers[1].Lower
	for _, tc := range []struct {
		p        *stowage.Problem
		capacity int64
	}{{nil, 0}, {bad, 0}, {p, -1}} {
		var input *stowage.InputError
		if r, err := stowage.Verify(tc.p, plan, tc.capacity); r != nil || !errors.As(err, &input) {
			t.Errorf("%+v: %+v, %v", tc, r, err)
		}
	}
}

// TestExplainRuledCapacity: the capacity of the options holds for a problem with rules too.
func TestExplainRuledCapacity(t *testing.T) {
	p := &stowage.Problem{
		Rules: &stowage.Rules{}, Buffers: []stowage.Buffer{{ID: "a", Upper: 2, Size: 4}, {ID: "b", Upper: 2, Size: 4}},
	}
	for capacity, want := range map[int64]stowage.Status{7: stowage.Infeasible, 8: stowage.Feasible} {
		x, err := stowage.Explain(t.Context(), p, stowage.Options{Capacity: capacity})
		if err != nil || x.Status != want {
			t.Errorf("capacity %d: %v, %v, want %v", capacity, x, err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	ctx := context.Background()
	p := gen.MiniMalloc()
	p.Capacity = 0
	if _, err := stowage.Explain(ctx, p, stowage.Options{}); !errors.Is(err, stowage.ErrNoCapacity) {
		t.Errorf("without a capacity: %v", err)
	}
	for _, own := range []bool{true, false} {
		o := stowage.Options{Capacity: 11}
		if p.Capacity = 0; own {
			o.Capacity, p.Capacity = 0, 11
		}
		e, err := stowage.Explain(ctx, p, o)
		if err != nil || e.Status != stowage.Infeasible || !e.Irreducible || e.Capacity != 11 || e.Load != 12 ||
			len(e.Buffers) != 3 || e.AtLeast != 0 {
			t.Errorf("got %+v, %v", e, err)
		}
		e, err = stowage.ExplainSmallest(ctx, p, o)
		if err != nil || e.Status != stowage.Infeasible || !e.Smallest || !e.Irreducible || e.AtLeast != 3 ||
			len(e.Buffers) != 3 {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	e, err := stowage.Explain(ctx, p, stowage.Options{Capacity: 12})
	if err != nil || e.Status != stowage.Feasible || e.Buffers != nil {
		t.Errorf("got %+v, %v", e, err)
	}
	// Here the load fits, and the reason takes search to find.
	in := must.Get(gen.New("infeasible", gen.Options{Seed: 4, Buffers: 16, Capacity: 24, Horizon: 40}))(t)
	if e, err = stowage.Explain(ctx, in.Problem, stowage.Options{}); err != nil || e.Status != stowage.Infeasible ||
		!e.Irreducible {
		t.Fatalf("got %+v, %v", e, err)
	}
	for skip := -1; skip < len(e.Buffers); skip++ {
		part := &stowage.Problem{}
		for k, i := range e.Buffers {
			if k != skip {
				part.Buffers = append(part.Buffers, in.Problem.Buffers[i])
			}
		}
		if fits := oracle.Fits(part, e.Capacity); fits != (skip >= 0) {
			t.Errorf("buffers %v without number %d: fits %v", e.Buffers, skip, fits)
		}
	}
}

func TestLowerBound(t *testing.T) {
	at := int64(96)
	p := gen.Wave()
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

// TestContext has a context that has ended before the call: there is still a plan, and no false proof.
func TestContext(t *testing.T) {
	in := must.Get(gen.New("infeasible", gen.Options{Buffers: 80, Seed: 2}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	for _, ctx := range []context.Context{ctx, late} {
		r, err := stowage.Minimize(ctx, &stowage.Problem{Buffers: in.Problem.Buffers}, stowage.Options{})
		if err != nil || r.Status != stowage.Feasible ||
			!verified(t, &stowage.Problem{Buffers: in.Problem.Buffers}, r.Offsets, 0).OK() {
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

// TestCertify: a certificate of a proof passes the check. Without a proof the error is ErrNoCertificate, and for a
// bad request an InputError.
func TestCertify(t *testing.T) {
	ctx := context.Background()
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 2, Upper: 5, Size: 5},
		{ID: "c", Lower: 4, Upper: 9, Size: 3},
	}}
	c, err := stowage.Certify(ctx, p, stowage.Options{Capacity: 8})
	if err != nil || c.Capacity != 8 || c.Cases != 1 || !slices.Equal(c.Buffers, []int{0, 1}) {
		t.Fatalf("%+v, %v", c, err)
	}
	var b bytes.Buffer
	must.Do(t, c.Write(&b))
	if capacity, err := stowage.VerifyCertificate(p, &b); err != nil || capacity != 8 {
		t.Errorf("%d, %v", capacity, err)
	}
	if _, err := stowage.Certify(ctx, p, stowage.Options{Capacity: 9}); !errors.Is(err, stowage.ErrNoCertificate) {
		t.Errorf("against a plan: %v", err)
	}
	if _, err := stowage.Certify(ctx, p, stowage.Options{}); !errors.Is(err, stowage.ErrNoCapacity) {
		t.Errorf("without a capacity: %v", err)
	}
	var input *stowage.InputError
	if _, err := stowage.Certify(ctx, nil, stowage.Options{Capacity: 9}); !errors.As(err, &input) {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := stowage.VerifyCertificate(nil, &b); !errors.As(err, &input) {
		t.Errorf("for nothing: %v", err)
	}
	if _, err := stowage.VerifyCertificate(p, nil); !errors.As(err, &input) ||
		err.Error() != "there is no certificate: its reader is nil" {
		t.Errorf("of no reader: %v", err)
	}
}
