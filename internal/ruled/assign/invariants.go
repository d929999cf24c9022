package assign

import (
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// checkRoom checks that room is what an assignment leaves, and that its loads fit.
func (c *Choices) checkRoom(of Assignment, room Room) {
	for q, free := range c.RoomOf(of) {
		invariants.Must(slices.Equal(room[q], free), "not what is left is the room of pool", q)
		invariants.Must(len(free) == 0 || slices.Min(free) >= 0, "too much is in pool", q)
	}
}

// checkExcess checks the excess of an assignment by the equation of the prices.
func (c *Choices) checkExcess(of Assignment, excess int64) {
	sum := int64(0)
	for k, n := range of {
		sum += c.Prices.Excess[k][n]
	}
	for q, free := range c.RoomOf(of) {
		for t, cells := range free {
			sum += c.Prices.of[q][t] * cells
		}
	}
	for n, x := range c.Prices.covers {
		sum += c.Prices.each[n] * x.left(c, of)
	}
	invariants.Equal(excess, sum, "excess of the walk")
}

// check checks that no set of bodies that fits into the section weighs more.
func (x *weighing) check(c *Choices) {
	room := c.room[x.pool][x.section]
	most := []int64{0} // of each weight, the least cells
	for n, k := range x.bodies {
		b := &c.Bodies[c.Single+int(k)]
		cells, weight := b.cellsAt(slices.Index(b.Pools, x.pool), x.section), int(x.weights[n])
		for range weight {
			most = append(most, room+1)
		}
		for v := len(most) - 1; v >= weight; v-- {
			most[v] = min(most[v], most[v-weight]+cells)
		}
	}
	for v := int(x.most) + 1; v < len(most); v++ {
		invariants.Must(most[v] > room, "a set that fits weighs too much in section", int(x.section))
	}
}
