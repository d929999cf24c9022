package timeline

import (
	"math"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/thresholds"
)

// Idea: a buffer is one or more pieces (model.Piece), each a range of time with one window of bytes in use. A section
// is a set of pieces that are all active at once. Only maximal sections matter: pieces that overlap pairwise in time
// share a moment (Helly), so every conflict shows in a maximal section.
//
// The sweep closes a section at an end that follows a start. At any other end the active set is a subset of the section
// closed before. MiniMalloc closes a section at every distinct end, so some of its sections are not maximal.
//
// Complexity: O(p log p) for p pieces. Starts and ends are sorted apart, as plain integers, and two binary searches
// find the sections of a piece. If time has at most slotsEach slots for each piece, a table by slot replaces the sorts
// and the searches: O(p + slots). The steps of a program are such a time.

// A sweeper prepares a timeline. It lives only as long as that takes.
type sweeper struct {
	t     *Timeline
	m     *Memory
	over  func() bool // whether a limit has come
	times [][2]int64  // of each span: its time; nil if no buffer has a gap

	earliest, latest int64 // time of a buffer or, with gaps, of a piece

	// How closed finds sections: in a table of the slots from earliest on, or, if that is nil, in Ends.
	before []int32
}

// sweep sets Starts, Ends, Load, Plain, spans, spanAt and extent, unless a limit comes.
func (s *sweeper) sweep() {
	gaps, pieces := s.measure()
	if s.over == nil || pieces <= thresholds.PreparedMost {
		s.over = endless
	}
	if !gaps {
		s.wholeSpans()
	} else if !s.cutSpans(pieces) {
		return
	}
	if s.over() {
		return
	}
	if n := max(len(s.t.spans), len(s.t.sizes)); n > 0 {
		s.closeSections(n)
	}
	switch {
	case s.over():
	case s.t.sizes != nil:
		s.numberMany()
	case s.numberSpans():
		s.extents()
	}
}

// endless is the limit that never comes.
func endless() bool { return false }

// measure sets Plain, earliest and latest. It returns whether any buffer has a gap, and at least as many pieces as
// there are: a gap adds at most one piece, and its window another.
func (s *sweeper) measure() (gaps bool, pieces int) {
	buffers := s.t.Problem.Buffers
	s.t.Plain, pieces = true, len(buffers)
	s.earliest, s.latest = math.MaxInt64, math.MinInt64
	for i := range buffers {
		s.earliest, s.latest = min(s.earliest, buffers[i].Lower), max(s.latest, buffers[i].Upper)
		if buffers[i].Fixed != nil || buffers[i].Alignment > 1 || len(buffers[i].Gaps) > 0 {
			s.t.Plain = false
		}
		for k := range buffers[i].Gaps {
			gaps = true
			pieces++
			if buffers[i].Gaps[k].Window != nil {
				pieces++
			}
		}
	}
	return gaps, pieces
}

// wholeSpans makes one span of each buffer, or room for the sizes of many.
func (s *sweeper) wholeSpans() {
	buffers := s.t.Problem.Buffers
	if len(buffers) > thresholds.LargeAbove {
		s.t.sizes = s.m.longs.Take(len(buffers))
		return
	}
	s.t.spans, s.t.single = s.m.spans.Take(len(buffers)), true
	for i := range buffers {
		s.t.spans[i].Upper = buffers[i].Size
	}
}

// cutSpans makes spans of the pieces of each buffer. Pieces of the same bytes that meet are one
// span. It returns false if a limit comes.
func (s *sweeper) cutSpans(pieces int) bool {
	t := s.t
	s.times = make([][2]int64, 0, pieces)
	t.spans = make([]Span, 0, pieces)
	t.spanAt = make([]int32, 1, len(t.Problem.Buffers)+1)
	for i := range t.Problem.Buffers {
		first := len(t.spans)
		for x := range t.Problem.Buffers[i].Pieces {
			k := len(t.spans) - 1
			if k >= first && s.times[k][1] == x.Lower && t.spans[k].Lower == x.From && t.spans[k].Upper == x.To {
				s.times[k][1] = x.Upper
				continue
			}
			s.times = append(s.times, [2]int64{x.Lower, x.Upper})
			t.spans = append(t.spans, Span{Lower: x.From, Upper: x.To})
			if len(t.spans)%thresholds.PreparedMost == 0 && s.over() {
				return false
			}
		}
		t.spanAt = append(t.spanAt, int32(len(t.spans)))
	}
	return true
}

// at returns the time of span k.
func (s *sweeper) at(k int) (lower, upper int64) {
	if s.times != nil {
		return s.times[k][0], s.times[k][1]
	}
	b := &s.t.Problem.Buffers[k]
	return b.Lower, b.Upper
}

// numberSpans sets the sections of each span, and Load: a span is in the sections that are closed
// after its start and by its end. It returns false if a limit comes.
func (s *sweeper) numberSpans() bool {
	loads := bound.Loads(s.m.longs.Take(len(s.t.Ends) + 1))
	for k := range s.t.spans {
		if k%thresholds.PreparedMost == thresholds.PreparedMost-1 && s.over() {
			return false
		}
		span := &s.t.spans[k]
		lower, upper := s.at(k)
		span.First, span.Last = s.closed(lower), s.closed(upper)
		loads.Add(span.First, span.Last, span.Upper-span.Lower)
	}
	s.t.Load = loads.Sum()
	return true
}

// numberMany sets the sections and the size of each of many buffers, and Load.
func (s *sweeper) numberMany() {
	t := s.t
	loads := bound.Loads(s.m.longs.Take(len(t.Ends) + 1))
	t.extent = s.m.pairs.Take(len(t.sizes))
	for i := range t.sizes {
		if i%thresholds.PreparedMost == thresholds.PreparedMost-1 && s.over() {
			return
		}
		b := &t.Problem.Buffers[i]
		first, last := s.closed(b.Lower), s.closed(b.Upper)
		t.extent[i], t.sizes[i] = [2]int32{first, last}, b.Size
		loads.Add(first, last, b.Size)
	}
	t.Load = loads.Sum()
}

// extents sets the sections of each buffer, from its first span to its last.
func (s *sweeper) extents() {
	s.t.extent = s.m.pairs.Take(len(s.t.Problem.Buffers))
	for i := range s.t.extent {
		if spans := s.t.Spans(i); len(spans) > 0 {
			s.t.extent[i] = [2]int32{spans[0].First, spans[len(spans)-1].Last}
		}
	}
}

// closeSections finds the maximal sections of one piece or more. If one ends at the time at which another begins, the
// end comes first, because lifespans are half-open.
func (s *sweeper) closeSections(pieces int) {
	for k := range s.times { // of a buffer that is cut (Part), gaps may reach further than its life
		s.earliest, s.latest = min(s.earliest, s.times[k][0]), max(s.latest, s.times[k][1])
	}
	if time := s.latest - s.earliest; time <= int64(slotsEach*pieces) {
		s.closeBySlot(pieces, s.earliest, int(time))
		return
	}
	starts, ends := s.m.longs.Take(pieces), s.m.longs.Take(pieces)
	for k := range pieces {
		starts[k], ends[k] = s.at(k)
	}
	sorting.Times(starts)
	sorting.Times(ends)
	i, count, fresh := 0, 0, false
	for _, end := range ends {
		for i < len(starts) && starts[i] < end {
			i++
			fresh = true
		}
		if fresh {
			// Entry count of both arrays has been read already, so the section can go there.
			starts[count], ends[count] = starts[i-1], end
			count++
			fresh = false
		}
	}
	s.t.Starts, s.t.Ends = starts[:count:count], ends[:count:count]
}

// closed returns the number of sections closed at or before a time at which a piece starts or ends.
func (s *sweeper) closed(time int64) int32 {
	if s.before != nil {
		return s.before[time-s.earliest]
	}
	ends := s.t.Ends
	return int32(sort.Search(len(ends), func(k int) bool { return ends[k] > time }))
}

// slotsEach: time is a table if it has at most this many slots for each piece.
const slotsEach = 8

// closeBySlot does what closeSections does, with a table of the slots from earliest on.
func (s *sweeper) closeBySlot(pieces int, earliest int64, slots int) {
	// before[s] first marks what happens at slot s, then counts the sections.
	const starts, ends = 1, 2
	before := s.m.shorts.Take(slots + 1)
	for k := range pieces {
		lower, upper := s.at(k)
		before[lower-earliest] |= starts
		before[upper-earliest] |= ends
	}
	fresh, count := false, int32(0)
	for _, mark := range before {
		if mark&ends != 0 && fresh {
			count++
		}
		fresh = mark&starts != 0 || fresh && mark&ends == 0
	}
	t := s.t
	t.Starts, t.Ends = s.m.longs.Take(int(count))[:0], s.m.longs.Take(int(count))[:0]
	last := 0
	fresh, count = false, 0
	for slot, mark := range before {
		if mark&ends != 0 && fresh {
			t.Starts = append(t.Starts, earliest+int64(last))
			t.Ends = append(t.Ends, earliest+int64(slot))
			fresh = false
			count++
		}
		if mark&starts != 0 {
			last, fresh = slot, true
		}
		before[slot] = count
	}
	s.before = before
}
