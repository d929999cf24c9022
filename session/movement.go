package session

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: movement is a measure of two plans: the bytes of all buffers with another offset, each times its weight, then
// their number. A planner that knows only hints moves buffers without need. So after each planner, buffers go
// back to their old offsets where these are free, the costly ones first.
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

// movement measures new offsets against those before the call. Buffers that the call is about do not count.
func (c *call) movement(at []int64) (m Movement) {
	for i := range at {
		if at[i] != c.old[i] && !c.mine[i] {
			m.add(c.s.cost(int32(i)), &c.s.p.Buffers[i])
		}
	}
	return m
}

// moveBack puts buffers back to their old offsets where these are free, and then where only moved ones are in the way.
func (c *call) moveBack(at []int64) {
	s := c.s
	var away []int32
	for i := range at {
		if at[i] != c.old[i] && c.old[i] >= 0 {
			away = append(away, int32(i))
		}
	}
	c.costlyFirst(away)
	for range backPasses {
		left := away[:0]
		for _, i := range away {
			s.scratch.bans = s.bans(s.scratch.bans[:0], i, at)
			if allowed(&s.p.Buffers[i], s.scratch.bans, c.old[i], s.p.Capacity) {
				at[i] = c.old[i]
			} else {
				left = append(left, i)
			}
		}
		if len(left) == len(away) {
			break
		}
		away = left
	}
	c.home(at)
}

// costlyFirst sorts buffers by what it costs to move them.
func (c *call) costlyFirst(list []int32) {
	slices.SortStableFunc(list, func(i, j int32) int {
		switch a, b := c.s.cost(i), c.s.cost(j); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
}
