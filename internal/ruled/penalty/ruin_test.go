package penalty

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// anyPlan returns a plan of the field, found by drawing, or nil.
func (f *Field) anyPlan(r *rand.Rand) []int64 {
	for range 200 {
		x := newRuin(f, nil, r.Uint64())
		fits := true
		for _, i := range r.Perm(f.n) {
			var at int64
			if at, _, fits = x.cheapest(int32(i)); !fits {
				break
			}
			x.put(int32(i), at)
		}
		if fits {
			return x.at
		}
	}
	return nil
}

// TestRuin compares the penalties that ruin reaches with brute force: never below the optimum, and nearly always at it.
func TestRuin(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 4))
	worse, problems := 0, 0
	most := plantest.Share(1000, 250, 100)
	for problems < most {
		q := onePool(r)
		p := q.Problem
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided || best == nil || best[0] == 0 {
			continue
		}
		f := q.field()
		start := f.anyPlan(r)
		if start == nil {
			continue
		}
		problems++
		offsets, cost, _ := f.Improve(context.Background(), start, 1, Limits{Steps: 500})
		if !f.allowed(offsets) || f.Paid(offsets) != cost || cost < best[0] {
			t.Fatalf("%v pays %d, said to pay %d, the least is %d\n%s", offsets, f.Paid(offsets), cost, best[0],
				drawn.DescribeRuled(p))
		}
		if cost > best[0] {
			worse++
		}
	}
	t.Logf("%d of %d above the optimum", worse, problems)
	if worse > most/50 {
		t.Errorf("%d of %d are above the optimum", worse, problems)
	}
}

// TestRuinSteps checks after each step that the plan is whole and what is known of it is true. It also checks that a
// run improves much, and that the same seed and number of steps give the same plan.
func TestRuinSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 5))
	started, ended := int64(0), int64(0)
	for range 10 {
		f := lowerOne(drawn.Crowd(r, 60)).field()
		start := f.anyPlan(r)
		if start == nil {
			t.Fatal("there is no plan to start from")
		}
		x := newRuin(f, start, 7)
		for range 300 {
			before := slices.Clone(x.at)
			if kept := x.step(x.cost + r.Int64N(6)); !kept && !slices.Equal(before, x.at) {
				t.Fatal("a step that is not kept changes the plan")
			}
			sum := int64(0)
			for i, c := range x.pays {
				sum += c
				if listed := slices.Contains(x.hurt, int32(i)); listed != (c > 0) {
					t.Fatalf("body %d pays %d, and that is listed: %v", i, c, listed)
				}
			}
			if !f.allowed(x.at) || f.Paid(x.at) != x.cost || sum != 2*x.cost {
				t.Fatalf("the plan %v pays %d, said to pay %d and %d", x.at, f.Paid(x.at), x.cost, sum)
			}
		}
		a, cost, taken := f.Improve(context.Background(), start, 7, Limits{Steps: 3000})
		b, _, _ := f.Improve(context.Background(), start, 7, Limits{Steps: 3000})
		if !slices.Equal(a, b) || taken > 3000 {
			t.Fatalf("two runs differ, or took %d steps", taken)
		}
		started += f.Paid(start)
		ended += cost
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, _, taken := f.Improve(ctx, start, 7, Limits{Steps: 3000}); taken > 0 {
			t.Errorf("%d steps after the end", taken)
		}
	}
	t.Logf("%d before, %d after", started, ended)
	if ended > started/2 {
		t.Errorf("%d before, %d after", started, ended)
	}
}
