package library_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// spill is a problem of two pools. The fast one is too small for all buffers.
func spill() *stowage.Problem {
	return &stowage.Problem{
		Buffers: []stowage.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 24},
			{ID: "b", Lower: 1, Upper: 5, Size: 24},
			{ID: "c", Lower: 2, Upper: 6, Size: 16},
			{ID: "d", Lower: 5, Upper: 8, Size: 32},
		},
		Rules: &stowage.Rules{
			Pools: []stowage.Pool{
				{ID: "tcm", Capacity: 64, Reserved: []stowage.Range{{Lower: 0, Upper: 16}}}, {ID: "dram", Cost: 1},
			},
			Apart: []stowage.Pair{{0, 3}},
		},
	}
}

// TestSolveRules plans it: one buffer of 24 bytes must go to the slow pool.
func TestSolveRules(t *testing.T) {
	p := spill()
	r := must.Get(stowage.Solve(context.Background(), p, stowage.Options{}))(t)
	if r.Status != stowage.Optimal || r.Height != 88 || r.Bounds[0] != (stowage.Value{Measure: "cost", Value: 24}) {
		t.Errorf("%v, height %d, bounds %v", r.Status, r.Height, r.Bounds)
	}
	report, err := stowage.VerifyPlan(p, &r.Plan)
	if err != nil || !report.OK() {
		t.Errorf("the plan is refused: %v, %v", report, err)
	}
	r.Offsets[1] = 8 // b is in the fast pool, and would reach into its reserved bytes
	if report, err = stowage.VerifyPlan(p, &r.Plan); err != nil || report.OK() {
		t.Errorf("a plan in reserved bytes passes: %v", err)
	}
}

// TestRulesRefused asks what does not take rules: each says so.
func TestRulesRefused(t *testing.T) {
	ctx := context.Background()
	for name, ask := range map[string]func() error{
		"smallest":    func() error { _, err := stowage.ExplainSmallest(ctx, spill(), stowage.Options{}); return err },
		"size":        func() error { _, err := stowage.Size(ctx, spill(), stowage.Options{}); return err },
		"verify":      func() error { _, err := stowage.Verify(spill(), make([]int64, 4), 0); return err },
		"lower bound": func() error { _, err := stowage.LowerBound(spill()); return err },
	} {
		if err := ask(); !errors.Is(err, stowage.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var input *stowage.InputError
	if _, err := stowage.Solve(ctx, spill(), stowage.Options{Capacity: 100}); !errors.As(err, &input) {
		t.Errorf("a capacity beside pools: %v", err)
	}
}

// TestRulesCapacity asks for a capacity with the options: it holds as the problem's own does.
func TestRulesCapacity(t *testing.T) {
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 8}, {ID: "b", Lower: 1, Upper: 2, Size: 8}},
		Rules:   &stowage.Rules{Apart: []stowage.Pair{{0, 1}}},
	}
	for capacity, want := range map[int64]stowage.Status{15: stowage.Infeasible, 16: stowage.Feasible} {
		r, err := stowage.Solve(t.Context(), p, stowage.Options{Capacity: capacity})
		if err != nil || r.Status.HasPlan() != want.HasPlan() || want == stowage.Infeasible && r.Status != want {
			t.Errorf("capacity %d: %v, error %v; want %v", capacity, r, err, want)
		}
	}
	if p.Capacity != 0 {
		t.Errorf("the problem has got the capacity %d", p.Capacity)
	}
}
