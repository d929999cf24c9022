package plantest

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Decides demands that an exact planner answers problems of a few buffers (drawn.Tiny): a plan at the lowest height,
// and a proof one below it. draw makes the options of a run.
func Decides(t *testing.T, planner run.Planner, seeds uint64, draw func(rng *rand.Rand) plan.Options) {
	t.Helper()
	seen := map[model.Status]int{}
	for seed := range seeds {
		p := drawn.Tiny(seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		height, _, ok := oracle.MinHeight(p)
		o := draw(rng)
		r := Must(t, planner, p, o)
		if !ok {
			if r.Status != model.Infeasible {
				t.Fatalf("seed %d, %+v: %v, but fixed offsets collide", seed, o, r.Status)
			}
			continue
		}
		if r.Status != model.Optimal || r.Height != height {
			t.Fatalf("seed %d, %+v: %v, height %d; want %d", seed, o, r.Status, r.Height, height)
		}
		for _, capacity := range []int64{height, height - 1} {
			if capacity < 1 {
				continue
			}
			o := draw(rng)
			o.Capacity, o.Minimize = capacity, rng.IntN(2) == 0
			r := Must(t, planner, p, o)
			seen[r.Status]++
			want := model.Infeasible
			if capacity == height {
				if want = model.Feasible; o.Minimize {
					want = model.Optimal
				}
			}
			if r.Status != want && (want != model.Feasible || r.Status != model.Optimal) {
				t.Fatalf("seed %d, %+v: %v, want %v; the least height is %d", seed, o, r.Status, want, height)
			}
		}
	}
	if n := int(seeds) / 4; seen[model.Infeasible] < n || seen[model.Optimal]+seen[model.Feasible] < n {
		t.Errorf("one-sided: %v", seen)
	}
}

// Plans demands that a heuristic planner plans problems of a few buffers (drawn.Tiny): a plan if and only if there is
// one, none below the lowest height, and a share of them at it. draw makes the options of a seed.
func Plans(t *testing.T, planner run.Planner, seeds uint64, share float64, draw func(seed uint64) plan.Options) {
	t.Helper()
	var lowest, none int
	for seed := range seeds {
		p := drawn.Tiny(seed)
		height, _, ok := oracle.MinHeight(p)
		o := draw(seed)
		r := Must(t, planner, p, o)
		switch {
		case !ok:
			none++
			if r.Status != model.Infeasible {
				t.Errorf("seed %d: %v, but fixed buffers collide", seed, r.Status)
			}
		case !r.Status.HasPlan() || r.Height < height:
			t.Errorf("seed %d: %v at %d; the optimum is %d", seed, r.Status, r.Height, height)
		case r.Height == height:
			lowest++
		}
	}
	if float64(lowest) < share*float64(seeds) || none == 0 {
		t.Errorf("%d of %d at the optimum, %d without a plan: the cases are lopsided", lowest, seeds, none)
	}
}
