package tela

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: the engine reasons about pairs, so it does not see that a placement has cut the room of a section into
// useless holes. Here each section has its placed buffers in order of offset. After a placement each hole between the
// placed buffers counts with the bytes that may still go there: at most the sizes of the unplaced buffers that fit
// into it, and at most the stretch that their ranges reach. If all holes of a section together take less than its
// unplaced buffers need, the placement has failed.
//
//	capacity ─┬─────────┐
//	          │  hole 2 │  5 free, but only c (3) fits      takes 3
//	          ├─────────┤
//	          │    a    │
//	          ├─────────┤
//	          │  hole 1 │  2 free, and nothing fits         takes 0
//	          └─────────┘
//	unplaced: b of size 6 and c of size 3, and 3 < 6 + 3
//
// The conflict set has the placements at the edges of the holes that lose room. If there is no such placement, it has
// all placements in the section.
//
// Invariant: while active, piles[s] has the placed buffers of section s and no others, ascending. A section is checked
// again if a placement, or a range that it has moved, may have changed the answer.
//
// Complexity: a placement costs an insertion for each of its sections, and for each section that it touches holes ×
// unplaced. Most inputs never need this, so nothing is built before a partition has taken some backtracks.
//
// Source: cross-section inference (Moffitt, MiniMalloc, ASPLOS 2023, section
// 5.2) and wasted space (Korf, ICAPS 2003), for placements in any order.
//
// Trials: docs/lab/planners.md (of 391 inputs 312 are solved, 270 without sections; narrower rules solve fewer).

// A piece is a placed buffer in a section.
type piece struct {
	start, end int64
	buffer     int32
}

// A member is a buffer that is active in a section, with the bytes that it uses there, relative to its offset.
type member struct {
	buffer     int32
	start, end int64
}

// A seat is a section in which a buffer is active, with the same bytes.
type seat struct {
	section    int32
	start, end int64
}

// sections holds the piles of a partition, whose first section is number 0.
type sections struct {
	active   bool
	capacity int64
	members  [][]member // section → the buffers that are active there
	piles    [][]piece  // section → the buffers that are placed there, by offset
	seats    [][]seat   // buffer → its sections

	touched                 []int32 // scratch of roomy
	stamp                   int64
	bufferSeen, sectionSeen []int64 // stamp of the last look
	failed                  int32   // section of the last failure
}

// maxSeats bounds the memory of sections, to about 200 MB.
const maxSeats = 4 << 20

// newSections lists which buffers are active in which sections. It returns nil if that takes more than most seats.
func newSections(tl *timeline.Timeline, part *timeline.Partition, most int) *sections {
	count := 0
	for _, i := range part.Buffers {
		for _, span := range tl.Spans(int(i)) {
			count += int(span.Last - span.First)
		}
	}
	if count > most {
		return nil
	}
	count = int(part.Last - part.First)
	x := &sections{
		members: make([][]member, count), piles: make([][]piece, count),
		sectionSeen: make([]int64, count),
		seats:       make([][]seat, len(part.Buffers)), bufferSeen: make([]int64, len(part.Buffers)),
	}
	for j, i := range part.Buffers {
		for _, span := range tl.Spans(int(i)) {
			for at := span.First - part.First; at < span.Last-part.First; at++ {
				x.members[at] = append(x.members[at], member{int32(j), span.Lower, span.Upper})
				x.seats[j] = append(x.seats[j], seat{at, span.Lower, span.Upper})
			}
		}
	}
	for at := range x.piles {
		x.piles[at] = make([]piece, 0, len(x.members[at]))
	}
	return x
}

// put adds a placed buffer to its sections.
func (x *sections) put(j int32, offset int64) {
	for _, seat := range x.seats[j] {
		pile := append(x.piles[seat.section], piece{})
		k := len(pile) - 1
		for k > 0 && pile[k-1].start > offset+seat.start {
			pile[k] = pile[k-1]
			k--
		}
		pile[k] = piece{offset + seat.start, offset + seat.end, j}
		x.piles[seat.section] = pile
	}
}

// take removes a buffer from its sections.
func (x *sections) take(j int32) {
	for _, seat := range x.seats[j] {
		pile := x.piles[seat.section]
		for k := range pile {
			if pile[k].buffer == j {
				x.piles[seat.section] = append(pile[:k], pile[k+1:]...)
				break
			}
		}
	}
}

// prepare builds the sections, if they are wanted and not too many, and reports whether they exist.
func (s *search) prepare() bool {
	if s.set.sections && s.sections == nil && !s.tooMany {
		s.sections = newSections(s.tl, s.part, maxSeats)
		s.tooMany = s.sections == nil
	}
	return s.set.sections && s.sections != nil
}

// activate starts the checks of sections, with the fixed buffers in them.
func (s *search) activate(capacity int64) {
	x := s.sections
	x.active, x.capacity = true, capacity
	for at := range x.piles {
		x.piles[at] = x.piles[at][:0]
	}
	for j := range s.n {
		if s.engine.Placed(j) {
			offset, _ := s.engine.Range(j)
			x.put(j, offset)
		}
	}
}

// again starts the checks of sections at point d, by repeating the placements so far. It returns the point at which the
// search goes on. That is an earlier point if a placement now fails.
func (s *search) again(d int32, capacity int64) int32 {
	offsets := make([]int64, d)
	for t := range offsets {
		offsets[t], _ = s.engine.Range(s.points[t].chosen)
	}
	s.unwind(d, 0)
	s.activate(capacity)
	for t, offset := range offsets {
		j := s.points[t].chosen
		if !s.place(int32(t), j, offset) {
			s.total++
			s.limits.counters.Minor++
			return int32(t)
		}
		s.unlink(int32(t), j)
	}
	return d
}

// roomy puts the buffer just placed into its sections, and reports whether every section that the placement has
// touched still has room for its unplaced buffers. If one has no room, it becomes the failed section; the buffer
// stays in all of its sections.
func (s *search) roomy(j int32) bool {
	x := s.sections
	offset, _ := s.engine.Range(j)
	x.put(j, offset)
	x.stamp++
	x.touched = s.engine.Touched(append(x.touched[:0], j))
	for _, k := range x.touched {
		if x.bufferSeen[k] == x.stamp {
			continue
		}
		x.bufferSeen[k] = x.stamp
		for _, seat := range x.seats[k] {
			at := seat.section
			if x.sectionSeen[at] == x.stamp {
				continue
			}
			x.sectionSeen[at] = x.stamp
			if s.lacks(at) {
				x.failed = at
				return false
			}
		}
	}
	return true
}

// lacks reports whether the holes of a section take less than its unplaced buffers need. It begins with the uppermost
// hole, which nearly always takes all.
func (s *search) lacks(at int32) bool {
	x, lacking := s.sections, int64(0)
	for _, m := range x.members[at] {
		if !s.engine.Placed(m.buffer) {
			lacking += m.end - m.start
		}
	}
	pile := x.piles[at]
	for k := len(pile); k >= 0 && lacking > 0; k-- {
		if from, to := hole(pile, k, x.capacity); from < to {
			lacking -= s.takes(at, from, to)
		}
	}
	return lacking > 0
}

// hole returns the room under piece k of a pile, or over the last.
func hole(pile []piece, k int, capacity int64) (from, to int64) {
	if k > 0 {
		from = pile[k-1].end
	}
	if k < len(pile) {
		return from, pile[k].start
	}
	return from, capacity
}

// takes returns the most bytes of a hole that the unplaced buffers of a section can fill.
func (s *search) takes(at int32, from, to int64) int64 {
	low, high, sum := to, from, int64(0)
	for _, m := range s.sections.members[at] {
		if s.engine.Placed(m.buffer) {
			continue
		}
		lo, hi := s.engine.Range(m.buffer)
		start, end := max(from, lo+m.start), min(to, hi+m.end)
		if end-start < m.end-m.start {
			continue
		}
		sum += m.end - m.start
		low, high = min(low, start), max(high, end)
	}
	return min(sum, max(high-low, 0)) // of the stretch that they reach
}

// blameSection keeps the conflict set of the failed section at point d.
func (s *search) blameSection(d int32) {
	x := s.sections
	pile := x.piles[x.failed]
	s.last.clear()
	any := false
	blame := func(k int) {
		if k < 0 || k >= len(pile) {
			return
		}
		if t := s.pointOf[pile[k].buffer]; t >= 0 {
			s.last.add(t)
			any = true
		}
	}
	for k := 0; k <= len(pile); k++ {
		from, to := hole(pile, k, x.capacity)
		if from >= to {
			continue
		}
		if s.takes(x.failed, from, to) < to-from {
			blame(k - 1)
			blame(k)
		}
	}
	if !any {
		for k := range pile {
			blame(k)
		}
	}
	s.points[d].conflict.union(s.last)
}
