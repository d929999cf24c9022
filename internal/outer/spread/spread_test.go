package spread

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// each calls do for every assignment whose loads fit.
func (c *Choices) each(do func(of Assignment)) {
	room, of := c.RoomOf(nil), make(Assignment, len(c.Bodies)-c.Single)
	var descend func(k int)
	descend = func(k int) {
		if k == len(of) {
			do(of)
			return
		}
		b := &c.Bodies[c.Single+k]
		for n := range b.Pools {
			of[k] = int32(n)
			if b.Take(n, room, 1) {
				descend(k + 1)
			}
			b.Take(n, room, -1)
		}
	}
	descend(0)
}

// TestWalkIsCheapest holds prices and the walk through time against every assignment: the equation of the prices is exact, the bound of a
// walk of any width is one, and a wide walk finds the cheapest.
func TestWalkIsCheapest(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 30))
	narrow, above, cut := 0, 0, 0
	for n := range plantest.Share(10_000, 800, 300) {
		p := drawn.Pooled(r)
		if n%2 == 0 {
			p = drawn.Spilled(r, 3+r.IntN(8))
		}
		c, why := New(lower.New(p))
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
				t.Fatalf("prices make %d of the cost %d, shift %d\n%s", sum, cost, c.Prices.shift, drawn.DescribeRuled(p))
			}
		})
		for _, width := range []int{1, 1_000} {
			of, bound := c.through(context.Background(), math.MaxInt64/4, width, nil)
			switch {
			case least == math.MaxInt64:
				if of != nil {
					t.Fatalf("an assignment where no loads fit\n%s", drawn.DescribeRuled(p))
				}
				continue
			case width == 1 && of == nil && bound < math.MaxInt64 && c.Prices.Least(bound) <= least:
				// It ran into a dead end.
			case of == nil || c.Cost(of) < least || c.Prices.Least(bound) > least:
				t.Fatalf("width %d: %v costs less than %d, or bound %d\n%s", width, of, least, bound, drawn.DescribeRuled(p))
			case width > 1 && (c.Cost(of) != least || c.Prices.Least(bound) != least):
				t.Fatalf("width %d: %d, bound %d, want %d\n%s", width, c.Cost(of), c.Prices.Least(bound), least, drawn.DescribeRuled(p))
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
			if of, _ := c.through(context.Background(), c.Prices.Gap(least), 1_000, nil); of == nil || c.Cost(of) != least {
				t.Fatalf("within %d: %v", least, of)
			}
			if of, bound := c.through(context.Background(), c.Prices.Gap(least-1), 1_000, nil); of != nil && c.Cost(of) < least || of == nil && bound != math.MaxInt64 {
				t.Fatalf("within %d: %v, %d", least-1, of, bound)
			}
		}
	}
	t.Logf("of width 1: %d dear, %d with a lower bound; prices are above the cheapest pools in %d", narrow, cut, above)
	if above < 50 {
		t.Error("prices hardly ever say more than the cheapest pools do")
	}
}

// TestMeansRaiseTheBound: without means of slopes the bound is 171 to 174 million, and a plan pays 183.1.
func TestMeansRaiseTheBound(t *testing.T) {
	p := gen.ResNet50Training()
	load := timeline.New(p).LowerBound
	p.Rules = &model.Rules{Pools: []model.Pool{{ID: "s", Capacity: load / 32 * 16, Alignment: 16}, {ID: "d", Cost: 2}}}
	c, _ := New(lower.New(p))
	room := c.RoomOf(nil)
	first := c.greedy(room)
	c.Prices = c.price(context.Background(), c.Cost(first))
	if c.Cost(first) > 184_000_000 || c.Prices.Least(0) < 178_000_000 {
		t.Errorf("%d buffers: greedy pays %d, bound %d", len(p.Buffers), c.Cost(first), c.Prices.Least(0))
	}
}

// TestExchange: exchanges keep to the loads and lower what the two greedy passes pay.
func TestExchange(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 31))
	var before, after, best int64
	better := [2]int{}
	for range 300 {
		p := drawn.Spilled(r, 14)
		c, _ := New(lower.New(p))
		least := int64(math.MaxInt64)
		c.Prices = c.price(context.Background(), 1_000)
		passes := []func(Room) Assignment{c.greedy, c.priced}
		var paid [2]int64
		for k, pass := range passes {
			room := c.RoomOf(nil)
			of := pass(room)
			cost := c.Cost(of)
			paid[k] = cost
			c.exchange(context.Background(), of, room)
			before, after, least = before+cost, after+c.Cost(of), min(least, c.Cost(of))
			for q := range room {
				if again := c.RoomOf(of)[q]; !slices.Equal(again, room[q]) || room[q] != nil && slices.Min(room[q]) < 0 {
					t.Fatalf("room %v, should be %v", room[q], again)
				}
			}
		}
		if paid[0] < paid[1] {
			better[0]++
		} else if paid[1] < paid[0] {
			better[1]++
		}
		of, _ := c.through(context.Background(), math.MaxInt64/4, 10_000, nil)
		if best += c.Cost(of); least < c.Cost(of) {
			t.Fatal("cheaper than the walk")
		}
	}
	t.Logf("greedy %d, exchanged %d, best %d of each pass; which pass pays less: %v", before, after, 2*best, better)
	if 2*(after-2*best) > before-2*best || min(better[0], better[1]) < 10 {
		t.Error("exchanges save less than half of what could be, or one pass is of no use")
	}
}

// TestWalkIsShort: where the cost is known but for a little, most bodies are struck off the walk, and where lives end states become one.
func TestWalkIsShort(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 39))
	c, _ := New(lower.New(drawn.Spilled(r, 60)))
	first, _ := c.Cheapest(context.Background(), func() bool { return false })
	walk := func(limit int64) int {
		w := &walk{Prices: c.Prices, bodies: c.Bodies[c.Single:], cut: math.MaxInt64, room: c.RoomOf(nil), pools: []int32{0}}
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

// TestPoolsThatCannot: a pool whose free stretches are too short for a buffer is not on its list.
func TestPoolsThatCannot(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
		{ID: "x", Capacity: 12, Reserved: []model.Range{{Lower: 7, Upper: 8}}}, {ID: "y", Capacity: 7}, {ID: "z"},
	}}}
	for i, size := range []int64{7, 8, 12} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: size, Upper: 1})
	}
	c, _ := New(lower.New(p))
	for k := range c.Bodies {
		b := &c.Bodies[k]
		if want := map[int64][]int32{7: {0, 1, 2}, 8: {2}, 12: {2}}[b.size]; !slices.Equal(b.Pools, want) {
			t.Errorf("size %d: pools %v, want %v", b.size, b.Pools, want)
		}
	}
}

// TestCells: cells that are partly reserved do not count.
func TestCells(t *testing.T) {
	for from, want := range map[int64]int64{32: 3, 16: 3, 33: 4, 0: 3, 17: 4} {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: 64, Alignment: 16, Reserved: []model.Range{{Lower: from, Upper: from + 16}}}, {ID: "y"},
		}}, Buffers: []model.Buffer{{ID: "0", Size: 1, Upper: 1}}}
		c, _ := New(lower.New(p))
		if c.room[0][0] != want {
			t.Errorf("reserved from %d on: %d cells, want %d", from, c.room[0][0], want)
		}
	}
}
