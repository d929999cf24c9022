package spread

import (
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// checkRoom checks that room is what an assignment leaves, and that its loads fit.
func (c *Choices) checkRoom(of Assignment, room Room) {
	for q, free := range c.RoomOf(of) {
		invariants.Must(slices.Equal(room[q], free), "not what is left is the room of pool", q)
		invariants.Must(free == nil || len(free) == 0 || slices.Min(free) >= 0, "too much is in pool", q)
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
	invariants.Equal(excess, sum, "excess of the walk")
}
