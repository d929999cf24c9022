package assign

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/places"
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

// TestPoolsThatCannot: a pool whose free stretches are too short for a buffer is not on its list.
func TestPoolsThatCannot(t *testing.T) {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
		{ID: "x", Capacity: 12, Reserved: []model.Range{{Lower: 7, Upper: 8}}}, {ID: "y", Capacity: 7}, {ID: "z"},
	}}}
	for i, size := range []int64{7, 8, 12} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: size, Upper: 1})
	}
	c, _ := choicesOf(p)
	for k := range c.Bodies {
		b := &c.Bodies[k]
		if want := map[int64][]int32{7: {0, 1, 2}, 8: {2}, 12: {2}}[b.size]; !slices.Equal(b.Pools, want) {
			t.Errorf("size %d: pools %v, want %v", b.size, b.Pools, want)
		}
	}
}

// choicesOf lists the choices of a problem.
func choicesOf(p *model.Problem) (*Choices, string) {
	l := lower.New(p)
	return New(l, places.Find(p, l.Conflicts))
}
