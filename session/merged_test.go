package session

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestMerged asks merge by itself. It finds plans of calls that no cheap step places, and they are right.
func TestMerged(t *testing.T) {
	plans := 0
	for seed := range plantest.Share(uint64(120), 40) {
		s := draw(t, seed, 40, Options{NodeLimit: 20})
		_, c, done := stuck(s, seed)
		if c == nil {
			continue
		}
		_, p := must.Two(c.merged())(t)
		if p.at != nil {
			plans++
			if fault := verify.First(&s.p, p.at, s.p.Capacity, -1); fault != "" {
				t.Fatalf("seed %d: %s", seed, fault)
			}
		}
		s.skip[Window] = true
		if _, p, err := c.merged(); p.at != nil || err != nil {
			t.Fatalf("seed %d: asked without windows: %v", seed, err)
		}
		done()
	}
	if plans < 10 {
		t.Errorf("only %d plans", plans)
	}
}

// lucky is a planner that knows a plan, and finds it only with one seed.
type lucky struct {
	seed  uint64
	plan  []int64
	seeds []uint64
}

func (*lucky) Name() string    { return "lucky" }
func (*lucky) Info() plan.Info { return plan.Info{Name: "lucky"} }

func (p *lucky) Plan(_ context.Context, _ *timeline.Timeline, o plan.Options) (plan.Result, error) {
	p.seeds = append(p.seeds, o.Seed)
	if o.Seed != p.seed {
		return plan.Result{Status: model.Unknown}, nil
	}
	r := plan.Result{Status: model.Feasible}
	r.Offsets = slices.Clone(p.plan)
	return r, nil
}

// TestRestarts asks a planner that needs one seed. It is asked until it has it, and not more often than mergeTries
// times. The next question has the seed of the session.
func TestRestarts(t *testing.T) {
	s := draw(t, 1, 12, Options{Seed: 100})
	for _, x := range []struct{ seed, asked uint64 }{
		{100, 1}, {104, 5}, {100 + mergeTries - 1, mergeTries}, {100 + mergeTries, mergeTries}, {99, mergeTries},
	} {
		c, done := s.begin(t.Context(), []int32{0})
		p := &lucky{seed: x.seed, plan: s.at}
		_, found := must.Two(c.restarts(p))(t)
		if found := found.at != nil; found != (x.seed >= 100 && x.seed < 100+mergeTries) || uint64(len(p.seeds)) != x.asked ||
			c.restart != 0 {
			t.Errorf("seed %d: found %t, asked with %v, then restart %d", x.seed, found, p.seeds, c.restart)
		}
		done()
	}
}
