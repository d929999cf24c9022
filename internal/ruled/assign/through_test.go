package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestWalkIsCheapest compares prices and the walk through time with every assignment: the equation of the prices is
// exact, the bound of a walk of any width is one, and a wide walk finds the cheapest.
func TestWalkIsCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 30))
	narrow, above, cut := 0, 0, 0
	for n := range plantest.Share(10_000, 800, 300) {
		p := drawn.Pooled(r)
		switch n % 4 {
		case 0, 2:
			p = drawn.Spilled(r, 3+r.IntN(8))
		case 1:
			p = drawn.Several(r, 3+r.IntN(4))
		}
		c, why := choicesOf(p)
		if why != "" {
			continue
		}
		upper, cheap := int64(0), int64(0)
		for k := range c.Bodies {
			upper += slices.Max(c.Bodies[k].Costs)
			cheap += c.Bodies[k].Costs[0]
		}
		c.Prices = c.price(context.Background(), upper)
		least := int64(math.MaxInt64)
		c.each(func(of Assignment) {
			cost := c.Cost(of)
			least = min(least, cost)
			sum, room := c.Prices.base, c.RoomOf(of)
			for k, n := range of {
				sum += c.Prices.Excess[k][n]
			}
			for q := range room {
				for s, free := range room[q] {
					sum += c.Prices.of[q][s] * free
				}
			}
			if sum != cost<<c.Prices.shift {
				t.Fatalf("prices make %d of the cost %d, shift %d\n%s", sum, cost, c.Prices.shift,
					drawn.DescribeRuled(p))
			}
		})
		for _, width := range []int{1, 6, 1_000} {
			of, bound := c.through(context.Background(), math.MaxInt64/4, width, nil)
			switch {
			case least == math.MaxInt64:
				if of != nil {
					t.Fatalf("an assignment where no loads fit\n%s", drawn.DescribeRuled(p))
				}
				continue
			case width < 1_000 && of == nil && bound < math.MaxInt64 && c.Prices.Least(bound) <= least:
				// It ran into a dead end.
			case of == nil || c.Cost(of) < least || c.Prices.Least(bound) > least:
				t.Fatalf("width %d: %v costs less than %d, or bound %d\n%s", width, of, least, bound,
					drawn.DescribeRuled(p))
			case width == 1_000 && (c.Cost(of) != least || c.Prices.Least(bound) != least):
				t.Fatalf("width %d: %d, bound %d, want %d\n%s", width, c.Cost(of), c.Prices.Least(bound), least,
					drawn.DescribeRuled(p))
			case width == 1 && c.Cost(of) > least:
				narrow++
			case width == 1 && c.Prices.Least(bound) < least:
				cut++
			}
		}
		if least < math.MaxInt64 && c.Prices.Least(0) > cheap {
			above++
		}
		// What is not above the limit is found, and nothing else.
		if least < math.MaxInt64 {
			if of, _ := c.through(context.Background(), c.Prices.Gap(least), 1_000, nil); of == nil ||
				c.Cost(of) != least {
				t.Fatalf("within %d: %v", least, of)
			}
			if of, bound := c.through(context.Background(), c.Prices.Gap(least-1), 1_000, nil); of != nil &&
				c.Cost(of) < least || of == nil && bound != math.MaxInt64 {
				t.Fatalf("within %d: %v, %d", least-1, of, bound)
			}
		}
	}
	t.Logf("of width 1: %d dear, %d with a lower bound; prices are above the cheapest pools in %d", narrow, cut, above)
	if above < 50 {
		t.Error("prices hardly ever say more than the cheapest pools do")
	}
}

// TestWalkIsShort: if the cost is nearly known, most bodies are struck off the walk. When lives end, states become
// equal.
func TestWalkIsShort(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 39))
	c, _ := choicesOf(drawn.Spilled(r, 60))
	first, _ := c.Cheapest(context.Background(), func() bool { return false }, always)
	walk := func(limit int64) int {
		w := &walk{
			prices: c.Prices, bodies: c.Bodies[c.Single:], cut: math.MaxInt64, room: c.RoomOf(nil),
			pools: []int32{0},
		}
		if !w.strike(limit, nil) {
			t.Fatal("struck off too much")
		}
		if _, ok := w.run(context.Background(), c.Sections, limit, math.MaxInt32); !ok {
			t.Fatal("no state is left")
		}
		return len(w.records)
	}
	least, all := walk(c.Prices.Gap(c.Cost(first))), walk(math.MaxInt64/4)
	t.Log(least, all, "records")
	if least > 140 || all > 20_000 {
		t.Errorf("%d records within the cost, %d without a limit", least, all)
	}
}

// always is a share of time that does not end.
func always(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }

// TestForget: records that no state comes from go, and the others say the same of each state as before.
func TestForget(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 42))
	p := drawn.Spilled(r, 40)
	for i := range p.Buffers {
		if p.Buffers[i].Lower > 30 {
			p.Buffers[i].Upper = 60 // so that many states are left at the end
		}
	}
	c, _ := choicesOf(p)
	c.Prices = c.price(context.Background(), math.MaxInt32)
	w := c.walkOf(false)
	if !w.strike(math.MaxInt64/4, nil) {
		t.Fatal("struck off too much")
	}
	w.run(context.Background(), c.Sections, math.MaxInt64/4, math.MaxInt32)
	chains := func() (all [][]record) {
		for _, s := range w.states {
			var chain []record
			for at := s.record; at >= 0; at = w.records[at].before {
				chain = append(chain, record{body: w.records[at].body, place: w.records[at].place})
			}
			all = append(all, chain)
		}
		return all
	}
	before, many := chains(), len(w.records)
	w.forget()
	if after := chains(); !reflect.DeepEqual(after, before) {
		t.Errorf("%v\nwere\n%v", after, before)
	}
	if len(before) < 10 || len(w.records) >= many {
		t.Errorf("%d states, %d of %d records are left", len(before), len(w.records), many)
	}
}

// walkOf returns a walk that may use all pools.
func (c *Choices) walkOf(plain bool) *walk {
	w := &walk{prices: c.Prices, bodies: c.Bodies[c.Single:], cut: math.MaxInt64, room: c.RoomOf(nil), plain: plain}
	for q := range c.room {
		if c.room[q] != nil {
			w.pools = append(w.pools, int32(q))
		}
	}
	return w
}
