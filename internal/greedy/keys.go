package greedy

import (
	"math"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Here are the sort keys that come from frameworks. MiniMalloc's are in orders.go. The
// portfolio can use every key that a framework's planner sorts by.

// whole returns 1 for each buffer that lives from the first time of the problem to the last, and 0 for the others.
func (m *scratch) whole(tl *timeline.Timeline) []uint64 {
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range tl.Problem.Buffers {
		b := &tl.Problem.Buffers[i]
		begin, end = min(begin, b.Lower), max(end, b.Upper)
	}
	return m.each(tl, func(i int) uint64 {
		if b := &tl.Problem.Buffers[i]; b.Lower == begin && b.Upper == end {
			return 1
		}
		return 0
	})
}

// atPeak returns 1 for each buffer that is active in the section of the largest load, the
// first of these, and 0 for the others.
func (m *scratch) atPeak(tl *timeline.Timeline) []uint64 {
	peak := int32(0)
	for s, load := range tl.Load {
		if load > tl.Load[peak] {
			peak = int32(s)
		}
	}
	return m.each(tl, func(i int) uint64 {
		for _, s := range tl.Spans(i) {
			if s.First <= peak && peak < s.Last {
				return 1
			}
		}
		return 0
	})
}

// weight returns size × duration² for each buffer, as the bits of a floating-point number. The
// bits of positive numbers have the order of the numbers.
func (m *scratch) weight(tl *timeline.Timeline) []uint64 {
	return m.each(tl, func(i int) uint64 {
		b := &tl.Problem.Buffers[i]
		life := float64(b.Upper - b.Lower)
		return math.Float64bits(float64(b.Size) * life * life)
	})
}

// ticks returns how long each buffer lives on XLA's clock. Each allocation and each release is one tick of this clock.
// At equal times releases come first, and the rest follows start, end and index.
func (m *scratch) ticks(tl *timeline.Timeline) []uint64 {
	buffers := tl.Problem.Buffers
	starts, ends := m.sorted(nil, tl, "be"), m.sorted(nil, tl, "eb")
	key := m.keys.Take(len(buffers))
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

// tickArea returns, for each buffer, its size times the number of ticks from its first to its
// last, as in XLA's packing search.
func (m *scratch) tickArea(tl *timeline.Timeline) []uint64 {
	key := m.ticks(tl)
	for i := range key {
		key[i] = area(tl.Problem.Buffers[i].Size, int64(key[i]+1))
	}
	return key
}
