package floor

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: if all numbers of bytes are multiples of g, each body of a plan can move down to a multiple of g. Ends stay
// multiples of g, so no height is between two multiples, and the bounds are rounded up. Let n buffers of one size s be
// live at once, in k pools: the highest end is at least s · ceil(n/k), not only n · s / k.
//
// Each body moves down by less than g. What ended at or below a begin does so still, since sizes are multiples of g.
// The same holds for windows, distances, reserved ranges, borders and pages. So no new bytes are shared, and what was at
// one place is there still. An alignment is kept if it divides g, or if g divides it. Capacities and sizes with prices
// need not be multiples, because no end rises.
//
// Invariant: a plan has no measure below the rounded bound, nor has a plan that keeps the held values, because what
// moves down keeps them.
//
// Complexity: O(numbers · log of the largest), once for each problem.

// gridOf returns g, the greatest common divisor of all numbers of bytes. It is 1 if some buffer has extents,
// since an object's size is then no size of a buffer.
func gridOf(p *model.Problem) int64 {
	g := int64(0)
	add := func(bytes int64) { g = bound.GCD(g, bytes) }
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.HasExtents() {
			return 1
		}
		if add(b.Size); b.Fixed != nil {
			add(*b.Fixed)
		}
		for _, x := range b.Gaps {
			if x.Window != nil {
				add(x.Window.Lower)
				add(x.Window.Upper)
			}
		}
	}
	pools := p.AllPools()
	for q := range pools {
		for _, r := range pools[q].Reserved {
			add(r.Lower)
			add(r.Upper)
		}
		for _, border := range pools[q].Borders {
			add(border)
		}
		add(pools[q].Granularity)
	}
	if p.Rules != nil {
		for _, x := range p.Rules.Together {
			for _, at := range x.At {
				add(at - x.At[0])
			}
		}
		for _, x := range p.Rules.Distances {
			add(x.Distance)
		}
	}
	for again := true; again && g > 1; { // a smaller g may no longer be a multiple of an alignment
		again = false
		for i := range p.Buffers {
			for q := range pools {
				align := bound.LCM(p.Buffers[i].Align(), max(pools[q].Alignment, 1), model.MaxSum)
				if p.Buffers[i].MayUse(int32(q)) && align > 0 && align%g != 0 && g%align != 0 {
					g, again = bound.GCD(g, align), true
				}
			}
		}
	}
	return max(g, 1)
}
