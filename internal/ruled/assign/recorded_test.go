package assign

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/model"
)

// TestRecorded holds assignments, prices and bounds. TestCovers, TestWalkIsCheapest and TestChecked know what is true.
func TestRecorded(t *testing.T) {
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		record := func(name string, many int, draw func(r *rand.Rand) *model.Problem) {
			r := rand.New(rand.NewPCG(41, 7))
			b.Line(name, func(say func(...any)) {
				for range many {
					recordChoices(t, draw(r), say)
				}
			})
		}
		for _, n := range []int{8, 16, 32} {
			record(fmt.Sprint("spilled, ", n), 96/n, func(r *rand.Rand) *model.Problem { return drawn.Spilled(r, n) })
			record(fmt.Sprint("priced, ", n), 96/n, func(r *rand.Rand) *model.Problem {
				p := drawn.Spilled(r, n)
				for i := range p.Buffers {
					p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(600)}}}
				}
				return p
			})
			record(fmt.Sprint("several, ", n), 96/n, func(r *rand.Rand) *model.Problem { return drawn.Several(r, n) })
			record(fmt.Sprint("tight, ", n), 96/n, func(r *rand.Rand) *model.Problem { return drawn.Tight(r, n) })
		}
		record("pooled", 60, drawn.Pooled)
		record("banked", 60, drawn.Banked)
	})
}

// recordChoices says all that is known of a problem's choices.
func recordChoices(t *testing.T, p *model.Problem, say func(...any)) {
	t.Helper()
	if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.MayLeave() }) {
		return
	}
	if o, why := Overloaded(lower.New(p)); o != nil {
		say(*o, why)
	}
	if o := Fullest(p); o != nil {
		say(*o)
	}
	c, why := choicesOf(p)
	if say(why); c == nil {
		return
	}
	for k := range c.Bodies {
		say(c.Bodies[k].Members, c.Bodies[k].Pools, c.Bodies[k].Costs, c.Bodies[k].Length())
	}
	of, ok := c.Cheapest(t.Context(), func() bool { return false }, always)
	if say(of, ok, c.Low); of == nil {
		return
	}
	say(c.Cost(of), c.PoolOf(of), c.RoomOf(of), c.Prices.of, c.Prices.base, c.Prices.Excess, c.Prices.each)
	for _, limit := range []int64{c.Prices.Gap(c.Cost(of)), math.MaxInt64 / 4} {
		say(c.Through(t.Context(), limit, nil))
		say(c.Through(t.Context(), limit, func(body, place int32) bool { return (body+place)%3 > 0 }))
	}
	for pool := range int32(len(p.AllPools())) {
		if q := c.Orders(pool, p.AllPools()[pool].Capacity); q != nil {
			say(*q.Question)
		}
	}
	if c.CanCheck() {
		n := 0
		low := c.Checked(t.Context(), c.Cost(of)*2, func(of Assignment) Check {
			if n++; n%3 == 0 || n > 12 {
				return Packs
			}
			var in []int32
			for k := range of {
				if c.Bodies[c.Single+k].Pools[of[k]] == 0 && c.Sure(int32(k)) < 0 {
					in = append(in, int32(k))
				}
			}
			if say(of, in); n%3 == 1 {
				c.AddCore(0, in, int64(len(in))-1)
				return Refused
			}
			c.AddGuess(0, in, int64(len(in))-1)
			return Undecided
		})
		say(low, n)
	}
}
