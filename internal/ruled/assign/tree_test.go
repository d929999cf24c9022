package assign

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestTree compares the branches with every assignment: the cheapest is found and proven, also if only a dearer one
// is known before. With little effort no bound is false.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 5))
	all, branched, cut, proven := 0, 0, 0, 0
	for n := range plantest.Share(4_000, 600, 200) {
		p := drawn.Spilled(r, 8+r.IntN(6))
		if n%6 == 0 {
			p = drawn.Pooled(r)
		} else if n%6 == 3 {
			p = drawn.Several(r, 3+r.IntN(4))
		} else {
			for i := range p.Buffers { // values that have nothing to do with sizes
				p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(600)}}}
			}
		}
		c, least, dearest := chosen(p)
		if c == nil {
			continue
		}
		program := c.planesOf()
		if program == nil || !program.lp.Solve(context.Background()) {
			continue
		}
		for program.overfilled(program.lp.Values()) {
			program.lp.Solve(context.Background())
		}
		all++
		c.Prices = program.exactlyOf(program.lp)
		if c.Prices.Least(0) < least {
			branched++
		}
		for _, upper := range []int64{dearest + 1, least + 1, least, least - 1} {
			program.open = nil
			of, low := program.branch(context.Background(), upper, 100_000_000)
			if of != nil && (c.Cost(of) < least || c.Cost(of) >= upper) || low > min(least, upper) {
				t.Fatalf("within %d: %v, bound %d, best %d\n%s", upper, of, low, least, drawn.DescribeRuled(p))
			}
			if upper > least && low == least && of != nil && c.Cost(of) == least {
				proven++
			}
			program.open = nil
			of, low = program.branch(context.Background(), upper, r.IntN(1_500))
			if low > min(least, upper) {
				t.Fatalf("with little effort: %v, bound %d, best %d\n%s", of, low, least, drawn.DescribeRuled(p))
			}
			if upper > least && low < least {
				cut++
			}
			limit := upper
			if of != nil {
				limit = c.Cost(of)
			}
			if more, low := program.branch(context.Background(), limit, 100_000_000); low > min(least, limit) || limit > least &&
				more == nil && low > least {
				t.Fatalf("continued: bound %d, best %d\n%s", low, least, drawn.DescribeRuled(p))
			} else if limit > least && (more == nil || c.Cost(more) != least) && low == least {
				t.Fatalf("continued: %v, best %d\n%s", more, least, drawn.DescribeRuled(p))
			}
			if of != nil {
				room := c.RoomOf(of)
				for q := range room {
					for _, free := range room[q] {
						if free < 0 {
							t.Fatal("an assignment that does not fit")
						}
					}
				}
			}
		}
	}
	t.Log(all, "programs", branched, "branched", cut, "cut off", proven, "proven")
	if all < 100 || branched*3 < all || cut*20 < all || proven < 2*all-all/20 {
		t.Errorf("%d programs, %d branched, %d cut off, %d proven", all, branched, cut, proven)
	}
}
