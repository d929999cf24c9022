package assign

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestMeansRaiseTheBound: without means of slopes the bound is 171 to 174 million, and a plan pays 183.1.
func TestMeansRaiseTheBound(t *testing.T) {
	p := gen.ResNet50Training()
	load := timeline.New(p).LowerBound
	p.Rules = &model.Rules{Pools: []model.Pool{{ID: "s", Capacity: load / 32 * 16, Alignment: 16}, {ID: "d", Cost: 2}}}
	c, _ := choicesOf(p)
	room := c.RoomOf(nil)
	first := c.greedy(room)
	c.Prices = c.price(context.Background(), c.Cost(first))
	if c.Cost(first) > 184_000_000 || c.Prices.Least(0) < 178_000_000 {
		t.Errorf("%d buffers: greedy pays %d, bound %d", len(p.Buffers), c.Cost(first), c.Prices.Least(0))
	}
}
