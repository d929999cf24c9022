package engine

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// check demands a plan at the known minimum of a problem, and a proof one byte below it.
func check(t *testing.T, p *model.Problem, minimum int64, o plan.Options) {
	t.Helper()
	plantest.AtMinimum(t, &Planner{}, p, minimum, o, false)
}

// TestSmallShapes plans every problem of up to five buffers on a small grid.
func TestSmallShapes(t *testing.T) {
	count := 0
	for n := 1; n <= 5; n++ {
		horizon, size := int64(4), int64(4)
		if n == 5 {
			horizon, size = 3, 3
		}
		for p := range drawn.EachSmall(n, horizon, size) {
			minimum, _, _ := oracle.MinHeight(p)
			check(t, p, minimum, plan.Options{})
			count++
		}
	}
	t.Log(count, "problems, each feasible and infeasible")
}

// TestSwitches plans random problems with alignment, gaps, windows and fixed
// offsets under random combinations of the switches and of the orders.
func TestSwitches(t *testing.T) {
	count := plantest.Share(20_000, 7000, 2000)
	if env := os.Getenv("STOWAGE_SWITCH_SEEDS"); env != "" {
		count, _ = strconv.Atoi(env)
	}
	orders := []string{"TWA", "A", "ZLU", "COW", "TAW,WAT", "WAT,TAW,TWA"}
	infeasible := 0
	for seed := range count {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		p := drawn.Tiny(uint64(seed))
		o := plan.Options{Params: map[string]string{"orders": orders[rng.IntN(len(orders))]}}
		for _, t := range (&Planner{}).Info().Techniques {
			if seed%4 != 0 && rng.IntN(3) == 0 {
				o.Without = append(o.Without, t.Name)
			}
		}
		minimum, _, ok := oracle.MinHeight(p)
		if !ok {
			infeasible++
			o.Capacity = 1000
			if r := plantest.Must(t, &Planner{}, p, o); r.Status != model.Infeasible {
				t.Fatalf("seed %d: colliding fixed offsets: got %s\n%s", seed, r.Status, drawn.Describe(p))
			}
			continue
		}
		check(t, p, minimum, o)
		if seed%5 == 0 {
			o.Capacity = 0
			if r := plantest.Must(t, &Planner{}, p, o); r.Status != model.Optimal || r.Height != minimum {
				t.Fatalf("seed %d: minimise: got %s %d, want %d, without %v\n%s", seed, r.Status, r.Height, minimum, o.Without,
					drawn.Describe(p))
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Log(count, "problems;", infeasible, "with colliding fixed offsets")
}
