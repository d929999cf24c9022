package bound

import (
	"math"
	"slices"
)

// Idea: some propagations never end. Take difference constraints between
// offsets that are rounded up to their alignments:
//
//	offset(b) >= Up(offset(a) + distance, alignment of b)
//
// A propagation raises each offset until no constraint asks for more. A cycle of constraints may raise its offsets for
// ever. The capacity would end that, but it may be 2^60 bytes away. Two facts prove that a cycle never ends:
//
//   - Its distances add up to more than 0. Each round then lifts an offset by as
//     much again. Without windows all distances are positive, and so is the sum.
//   - It has lifted an offset by Period or more. One round of the cycle maps an
//     offset to a higher one. This map is monotone, and it commutes with shifts by
//     Period. So a lift by Period repeats from any start: the map has no fixed point.
//
// The second fact is needed if windows interlock. Distances may then add up to 0 or
// less, and rounding still lifts the offsets, for a while or for ever.
//
// Source: difference constraints with rounding are monotone maps.

// Passes returns the number of passes after which a propagation is proven never to
// end. It is for n offsets with these alignments:
//
//	n · (Period / least alignment + 2)
//
// A bound that moves in pass k has a chain of k reasons behind it. A chain of n·m
// reasons contains one of the n bounds m times. Each time it has moved by its
// alignment or more, so after m = Period / alignment times it has moved by Period.
//
// If Period is above any offset, the proof is that every chain leaves the range of
// offsets. The result is math.MaxInt64 if no run reaches so many passes.
//
// If all distances are positive, n+1 passes are enough.
func Passes(alignments []int64) int64 {
	n, rounds := int64(len(alignments)), Period(alignments)/slices.Min(alignments)
	if rounds >= math.MaxInt64/n-2 {
		return math.MaxInt64
	}
	return n * (rounds + 2)
}
