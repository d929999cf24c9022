package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
)

// TestExchange: exchanges keep to the loads and lower what the two greedy passes pay.
func TestExchange(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 31))
	var before, after, best int64
	better := [2]int{}
	for range 300 {
		p := drawn.Spilled(r, 14)
		c, _ := choicesOf(p)
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
				if again := c.RoomOf(of)[q]; !slices.Equal(again, room[q]) ||
					room[q] != nil && slices.Min(room[q]) < 0 {
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
