package assign

import (
	"context"
	"math"
)

// Idea: a walk through time (through.go) is short if its limit is low: it strikes most pools off the bodies' lists, and
// drops most states. With good prices the cheapest assignment is little above the bound. So the first walk has a small
// part of the limit, and each next walk has twice as much, until a walk finds an assignment.
//
//	found, nothing cut off     it is the cheapest
//	none, nothing cut off      every assignment is above that limit, which is a bound; go on
//	something cut off          the bound is the least excess that was; the whole limit is tried, for any assignment
//
// Invariant: as in a walk with the whole limit, no assignment has less excess than the returned bound.
//
// Complexity: a walk takes about as much as all those before it, if it takes at least twice as long as the last.
//
// Source: iterative deepening (Korf 1985), by cost.

// firstPart is the part of the limit that the first walk has.
const firstPart = 64

// deepen returns what through does, with a bound that is no lower.
func (c *Choices) deepen(ctx context.Context, limit int64, width int,
	allowed func(body, place int32) bool,
) (Assignment, int64) {
	low := int64(0) // every assignment has at least this excess
	if limit < math.MaxInt64/4 {
		for now := limit / firstPart; now < limit && now > 0; now *= 2 {
			of, least := c.through(ctx, now, width, allowed)
			if of == nil && least == math.MaxInt64 {
				low = now + 1
				continue
			}
			low = max(low, least)
			if of != nil {
				return of, low
			}
			break
		}
	}
	of, least := c.through(ctx, limit, width, allowed)
	return of, max(low, least)
}
