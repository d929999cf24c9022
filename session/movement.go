package session

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: movement is a measure of two plans: the bytes of all buffers with another place, each times its weight, then
// their number. A planner that knows only hints moves buffers without need. So after each planner, bodies go
// back to their old places if these are free, the costly ones first.
//
// Complexity: O(moved times n) for each pass, at most backPasses passes.

// backPasses is how often buffers are tried at their old offsets. A buffer that goes back may free the place
// of another.
const backPasses = 3

// cost returns what it costs to move buffer i.
func (s *Session) cost(i int32) int64 { return s.o.cost(&s.p.Buffers[i]) }

// cost returns what it costs to move a buffer.
func (o *Options) cost(b *model.Buffer) int64 {
	if o.Weight == nil {
		return b.Size
	}
	return saturated(o.Weight(b), b.Size)
}

// saturated returns a product, or model.MaxSum if that is less.
func saturated(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > model.MaxSum {
		return model.MaxSum
	}
	return int64(low)
}

func (m *Movement) add(cost int64, b *model.Buffer) {
	m.Cost = min(m.Cost+cost, model.MaxSum)
	m.Buffers++
	m.Bytes = min(m.Bytes+b.Size, model.MaxSum)
	m.Slots = min(m.Slots+saturated(b.Size, b.Upper-b.Lower), model.MaxSum)
}

// moves returns the movement of the members of a body.
func (c *call) moves(body int32) (m Movement) {
	for _, i := range c.members(body) {
		if !c.mine[i] {
			m.add(c.s.cost(i), &c.s.p.Buffers[i])
		}
	}
	return m
}

// movement measures new places against those before the call. Buffers that the call is about do not count.
func (c *call) movement(p placing) (m Movement) {
	for i, at := range p.at {
		if (at != c.old[i] || p.pool != nil && p.pool[i] != c.oldPool[i]) && !c.mine[i] {
			m.add(c.s.cost(int32(i)), &c.s.p.Buffers[i])
		}
	}
	return m
}

// moveBack puts bodies back to their old places if these are free, and then if only moved ones are in the way.
func (c *call) moveBack(p placing) {
	var gone []int32
	for i, at := range p.at {
		body := c.of(int32(i))
		if pool, origin, ok := c.oldPlace(body); ok && int(body) == i && (at != origin+c.from(body) || p.in(body) != pool) {
			gone = append(gone, body)
		}
	}
	c.costlyFirst(gone)
	for range backPasses {
		left := gone[:0]
		for _, body := range gone {
			if pool, origin, _ := c.oldPlace(body); c.free(p, body, pool, origin) {
				c.put(p, body, pool, origin)
			} else {
				left = append(left, body)
			}
		}
		if len(left) == len(gone) {
			break
		}
		gone = left
	}
	c.swapBack(p)
}

// costlyFirst sorts bodies by what it costs to move them.
func (c *call) costlyFirst(list []int32) {
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := c.moves(a), c.moves(b)
		return y.compare(&x)
	})
}
