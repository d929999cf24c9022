package outer

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// anyPlan returns a plan of the field, found by drawing, or nil.
func (f *field) anyPlan(r *rand.Rand) []int64 {
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

// TestRuin holds what ruin reaches against brute force: never below the optimum, and nearly always at it.
func TestRuin(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 4))
	worse, problems := 0, 0
	most := plantest.Share(1000, 250, 100)
	for problems < most {
		p, s := onePool(r)
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided || best == nil || best[0] == 0 {
			continue
		}
		q := &s.pools[0]
		f := newField(q.strip, q.capacity, p, q.penalties)
		start := f.anyPlan(r)
		if start == nil {
			continue
		}
		problems++
		offsets, cost, _ := newRuin(f, start, 1).improve(context.Background(), 0, 500, time.Time{})
		if !f.allowed(offsets) || f.penalty(offsets) != cost || cost < best[0] {
			t.Fatalf("%v pays %d, said to pay %d, the least is %d\n%s", offsets, f.penalty(offsets), cost, best[0], drawn.DescribeRuled(p))
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

// crowd draws a problem in which some penalties must be paid: buffers of one pool with a penalty on each two that follow closely.
func crowd(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{Capacity: 1, Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty}}}
	for i := range n {
		lower := r.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Size: 1 + r.Int64N(20), Lower: lower, Upper: lower + 1 + r.Int64N(9), Alignment: 1 + r.Int64N(2),
		})
	}
	for i := range n {
		for j := range i {
			if a, b := &p.Buffers[i], &p.Buffers[j]; a.Lower < b.Upper+5 && b.Lower < a.Upper+5 {
				p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{Buffers: model.Pair{int32(j), int32(i)}, Cost: 1 + r.Int64N(3)})
			}
		}
	}
	for at := range int64(2 * n) {
		load := int64(0)
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Lower <= at && at < b.Upper {
				load += b.Size + b.Align() - 1
			}
		}
		p.Capacity = max(p.Capacity, load*3/2)
	}
	return p
}

// TestRuinSteps checks after each step that the plan is whole and what is known of it is true. It also checks that a run improves much, and that
// the same seed and number of steps give the same plan.
func TestRuinSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 5))
	started, ended := int64(0), int64(0)
	for range 10 {
		p := crowd(r, 60)
		s := &search{Lowering: lower.New(p)}
		s.assign(make([]int32, len(p.Buffers)))
		q := &s.pools[0]
		f := newField(q.strip, q.capacity, p, q.penalties)
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
			if !f.allowed(x.at) || f.penalty(x.at) != x.cost || sum != 2*x.cost {
				t.Fatalf("the plan %v pays %d, said to pay %d and %d", x.at, f.penalty(x.at), x.cost, sum)
			}
		}
		a, cost, taken := newRuin(f, start, 7).improve(context.Background(), 0, 3000, time.Time{})
		b, _, _ := newRuin(f, start, 7).improve(context.Background(), 0, 3000, time.Time{})
		if !slices.Equal(a, b) || taken > 3000 {
			t.Fatalf("two runs differ, or took %d steps", taken)
		}
		started += f.penalty(start)
		ended += cost
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, _, taken := newRuin(f, start, 7).improve(ctx, 0, 3000, time.Time{}); taken > 0 {
			t.Errorf("%d steps after the end", taken)
		}
	}
	t.Logf("%d before, %d after", started, ended)
	if ended > started/2 {
		t.Errorf("%d before, %d after", started, ended)
	}
}
