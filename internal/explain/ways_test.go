package explain

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestWaysOut makes each change that WaysOut names to random problems that do not fit, and plans them: all fit. A
// shrunk buffer that is called exact does not fit with a byte more, and the least capacity is that of a proof.
func TestWaysOut(t *testing.T) {
	planner := must.Get(plan.Find("exact"))(t)
	solve := func(ctx context.Context, p *model.Problem, o plan.Options) (*plan.Result, error) {
		o.Capacity = p.CapacityOr(o.Capacity)
		r, err := run.Run(ctx, run.Prepared(planner), timeline.New(p), o)
		return &r, err
	}
	status := func(p *model.Problem, capacity int64) model.Status {
		with := *p
		with.Capacity = capacity
		r := must.Get(solve(context.Background(), &with, plan.Options{}))(t)
		if r.Status.HasPlan() && len(verify.Check(&with, r.Offsets, capacity).Violations) > 0 {
			t.Fatal("a plan that is not valid")
		}
		return r.Status
	}
	found := map[string]int{}
	for seed := range uint64(300) {
		p := drawn.Tiny(seed)
		r, err := solve(context.Background(), p, plan.Options{Minimize: true})
		if err != nil || r.Status != model.Optimal {
			continue
		}
		capacity := r.Height - 1 - int64(seed%3)
		if capacity < 1 {
			continue
		}
		x, err := Irreducible(context.Background(), p, run.Prepared(planner), plan.Options{Capacity: capacity})
		if err != nil || x.Status != model.Infeasible {
			t.Fatalf("seed %d: %v, %v", seed, x, err)
		}
		w := must.Get(WaysOut(context.Background(), p, x, solve))(t)
		if w == nil {
			continue
		}
		if w.Enough != r.Height || w.Least != r.Height {
			t.Errorf("seed %d: enough %d, least %d, want %d", seed, w.Enough, w.Least, r.Height)
		}
		if lines := w.Lines(p, func(id string) string { return id }); len(lines) != 1+len(w.Shrink)+len(w.Absent) {
			t.Errorf("seed %d: %q", seed, lines)
		}
		for _, s := range w.Shrink {
			q := *p
			q.Buffers = slices.Clone(p.Buffers)
			q.Buffers[s.Buffer].Size = s.To
			if !status(&q, capacity).HasPlan() || s.By < 1 || s.By+s.To != p.Buffers[s.Buffer].Size {
				t.Errorf("seed %d: %+v is not enough", seed, s)
			}
			if q.Buffers[s.Buffer].Size++; s.Exact && s.By > 1 && status(&q, capacity).HasPlan() {
				t.Errorf("seed %d: %+v: one byte less is enough", seed, s)
			}
			found["shrink"]++
		}
		for _, a := range w.Absent {
			q := *p
			q.Buffers = slices.Clone(p.Buffers)
			switch b := &q.Buffers[a.Buffer]; {
			case a.Splits:
				b.Gaps = []model.Gap{{Lower: a.Lower, Upper: a.Upper}}
				found["split"]++
			case a.Upper == b.Upper:
				b.Upper = a.Lower
				found["end"]++
			default:
				b.Lower = a.Upper
				found["begin"]++
			}
			if !status(&q, capacity).HasPlan() {
				t.Errorf("seed %d: %+v is not enough", seed, a)
			}
		}
	}
	t.Log(found)
	for _, kind := range []string{"shrink", "split", "end", "begin"} {
		if found[kind] < 5 {
			t.Errorf("%s: only %d", kind, found[kind])
		}
	}
}
