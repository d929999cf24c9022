package outer

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	_ "github.com/stowage-go/stowage/internal/auto"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// stretches lists the evictions of a problem.
func stretches(p *model.Problem) (all []stretch) {
	for i := range p.Buffers {
		for _, x := range evictionsOf(&p.Buffers[i]) {
			all = append(all, stretch{x, int32(i)})
		}
	}
	return all
}

// TestMany plans tiny problems as if they had many evictions, and holds the answers against brute force.
func TestMany(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 8))
	counts, met := map[model.Status]int{}, 0
	for range plantest.Share(10_000, 800, 400) {
		p := drawn.Evicted(r)
		if len(stretches(p)) == 0 {
			continue
		}
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided {
			continue
		}
		known, err := plan.Find("auto")
		if err != nil {
			t.Fatal(err)
		}
		s := &search{planner: run.Prepared(known), options: plan.Options{Minimize: true}}
		if r.IntN(4) == 0 {
			s.options.NodeLimit = 1 + r.Int64N(50)
		}
		got, err := s.evict(context.Background(), p, time.Now(), 0)
		if err != nil {
			t.Fatal(err)
		}
		counts[got.Status]++
		if !got.Status.HasPlan() {
			if got.Status == model.Infeasible && best != nil {
				t.Fatalf("a false infeasible\n%s", drawn.DescribeRuled(p))
			}
			continue
		}
		if report := verify.CheckMeasures(p, &got.Plan, got.Measures); !report.OK() {
			t.Fatalf("%s\n%s", report.Violations[0].Message, drawn.DescribeRuled(p))
		}
		var values []int64
		for k, m := range p.Objective() {
			values = append(values, model.ValueOf(got.Measures, m))
			if slices.Equal(values[:k], best[:k]) && got.Bounds[k].Value > best[k] {
				t.Fatalf("the bounds are %v, brute force has %v\n%s", got.Bounds, best, drawn.DescribeRuled(p))
			}
		}
		switch c := slices.Compare(values, best); {
		case c < 0 || got.Status == model.Optimal && c > 0:
			t.Fatalf("%v with %v, brute force has %v\n%s", got.Status, values, best, drawn.DescribeRuled(p))
		case c == 0:
			met++
		}
	}
	planned := counts[model.Optimal] + counts[model.Feasible]
	t.Logf("%v, %d of %d plans are the best", counts, met, planned)
	if counts[model.Optimal]*10 < planned*4 || met*10 < planned*8 {
		t.Errorf("%v, %d of %d plans are the best", counts, met, planned)
	}
}

// loaded draws a problem of up to 12 evictions whose loads are above its capacity, in one pool or two.
func loaded(r *rand.Rand) *model.Problem {
	pools := []model.Pool{{ID: "x", Capacity: 20}, {ID: "y", Capacity: 10}}
	p := &model.Problem{Rules: &model.Rules{Pools: pools[:1+r.IntN(2)]}}
	if r.IntN(3) == 0 {
		p.Rules.Period = 12
	}
	for i := range 8 {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(6), Size: 1 + r.Int64N(9), Extra: &model.Extra{}}
		b.Upper = b.Lower + 4 + r.Int64N(8)
		if r.IntN(4) == 0 {
			b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Lower + 2 + r.Int64N(3)}}
		}
		if r.IntN(2) == 0 {
			b.Extra.Pools = []int32{int32(r.IntN(len(p.Rules.Pools)))}
		}
		at := b.Lower + 1
		for range 2 {
			if end := at + 1 + r.Int64N(5); end < b.Upper && r.IntN(4) > 0 && len(stretches(p)) < 12 {
				b.Extra.Evictions = append(b.Extra.Evictions, model.Eviction{Lower: at, Upper: end, Cost: r.Int64N(20)})
				at = end + 1
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// TestLeastPrice holds the bound of the loads against every cover, and a cheap cover against the cheapest.
func TestLeastPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 9))
	tight, rowed, all, cheapest := 0, 0, 0, 0
	never := func() bool { return false }
	for range plantest.Share(5_000, 600, 300) {
		p := loaded(r)
		evictions := stretches(p)
		rows := families(p, evictions, 0)
		if len(rows) == 0 {
			continue
		}
		best := int64(-1)
		for set := range 1 << len(evictions) {
			taken := subset(set, len(evictions))
			price := (&evicting{all: evictions}).price(taken)
			if !slices.ContainsFunc(rows, func(f *family) bool { return !f.covers(taken) }) && (best < 0 || price < best) {
				best = price
			}
		}
		flows := flowsOf(evictions, rows, never)
		bound := leastPrice(evictions, rows, flows)
		if best < 0 {
			continue // no set frees enough
		}
		if all++; bound > best {
			t.Fatalf("the bound is %d, but there is a cover for %d\n%s", bound, best, drawn.DescribeRuled(p))
		} else if bound == best {
			tight++
		}
		whole := wholePrice(evictions, rows, flows, never)
		if whole < bound || whole > best {
			t.Fatalf("the bound with a row is %d, the other %d, the best %d\n%s", whole, bound, best, drawn.DescribeRuled(p))
		} else if whole == best {
			rowed++
		}
		taken, ok := cheap(evictions, rows, flows, bound, r, never)
		if !ok || slices.ContainsFunc(rows, func(f *family) bool { return !f.covers(taken) }) {
			t.Fatalf("a cover that covers nothing: %v\n%s", taken, drawn.DescribeRuled(p))
		}
		if (&evicting{all: evictions}).price(taken) == best {
			cheapest++
		}
	}
	t.Logf("the bound is met in %d of %d, with a row in %d, and %d covers are the cheapest", tight, all, rowed, cheapest)
	if tight*6 < all || rowed*2 < all || cheapest*100 < all*98 {
		t.Errorf("the bound is met in %d of %d, and %d covers are the cheapest", tight, all, cheapest)
	}
}
