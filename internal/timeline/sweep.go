package timeline

import (
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/tune"
	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer is one or more pieces (model.Piece), each a range of time with one window
// of bytes in use. A section is a set of pieces that are all active at once.
// Only maximal sections matter: pieces that overlap pairwise in time share a moment (Helly),
// so every conflict shows in a maximal section.
//
// The sweep closes a section at an end that follows a start. At any other end the active set
// is a subset of the section closed before. MiniMalloc closes a section at every distinct
// end, so some of its sections are not maximal.
//
// Complexity: O(p log p) for p pieces. Starts and ends are sorted apart, as plain integers,
// and two binary searches find the sections of a piece. If time has at most slotsEach slots
// for each piece, a table by slot replaces the sorts and the searches: O(p + slots). The
// steps of a program are such a time.

// sweep sets Starts, Ends, Load, Plain, spans, spanAt and extent, unless a limit comes.
func (t *Timeline) sweep() {
	buffers := t.Problem.Buffers
	n := len(buffers)
	// A gap adds at most one piece, and its window another.
	gaps, pieces := false, n
	t.Plain = true
	for i := range buffers {
		if buffers[i].Fixed != nil || buffers[i].Alignment > 1 || len(buffers[i].Gaps) > 0 {
			t.Plain = false
		}
		for k := range buffers[i].Gaps {
			gaps = true
			pieces++
			if buffers[i].Gaps[k].Window != nil {
				pieces++
			}
		}
	}
	if t.over == nil || pieces <= tune.PreparedMost {
		t.over = func() bool { return false }
	}
	late := false
	var times [][2]int64 // of each span, where there are gaps
	if gaps {
		times = make([][2]int64, 0, pieces)
		t.spans = make([]Span, 0, pieces)
		t.spanAt = make([]int32, 1, n+1)
		for i := range buffers {
			if late {
				return
			}
			first := len(t.spans)
			buffers[i].Pieces(func(x model.Piece) bool {
				// Pieces of the same bytes that meet are one span.
				if k := len(t.spans) - 1; k >= first && times[k][1] == x.Lower && t.spans[k].Lower == x.From && t.spans[k].Upper == x.To {
					times[k][1] = x.Upper
					return true
				}
				times = append(times, [2]int64{x.Lower, x.Upper})
				t.spans = append(t.spans, Span{Lower: x.From, Upper: x.To})
				late = len(t.spans)%tune.PreparedMost == 0 && t.over()
				return !late
			})
			t.spanAt = append(t.spanAt, int32(len(t.spans)))
		}
	} else {
		t.spans = make([]Span, n)
		for i := range buffers {
			t.spans[i].Upper = buffers[i].Size
		}
	}
	at := func(k int) (lower, upper int64) {
		if gaps {
			return times[k][0], times[k][1]
		}
		return buffers[k].Lower, buffers[k].Upper
	}
	if late || t.over() {
		return
	}
	closed := t.closeSections(len(t.spans), at)
	if t.over() {
		return
	}

	// A piece is in the sections closed after its start and by its end.
	m := len(t.Ends)
	loads := bound.NewLoads(m)
	for k := range t.spans {
		if k%tune.PreparedMost == tune.PreparedMost-1 && t.over() {
			return
		}
		s := &t.spans[k]
		lower, upper := at(k)
		s.First, s.Last = closed(lower), closed(upper)
		loads.Add(s.First, s.Last, s.Upper-s.Lower)
	}
	t.Load = loads.Sum()

	t.extent = make([][2]int32, n)
	for i := range buffers {
		if spans := t.Spans(i); len(spans) > 0 {
			t.extent[i] = [2]int32{spans[0].First, spans[len(spans)-1].Last}
		}
	}
}

// closeSections finds the maximal sections; at(k) returns the times of piece k. It returns a
// function: closed(time) is the number of sections closed at or before time, if a piece
// starts or ends at that time. At equal times ends come first, because lifespans are
// half-open.
func (t *Timeline) closeSections(pieces int, at func(k int) (lower, upper int64)) (closed func(time int64) int32) {
	if pieces == 0 {
		return nil
	}
	earliest, latest := at(0)
	for k := range pieces {
		lower, upper := at(k)
		earliest, latest = min(earliest, lower), max(latest, upper)
	}
	if latest-earliest <= int64(slotsEach*pieces) {
		return t.closeBySlot(pieces, at, earliest, int(latest-earliest))
	}
	starts, ends := make([]int64, pieces), make([]int64, pieces)
	for k := range pieces {
		starts[k], ends[k] = at(k)
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
	t.Starts, t.Ends = starts[:count:count], ends[:count:count]
	return func(time int64) int32 {
		return int32(sort.Search(len(t.Ends), func(s int) bool { return t.Ends[s] > time }))
	}
}

// slotsEach: time is a table if it has at most this many slots for each piece.
const slotsEach = 8

// closeBySlot does what closeSections does, with a table of the slots from earliest on.
func (t *Timeline) closeBySlot(pieces int, at func(k int) (lower, upper int64), earliest int64, slots int) (closed func(time int64) int32) {
	// before[s] first marks what happens at slot s, then counts the sections.
	const starts, ends = 1, 2
	before := make([]int32, slots+1)
	for k := range pieces {
		lower, upper := at(k)
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
	t.Starts, t.Ends = make([]int64, 0, count), make([]int64, 0, count)
	last := 0
	fresh, count = false, 0
	for s, mark := range before {
		if mark&ends != 0 && fresh {
			t.Starts = append(t.Starts, earliest+int64(last))
			t.Ends = append(t.Ends, earliest+int64(s))
			fresh = false
			count++
		}
		if mark&starts != 0 {
			last, fresh = s, true
		}
		before[s] = count
	}
	return func(time int64) int32 { return before[time-earliest] }
}
