package pools

import (
	"context"
	"math/rand/v2"
	"testing"

	_ "github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// planned starts a search in a problem of one pool, with a plan of it, or returns nil.
func planned(t *testing.T, p *model.Problem) (*Search, *pool) {
	t.Helper()
	exact := must.Get(plan.Find("exact"))(t)
	s := New(lower.New(p), run.Prepared(exact), plan.Options{Minimize: true}, plan.Stats{})
	s.assign(make([]int32, len(p.Buffers)))
	q := &s.pools[0]
	a := must.Get(s.plan(context.Background(), q.strip, q.capacity, false))(t)
	if !a.status.HasPlan() {
		return nil, nil
	}
	q.take(&a, false)
	q.paid = s.paidIn(q)
	return s, q
}

// TestPromote checks that keeping pairs apart in batches lowers the penalty of pools that are too large for a field.
func TestPromote(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 10))
	before, after := int64(0), int64(0)
	for range 5 {
		s, q := planned(t, drawn.Crowd(r, 40))
		if s == nil {
			continue
		}
		before += q.paid
		must.Do(t, s.promote(context.Background(), q))
		after += s.paidIn(q)
	}
	t.Logf("%d before, %d after", before, after)
	if after > before/2 {
		t.Errorf("%d before, %d after", before, after)
	}
}

// TestRaise checks that the sets of pairs that may pay lead to the optimum of problems that must pay, without slots or
// cliques.
func TestRaise(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 11))
	for problems := 0; problems < 20; {
		p := drawn.OnePool(r)
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided || best == nil || best[0] == 0 {
			continue
		}
		problems++
		s, q := planned(t, p)
		if s == nil {
			t.Fatal("no plan")
		}
		if err := s.apart(context.Background(), q); err != nil || q.least == 0 {
			t.Fatalf("%v, or all pairs apart are said to fit\n%s", err, drawn.DescribeRuled(p))
		}
		if err := s.raise(context.Background(), q); err != nil || q.least != best[0] || s.paidIn(q) != best[0] {
			t.Fatalf("%v: at least %d, %d paid; the least is %d\n%s", err, q.least, s.paidIn(q), best[0],
				drawn.DescribeRuled(p))
		}
	}
}
