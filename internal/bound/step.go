package bound

import "github.com/stowage-go/stowage/model"

// Idea: if g divides all sizes, window ends and fixed offsets, and rounding up to each
// alignment keeps to multiples of g, then
//
//	g divides the least height
//
// Only multiples of g are worth asking for, and a bound may be rounded up to one.
//
// Proof: choose for each two buffers that meet which of them lies above. The lowest offsets that keep to these choices
// are longest paths from the floor. Such a path begins at 0 or at a fixed offset. It adds distances between buffers,
// which are differences of sizes and window ends, and rounds up to an alignment at each buffer. So it stays on
// multiples of g. Every plan can be lowered to such offsets, even if windows interlock.
//
// Rounding up to the alignment a keeps to the multiples of g if a divides g (it then does nothing) or if g divides a.
// Otherwise g becomes gcd(a, g). The smaller g may no longer agree with alignments that the larger one agreed with: 12
// agrees with 4, but after 18 has made it 6 it does not. So the alignments are read again until none changes g.
//
// Invariant: every divisor d of the first g that agrees with all alignments divides g all along. Let d divide g, and
// let a disagree with g. If a divided d, it would divide g. So d divides a, and hence gcd(a, g). So the order of the
// alignments does not matter, and the last g is the greatest such divisor.
//
// Complexity: O(n) for each change of g. There are at most 63 changes, and rarely more than 2.
//
// Trials: docs/lab/place.md (the sums that sizes can make are nearly all numbers from some thousands up).

// Step returns a number that divides the least height of the problem. For each plan there
// is another that is no higher and whose height is a multiple of the step.
func Step(p *model.Problem) int64 {
	var g int64
	aligned := false
	for i := range p.Buffers {
		b := &p.Buffers[i]
		aligned = aligned || b.Alignment > 1
		if g == 0 || b.Size%g != 0 {
			g = GCD(b.Size, g)
		}
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
	if !aligned {
		return max(g, 1)
	}
	return Unit(g, len(p.Buffers), func(i int) int64 { return p.Buffers[i].Align() })
}

// Divisor returns the greatest number that divides all sizes, at least 1. It is the step if nothing else has a say.
func Divisor(sizes []int64) (g int64) {
	for _, size := range sizes {
		if g == 0 || size%g != 0 {
			g = GCD(size, g)
		}
		if g == 1 {
			break
		}
	}
	return max(g, 1)
}

// Unit returns the greatest divisor of g that agrees with each of n alignments: one divides the other. If g divides a
// set of lengths, then sums of them, rounded up to the alignments, are multiples of the unit. Unit returns 1 if g is 0.
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
