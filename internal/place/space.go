package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a placement is as fast as memory: it searches and moves long sorted
// lists of ranges. Sizes of tensors are mostly multiples of some unit; offsets
// counted in units fit 32 bits, which halves the lists. At the first buffer that
// is no multiple, or too high, the placement goes on in bytes and 64 bits, and
// each list is copied when it is first asked for: the scalars of a program that
// come last touch a few lists of many.
//
// Invariant: the unit divides all fixed offsets, and the sizes, windows and
// alignments above 1 of all that is placed in units. A buffer without alignment
// lies at 0 or where a window of another makes it lie, so its offset is a
// multiple as well, and the plan is the same as in bytes.
//
// Complexity: one pass over the partition for the unit.

// narrowest is the number of units above which 32 bits may not do. It leaves room
// for an offset and a size to be added.
const narrowest = math.MaxInt32 / 2

// space is what is in use in a partition.
type space[N number] struct {
	tl                 *timeline.Timeline
	first              int32 // first section of the partition
	unit               int64 // bytes
	top                int64 // where the highest buffer ends
	tolerance, granule int64 // of the tree, in bytes
	used               tree[N]
	probes             []probe[N] // scratch of put and free
}

// measure returns the width of the partition's buffers, in sections on average,
// and their smallest window.
func measure(tl *timeline.Timeline, part *timeline.Partition) (width int, smallest int64) {
	smallest = math.MaxInt64
	for _, i := range part.Buffers {
		for _, s := range tl.Spans(int(i)) {
			smallest = min(smallest, s.Upper-s.Lower)
			width += int(s.Last - s.First)
		}
	}
	return width / len(part.Buffers), smallest
}

// unitOf returns the unit of as many buffers as there are, in the order of
// placement, before it is so small that the load would not fit 32 bits.
func unitOf(tl *timeline.Timeline, part *timeline.Partition, order []int32) (unit int64) {
	least := tl.LowerBound / narrowest * 2
	take := func(i int32) bool {
		u := unit
		for _, x := range numbers(tl, int(i)) {
			if u == 0 || u > 1 && x%u != 0 {
				u = bound.GCD(u, x)
			}
		}
		for _, s := range tl.Spans(int(i)) {
			if s.Lower%u != 0 || s.Upper%u != 0 {
				u = bound.GCD(u, bound.GCD(s.Lower, s.Upper))
			}
		}
		if u < least {
			return false
		}
		unit = u
		return true
	}
	for _, i := range part.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil && !take(i) {
			return 1
		}
	}
	for _, i := range order {
		if !take(i) {
			break
		}
	}
	return max(unit, 1)
}

// numbers returns what the unit divides, but for windows: the buffer's size, its
// alignment if any, and its fixed offset if any.
func numbers(tl *timeline.Timeline, i int) [3]int64 {
	b := &tl.Problem.Buffers[i]
	x := [3]int64{b.Size}
	if b.Alignment > 1 {
		x[1] = b.Alignment
	}
	if b.Fixed != nil {
		x[2] = *b.Fixed
	}
	return x
}

// begin empties the space for a partition.
func (s *space[N]) begin(tl *timeline.Timeline, part *timeline.Partition, unit int64) {
	s.tl, s.first, s.unit, s.top = tl, part.First, unit, 0
	width, smallest := measure(tl, part)
	s.tolerance, s.granule = smallest-1, bound.CommonAlignment(tl.Problem, part.Buffers)
	granule := N(1)
	if s.granule%unit == 0 && s.granule/unit <= narrowest {
		granule = N(s.granule / unit)
	}
	s.used.reset(int(part.Last-part.First), width, N(min(s.tolerance/unit, narrowest)), granule)
}

// narrow reports whether buffer i may be placed in units and 32 bits, wherever
// that is.
func narrow(s *space[int32], i int) bool {
	b := &s.tl.Problem.Buffers[i]
	x := numbers(s.tl, i)
	if s.unit > 1 {
		for _, x := range x {
			if x%s.unit != 0 {
				return false
			}
		}
		for _, span := range s.tl.Spans(i) {
			if (span.Lower != 0 || span.Upper != b.Size) && (span.Lower%s.unit != 0 || span.Upper%s.unit != 0) {
				return false
			}
		}
	}
	limit := int64(math.MaxInt64)
	if s.unit < math.MaxInt64/narrowest {
		limit = narrowest * s.unit
	}
	at := max(s.top, x[2])
	return at <= limit-x[0] && at+x[0] <= limit-x[1]
}

// widen makes w what s is, in bytes.
func widen(w *space[int64], s *space[int32]) {
	u := &w.used
	w.tl, w.first, w.unit, w.top = s.tl, s.first, 1, s.top
	u.leaves, u.grain = s.used.leaves, s.used.grain
	u.nodes = append(u.nodes[:0], s.used.nodes...)
	u.lists = append(u.lists[:0], make([][]Range, len(s.used.lists))...)
	u.tolerance, u.granule = s.tolerance, s.granule
	u.narrow, u.unit = s.used.lists, s.unit
}

// put places buffer i and returns its offset.
func (s *space[N]) put(i int, fit Fit) int64 {
	b := &s.tl.Problem.Buffers[i]
	align := N(1)
	if b.Alignment > 1 {
		align = N(b.Alignment / s.unit)
	}
	s.ask(i)
	offset := lowest(s.probes, 0, align)
	if fit == BestFit {
		offset = tightest(s.probes, offset, align)
	}
	at := int64(offset) * s.unit
	s.occupy(i, at)
	return at
}

// fix puts buffer i at its fixed offset, unless something is in its way.
func (s *space[N]) fix(i int) bool {
	at := *s.tl.Problem.Buffers[i].Fixed
	// Whatever is fixed is a multiple of the granule and no hole between two fits
	// less than the smallest window, so the test is exact.
	if s.ask(i); len(s.probes) > 0 {
		if units := N(at / s.unit); lowest(s.probes, units, 1) != units {
			return false
		}
	}
	s.occupy(i, at)
	return true
}

// tightest returns the offset, from offset on, with the least room above it.
func tightest[N number](probes []probe[N], offset, align N) N {
	best, least, found := N(0), N(0), false
	for {
		free, ok := room(probes, offset)
		if !ok {
			break
		}
		if !found || free < least {
			best, least, found = offset, free, true
			if free == 0 {
				break
			}
		}
		offset = lowest(probes, offset+free+1, align)
	}
	if found {
		return best
	}
	return offset
}

// ask sets the probes for buffer i.
func (s *space[N]) ask(i int) {
	s.probes = s.probes[:0]
	for _, span := range s.tl.Spans(i) {
		s.probes = s.used.appendProbes(s.probes, span.First-s.first, span.Last-s.first, N(span.Lower/s.unit), N(span.Upper/s.unit))
	}
}

// occupy puts buffer i at offset.
func (s *space[N]) occupy(i int, offset int64) {
	s.top = max(s.top, offset+s.tl.Problem.Buffers[i].Size)
	for _, span := range s.tl.Spans(i) {
		r := extent[N]{From: N((offset + span.Lower) / s.unit), To: N((offset + span.Upper) / s.unit)}
		s.used.insert(span.First-s.first, span.Last-s.first, r)
	}
}
