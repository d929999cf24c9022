package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestPlanes compares prices of inequalities with every assignment: the equation is exact, no inequality is exceeded,
// and the walk with these prices is right at any width. The bound is mostly above that of prices for room.
func TestPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 4))
	above, below, covers, met, all := 0, 0, 0, 0, 0
	for n := range plantest.Share(6_000, 900, 300) {
		p := drawn.Spilled(r, 5+r.IntN(8))
		switch n % 4 {
		case 0:
			p = drawn.Pooled(r)
		case 2:
			p = drawn.Several(r, 3+r.IntN(4))
		case 1:
			for i := range p.Buffers { // values that have nothing to do with sizes
				p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(60)}}}
			}
		}
		c, least, dearest := chosen(p)
		if c == nil {
			continue
		}
		plain := c.price(context.Background(), dearest)
		c.Prices, _ = c.planed(context.Background(), dearest+1)
		if c.Prices == nil {
			continue
		}
		all++
		covers += len(c.Prices.covers)
		c.each(func(of Assignment) {
			sum, room := c.Prices.base, c.RoomOf(of)
			for k, n := range of {
				sum += c.Prices.Excess[k][n]
			}
			for q := range room {
				for s, free := range room[q] {
					sum += c.Prices.of[q][s] * free
				}
			}
			for n, x := range c.Prices.covers {
				left := x.left(c, of)
				if left < 0 {
					t.Fatalf("an assignment is against %v\n%s", x, drawn.DescribeRuled(p))
				}
				sum += c.Prices.each[n] * left
			}
			if cost := c.Cost(of); sum != cost<<c.Prices.shift {
				t.Fatalf("prices make %d of the cost %d, shift %d\n%s", sum, cost, c.Prices.shift, drawn.DescribeRuled(p))
			}
		})
		if bound := c.Prices.Least(0); bound > least {
			t.Fatalf("bound %d, best %d\n%s", bound, least, drawn.DescribeRuled(p))
		} else if bound == least {
			met++
		}
		if c.Prices.Least(0) > plain.Least(0) {
			above++
		} else if c.Prices.Least(0) < plain.Least(0) {
			below++
		}
		for _, width := range []int{1, 6, 1_000} {
			of, bound := c.through(context.Background(), math.MaxInt64/4, width, nil)
			if bound < math.MaxInt64 && c.Prices.Least(bound) > least || of != nil && c.Cost(of) < least {
				t.Fatalf("width %d: bound %d, best %d\n%s", width, c.Prices.Least(bound), least, drawn.DescribeRuled(p))
			}
			if width == 1_000 && (of == nil || c.Cost(of) != least || c.Prices.Least(bound) != least) {
				t.Fatalf("width %d: %v, best %d\n%s", width, of, least, drawn.DescribeRuled(p))
			}
		}
		if of, _ := c.through(context.Background(), c.Prices.Gap(least), 1_000, nil); of == nil || c.Cost(of) != least {
			t.Fatalf("within %d: %v\n%s", least, of, drawn.DescribeRuled(p))
		}
	}
	t.Logf("of %d, %d with %d covers are above the prices for room, %d below, %d are met", all, above, covers, below, met)
	if all < 100 || above*5 < all || below*50 > all || met*3 < all*2 || covers < all/4 {
		t.Errorf("of %d, %d with %d covers are above the prices for room, %d below, %d are met", all, above, covers,
			below, met)
	}
}

// chosen returns the choices of a problem, and the least and the largest cost of an assignment that fits; nil if there
// are none.
func chosen(p *model.Problem) (c *Choices, least, dearest int64) {
	c, why := choicesOf(p)
	if why != "" {
		return nil, 0, 0
	}
	least = math.MaxInt64
	c.each(func(of Assignment) { least, dearest = min(least, c.Cost(of)), max(dearest, c.Cost(of)) })
	if least == math.MaxInt64 {
		return nil, 0, 0
	}
	return c, least, dearest
}
