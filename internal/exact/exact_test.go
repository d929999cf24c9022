package exact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/plantest"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// check plans p at its known minimum, where a plan must come and pass verify,
// and one under it, where a proof must come.
func check(t *testing.T, p *model.Problem, minimum int64, o plan.Options) {
	t.Helper()
	tl := timeline.New(p)
	for _, capacity := range []int64{minimum, minimum - 1} {
		if capacity == 0 {
			continue
		}
		o.Capacity = capacity
		r, err := run.Run(context.Background(), (&Planner{}), tl, o)
		if err != nil {
			t.Fatal(err)
		}
		want := capacity == minimum
		if r.Status.HasPlan() != want || !want && r.Status != model.Infeasible {
			t.Fatalf("capacity %d, minimum %d: got %s, without %v, params %v\n%s", capacity, minimum, r.Status, o.Without, o.Params, describe(p))
		}
		if want {
			if report := verify.Check(p, r.Offsets, capacity); !report.OK() {
				t.Fatalf("capacity %d: %s, without %v\n%s", capacity, report.Violations[0].Message, o.Without, describe(p))
			}
		}
	}
}

func describe(p *model.Problem) string {
	s := ""
	for i := range p.Buffers {
		b := &p.Buffers[i]
		s += fmt.Sprintf("%s [%d,%d) size %d align %d", b.ID, b.Lower, b.Upper, b.Size, b.Align())
		for _, g := range b.Gaps {
			s += " gap " + model.GapText(g)
		}
		if b.Fixed != nil {
			s += " fixed " + strconv.FormatInt(*b.Fixed, 10)
		}
		s += "\n"
	}
	return s
}

// TestSmallShapes plans every problem of up to five buffers on a small grid.
func TestSmallShapes(t *testing.T) {
	count := 0
	for n := 1; n <= 5; n++ {
		horizon, size := int64(4), int64(4)
		if n == 5 {
			horizon, size = 3, 3
		}
		for p := range suite.EachSmall(n, horizon, size) {
			minimum, _, _ := suite.MinHeight(p)
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
		p := suite.Tiny(uint64(seed))
		o := plan.Options{Params: map[string]string{"orders": orders[rng.IntN(len(orders))]}}
		for _, t := range (&Planner{}).Info().Techniques {
			if seed%4 != 0 && rng.IntN(3) == 0 {
				o.Without = append(o.Without, t.Name)
			}
		}
		minimum, _, ok := suite.MinHeight(p)
		if !ok {
			infeasible++
			o.Capacity = 1000
			r, err := run.Run(context.Background(), (&Planner{}), timeline.New(p), o)
			if err != nil || r.Status != model.Infeasible {
				t.Fatalf("seed %d: colliding fixed offsets: got %s, %v\n%s", seed, r.Status, err, describe(p))
			}
			continue
		}
		check(t, p, minimum, o)
		if seed%5 == 0 {
			o.Capacity = 0
			r, err := run.Run(context.Background(), (&Planner{}), timeline.New(p), o)
			if err != nil || r.Status != model.Optimal || r.Height != minimum {
				t.Fatalf("seed %d: minimise: got %s %d, want %d, without %v\n%s", seed, r.Status, r.Height, minimum, o.Without, describe(p))
			}
			if report := verify.Check(p, r.Offsets, 0); !report.OK() {
				t.Fatalf("seed %d: %s", seed, report.Violations[0].Message)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Log(count, "problems, of which", infeasible, "have colliding fixed offsets")
}
