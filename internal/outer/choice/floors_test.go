package choice

import (
	"context"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestFloors: 40 buffers in two pools that cost the same have 2^40 assignments. The height is proven by what is live.
func TestFloors(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}}
	for i := range int64(40) {
		b := model.Buffer{ID: strconv.FormatInt(i, 10), Size: 1 + i%7, Lower: i % 5, Upper: i%5 + 3}
		p.Buffers = append(p.Buffers, b)
	}
	c, _ := chooserOf(p, find(t, "auto"))
	r, err := c.decide(context.Background())
	if err != nil || r.Status != model.Optimal {
		t.Errorf("%v: %v, bounds %v", r.Status, r.Measures, r.Bounds)
	}
}
