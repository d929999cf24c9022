package climb

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: squeaky wheel. Place in an order; whatever ends above the goal was in
// trouble, so move it forward by half the order, give or take; place again. A
// few rounds find orders that no sort gives, at the cost of a placement each.
//
// Invariant: the plan returned is valid and under the given height.
//
// Complexity: rounds placements.
//
// Source: Joslin and Clements, "Squeaky Wheel Optimization", 1999.
//
// Measured: from the order by width, 6 rounds take S_1 from 0.248% over the load
// to 0.202% for two seeds of five. Tried and dropped: smaller steps (10% and 2%
// of the order), which gain less; problems of some hundred buffers, where it
// ends far above any stacking order.

// rounds is how often an order is revised.
const rounds = 6

// promote revises one of three orders at random. It returns the lowest plan
// under below, nil for none.
func promote(ctx limit, tl *timeline.Timeline, rng *rand.Rand, below, goal int64) (best []int64, height, steps int64) {
	buffers := tl.Problem.Buffers
	n := len(buffers)
	height = below
	key := make([]float64, n)
	order := make([]int32, n)
	which := rng.IntN(4)
	for i := range order {
		order[i] = int32(i)
		b := &buffers[i]
		switch which {
		case 0:
			key[i] = -float64(b.Size)
		case 1:
			key[i] = -float64(b.Size) * float64(b.Upper-b.Lower)
		default:
			key[i] = -float64(b.Upper - b.Lower)
		}
	}
	for round := 0; round < rounds && height > goal; round++ {
		sorting.By(order, func(i, j int32) bool {
			if key[i] != key[j] || round > 0 {
				return key[i] < key[j]
			}
			return buffers[i].Size > buffers[j].Size
		})
		offsets, h, end := place.Below(ctx.Watch, tl, order, place.FirstFit, unlimited)
		steps += int64(n)
		if h < height && offsets != nil {
			best, height = offsets, h
		}
		if end != place.Whole {
			break
		}
		for rank, i := range order {
			key[i] = float64(rank)
			if offsets[i]+buffers[i].Size > goal {
				key[i] -= float64(n) / 2 * (0.5 + rng.Float64())
				if key[i] < 0 {
					key[i] = rng.Float64()
				}
			}
		}
	}
	return best, height, steps
}
