package bound

import "github.com/stowage-go/stowage/model"

// Idea: choose for each two buffers that meet which of them lies above; the
// lowest offsets that keep to the choices are the longest paths from the floor.
// Such a path adds distances between buffers, which are differences of sizes and
// window ends, begins at 0 or at a fixed offset, and is rounded up to an
// alignment at each buffer. Every plan can be lowered to such offsets, windows
// that interlock included. So if a number divides all sizes, window ends and
// fixed offsets, and rounding keeps to its multiples, then it divides the height
// of a plan that is no higher than any given one: only its multiples are worth
// asking for, and a bound may be rounded up to them.
//
// Rounding up to the alignment a keeps to the multiples of g where a divides g,
// and then does nothing, or where g divides a. An alignment that does neither
// takes g down to their common divisor. A smaller g may be at odds with
// alignments that the larger one agreed with, so they are all looked at until
// none changes it: 12 agrees with 4, but where 18 has made it 6 no more.
//
// Invariant: every divisor of the first g that agrees with all alignments divides
// g all along. Let d be one that divides g, and let a be at odds with g. If a
// divided d it would divide g, so d divides a, and with it the common divisor.
// Hence the order of looking does not matter, and what is left is the greatest.
//
// Complexity: O(n) for each time that g changes, at most 63, and hardly ever more
// than 2.
//
// Tried and dropped: the sums that sizes can make instead of a divisor. With two
// coprime sizes nearly all numbers above some thousands are sums.

// Step returns a number that divides the least height of the problem. For each
// plan there is one no higher whose height is a multiple of it.
func Step(p *model.Problem) int64 {
	var g int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		g = GCD(b.Size, g)
		if b.Fixed != nil {
			g = GCD(*b.Fixed, g)
		}
		for k := range b.Gaps {
			if w := b.Gaps[k].Window; w != nil {
				g = GCD(w.Upper, GCD(w.Lower, g))
			}
		}
		if g == 1 {
			return 1
		}
	}
	return Unit(g, len(p.Buffers), func(i int) int64 { return p.Buffers[i].Align() })
}

// Unit returns the greatest divisor of g with which each of n alignments agrees:
// either divides the other. Where g divides a set of lengths, rounding sums of
// them up to the alignments yields multiples of the unit. It returns 1 for a g
// of 0.
func Unit(g int64, n int, alignment func(i int) int64) int64 {
	for before := int64(0); before != g; {
		before = g
		for i := range n {
			if a := alignment(i); g%a != 0 {
				g = GCD(a, g)
			}
		}
	}
	return max(g, 1)
}
