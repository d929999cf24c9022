package greedy

import (
	"math"

	"github.com/stowage-go/stowage/internal/timeline"
)

// The sort keys of frameworks, beside MiniMalloc's in orders.go: what a planner
// of the box goes by, the portfolio can go by.

// whole is 1 for a buffer that lives from the first time of the problem to the
// last.
func whole(tl *timeline.Timeline) []uint64 {
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range tl.Problem.Buffers {
		b := &tl.Problem.Buffers[i]
		begin, end = min(begin, b.Lower), max(end, b.Upper)
	}
	return each(tl, func(i int) uint64 {
		if b := &tl.Problem.Buffers[i]; b.Lower == begin && b.Upper == end {
			return 1
		}
		return 0
	})
}

// atPeak is 1 for a buffer that is active in the first section of the largest
// load.
func atPeak(tl *timeline.Timeline) []uint64 {
	peak := int32(0)
	for s, load := range tl.Load {
		if load > tl.Load[peak] {
			peak = int32(s)
		}
	}
	return each(tl, func(i int) uint64 {
		for _, s := range tl.Spans(i) {
			if s.First <= peak && peak < s.Last {
				return 1
			}
		}
		return 0
	})
}

// weight is size × duration², as a floating-point number: those of positive numbers are in
// the order of their bits.
func weight(tl *timeline.Timeline) []uint64 {
	return each(tl, func(i int) uint64 {
		b := &tl.Problem.Buffers[i]
		life := float64(b.Upper - b.Lower)
		return math.Float64bits(float64(b.Size) * life * life)
	})
}

// ticks is how long a buffer lives on XLA's clock, on which each allocation and each
// release is a tick, those of one time in the order of start, end and index, and what
// ends comes first.
func ticks(tl *timeline.Timeline) []uint64 {
	buffers := tl.Problem.Buffers
	starts, ends := Sorted(nil, tl, "be"), Sorted(nil, tl, "eb")
	key := make([]uint64, len(buffers))
	for tick := range uint64(2 * len(buffers)) {
		if len(starts) > 0 && buffers[starts[0]].Lower < buffers[ends[0]].Upper {
			key[starts[0]] -= tick
			starts = starts[1:]
		} else {
			key[ends[0]] += tick
			ends = ends[1:]
		}
	}
	return key
}

// tickArea is size times the number of ticks from a buffer's first to its last, as XLA's
// packing search has it.
func tickArea(tl *timeline.Timeline) []uint64 {
	key := ticks(tl)
	for i := range key {
		key[i] = area(tl.Problem.Buffers[i].Size, int64(key[i]+1))
	}
	return key
}
