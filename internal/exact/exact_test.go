package exact_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestExactMerges: exact search has turns of composites if package merge is passed to it, to
// minimise and to fit, and none if they are switched off.
func TestExactMerges(t *testing.T) {
	p := must.Get(gen.Generate("perfect", gen.Options{Buffers: 500, Seed: 5}))(t)
	tl := timeline.New(p)
	for _, capacity := range []int64{tl.LowerBound, 0}[:plantest.Share(2, 1)] {
		o := plan.Options{Capacity: capacity, NodeLimit: 6000}
		r, err := run.Run(context.Background(), &exact.Planner{}, tl, o)
		if err != nil || r.Status != model.Optimal || !verify.Check(p, r.Offsets, tl.LowerBound).OK() {
			t.Errorf("capacity %d: %v, height %d, %v", capacity, r.Status, r.Height, err)
		}
		if r, err = run.Run(context.Background(), &engine.Planner{}, tl, o); err != nil || r.Status == model.Optimal {
			t.Errorf("capacity %d, alone: %v, %v", capacity, r.Status, err)
		}
		o.Without = []string{"merging"}
		if r, err = run.Run(context.Background(), &exact.Planner{}, tl, o); err != nil || r.Status == model.Optimal {
			t.Errorf("capacity %d, switched off: %v, %v", capacity, r.Status, err)
		}
	}
}

// TestMember asks which member found the plan, when the planner fits and when it minimises. It is merge if exact search
// alone finds none. With merge switched off, and on a problem that needs no merge, the planner names nobody.
func TestMember(t *testing.T) {
	member := func(p *model.Problem, o plan.Options) string {
		t.Helper()
		r, err := run.Run(context.Background(), &exact.Planner{}, timeline.New(p), o)
		if err != nil || !r.Status.HasPlan() && r.Member != "" {
			t.Fatalf("%v, %q, %v", r.Status, r.Member, err)
		}
		return r.Member
	}
	hard := must.Get(gen.Generate("perfect", gen.Options{Buffers: 500, Seed: 5}))(t)
	easy := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 2}}}
	for _, capacity := range []int64{timeline.New(hard).LowerBound, 0} {
		o := plan.Options{Capacity: capacity, NodeLimit: 6000}
		if got := member(hard, o); got != "merge" {
			t.Errorf("capacity %d: found by %q, want merge", capacity, got)
		}
		o.Without = []string{"merging"}
		if got := member(hard, o); got != "" {
			t.Errorf("capacity %d, without merging: found by %q", capacity, got)
		}
		if got := member(easy, plan.Options{Capacity: capacity}); got != "" {
			t.Errorf("an easy problem at %d: found by %q", capacity, got)
		}
	}
}
