package session

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: a walk in which buffers may overlap for a while. A buffer without a place goes where it overlaps the others
// least. Then buffers that overlap, drawn at random with a preference for those that have moved, go where they overlap
// least, until no two overlap. An overlap costs its bytes times the weight of the pair. If no buffer can do better, the
// weight of each pair that overlaps grows, and the walk goes on. So it leaves its dead ends. An ejection (guided.go)
// sees only whether a buffer is in the way. Here buffers of a stack that must give way by a few bytes do so one by one:
//
//	bytes
//	  |  [ a ]              |  [ a ]              |  [ a ]
//	  |  [ b ]              |  [ b ####]          |      [ x ]
//	  |      [ c ]          |      [ x ]          |  [ b ]
//	  |    x: no room       |      [ c ]          |      [ c ]
//	  +---------- time      +---------- time      +---------- time
//
// A small buffer that lies wholly within a large one overlaps by few bytes, and would stay there for long. So the first
// weight of a pair, which is also the amount by which its weight grows, falls with the fourth root of the smaller size.
//
// At a dead end the order of the offsets may have a plan (pack.go).
//
// Growing weights can drive a walk away from offsets that were almost a plan. So the walk remembers the dead end with
// the least overlap, in bytes times first weights. After overlapStale worse dead ends it goes back there. It keeps
// the weights, and so leaves in another way.
//
// The best place of a buffer is found in one pass. Let G(y) be the weighted bytes of the others below y, a line with
// corners at their ends. At offset o a buffer costs G(o + size) - G(o). Between two offsets at which the buffer touches
// another one this is a straight line, too. So the least cost is at such an offset, at 0, or at the highest offset.
//
// Invariant: clash[i] is the number of buffers that i overlaps, and list has those with one or more.
//
// Complexity: O(n) for a move. The weights take O(n²) memory: so above overlapMost buffers the walk is left out. It is
// also left out with rules, and if a buffer has gaps in its life.
//
// Source: guided local search (Voudouris and Tsang 1999), with the neighbourhood of Egeblad, Nielsen and Odgaard (2007)
// for nesting: one piece goes along one axis to its best place. Going back is from Gardeyn and Wauters (2025), for
// nesting, too.
//
// Going back doubles the plans that long walks find (docs/lab/session.md).

// overlapMost is the largest number of buffers with which the walk is tried.
const overlapMost = 2_000

// overlapBytes is the largest sum of sizes with which it is tried, and overlapDear the largest weight: no sum of bytes
// times weights reaches farOff.
const (
	overlapBytes = 1 << 40
	overlapDear  = 1 << 21
)

// overlapUnit is the first weight of a buffer as large as the capacity.
const overlapUnit = 8

// A walk goes back after overlapStale dead ends. The next dead end to remember may then have more overlap, by one
// part in overlapSlack.
const (
	overlapStale = 20
	overlapSlack = 50
)

// An end is the lower or upper end of a placed buffer.
type end struct {
	y    int64
	code int32 // twice the buffer, plus 1 for its upper end
}

func endsInOrder(a, b end) int { return inOrder(a.y, b.y, a.code, b.code) }

// A corner is a bend of G: its offset, G there, and how fast G rises after it.
type corner struct {
	y, sum, slope int64
}

// farOff is beyond all ends.
const farOff = 1 << 62

// An overlaps is the state of a walk.
type overlaps struct {
	c       *call // the call that the lists below are of
	ready   bool  // the walk can be tried
	n       int
	at      []int64
	held    []bool  // the buffer must not move: it is pinned, or back at its old offset (walkback.go)
	pins    []int32 // the buffers that are held
	weights []int32 // of each pair that is live at one time; 0 for others
	unit    []int32 // of each buffer: the first weight of a pair in which it is the smaller
	least   int64   // what overlapped at the dead end that is remembered, in bytes times first weights; farOff for none
	fewest  []int64 // the offsets there
	stale   int     // dead ends since then
	meets   []int32 // for one buffer after the other, those that are live with it
	begins  []int32 // where each buffer's begin in meets, and the number of all
	ends    []end   // of all placed buffers, in order
	clash   []int32 // how many others each buffer overlaps
	list    []int32 // the buffers with a clash
	where   []int32 // each buffer's place in list; -1 for none
	tried   []bool  // the buffer found nothing better since something near it changed
	tops    []int64 // scratch of pack: the top of each buffer that it has placed from below; 0 for others
	bottoms []int64 // likewise, the offset of each that it has placed from above; the largest number for others
	open    []int32 // scratch of next
	live    []end   // scratch of bend
	corners []corner
}

// overlap walks for a number of moves. It returns a plan, or nil.
func (c *call) overlap(moves int, draw *uint64) placing {
	h := c.overlaps()
	if h == nil {
		return placing{}
	}
	h.start(c.at, c.homeless, draw)
	if !h.walk(moves, draw) {
		return placing{}
	}
	p := placing{at: h.at}
	c.moveBack(p)
	return p
}

// overlaps returns the state of this call's walks, or nil if the walk cannot be tried.
func (c *call) overlaps() *overlaps {
	h := &c.s.scratch.overlaps
	if h.c != c { // all walks of a call have the same buffers
		h.ready = h.prepare(c)
	}
	if !h.ready {
		return nil
	}
	return h
}

// prepare lists which buffers meet. It reports whether the walk can be tried.
func (h *overlaps) prepare(c *call) bool {
	s, n := c.s, len(c.at)
	h.c, h.n = c, n
	gaps := func(b model.Buffer) bool { return len(b.Gaps) > 0 }
	if s.p.Rules != nil || n > overlapMost || s.bytes > overlapBytes || slices.ContainsFunc(s.p.Buffers, gaps) {
		return false
	}
	h.meets, h.begins, h.held = h.meets[:0], h.begins[:0], h.held[:0]
	for i, l := range s.life {
		h.begins = append(h.begins, int32(len(h.meets)))
		h.held = append(h.held, s.p.Buffers[i].Fixed != nil)
		for j, m := range s.life {
			if m.lower < l.upper && l.lower < m.upper && j != i {
				h.meets = append(h.meets, int32(j))
			}
		}
	}
	h.begins = append(h.begins, int32(len(h.meets)))
	h.tops, h.bottoms = slices.Grow(h.tops[:0], n)[:n], slices.Grow(h.bottoms[:0], n)[:n]
	h.weights = slices.Grow(h.weights[:0], n*n)[:n*n]
	h.unit = h.unit[:0]
	for i := range s.p.Buffers {
		root := math.Sqrt(math.Sqrt(float64(s.p.Capacity) / float64(s.p.Buffers[i].Size)))
		h.unit = append(h.unit, int32(overlapUnit*max(1, root)))
	}
	h.clash = slices.Grow(h.clash[:0], n)[:n]
	h.where = slices.Grow(h.where[:0], n)[:n]
	h.tried = slices.Grow(h.tried[:0], n)[:n]
	h.live = slices.Grow(h.live[:0], 2*n+1)[:2*n+1]
	h.corners = slices.Grow(h.corners[:0], 2*n+2)[:2*n+2]
	return true
}

func (h *overlaps) meet(i int32) []int32 { return h.meets[h.begins[i]:h.begins[i+1]] }

func (h *overlaps) row(i int32) []int32 { return h.weights[int(i)*h.n : (int(i)+1)*h.n] }

// first returns the first weight of a pair.
func (h *overlaps) first(i, j int32) int32 { return max(h.unit[i], h.unit[j]) }

// start begins a walk. The buffers that have an offset in from do not overlap. The homeless ones have none, and go
// where they overlap least.
func (h *overlaps) start(from []int64, homeless []int32, draw *uint64) {
	buffers := h.c.s.p.Buffers
	h.at = append(h.at[:0], from...)
	h.pins = h.pins[:0]
	for i := range h.held {
		if h.held[i] {
			h.pins = append(h.pins, int32(i))
		}
	}
	h.ends, h.list = h.ends[:0], h.list[:0]
	h.forget()
	clear(h.weights)
	for k := range h.at {
		i := int32(k)
		row := h.row(i)
		for _, j := range h.meet(i) {
			row[j] = h.first(i, j)
		}
		h.clash[i], h.where[i], h.tried[i] = 0, -1, false
		if low := h.at[i]; low != away {
			h.ends = append(h.ends, end{low, 2 * i}, end{low + buffers[i].Size, 2*i + 1})
		}
	}
	slices.SortFunc(h.ends, endsInOrder)
	for _, i := range homeless {
		if to := buffers[i].Fixed; to != nil {
			h.move(i, *to)
		} else {
			h.move(i, h.best(i, draw))
		}
	}
}

// forget forgets the dead ends.
func (h *overlaps) forget() { h.least, h.fewest, h.stale = farOff, h.fewest[:0], 0 }

// walk reports whether it found a plan, which is then in h.at.
func (h *overlaps) walk(moves int, draw *uint64) bool {
	for range moves {
		if len(h.list) == 0 || h.c.watch.Over() {
			break
		}
		h.c.nodes++
		i := h.next(draw)
		if i < 0 {
			if h.pack() {
				return true
			}
			h.leave()
			continue
		}
		if to := h.best(i, draw); to != h.at[i] {
			h.move(i, to)
		}
		h.tried[i] = true
	}
	return len(h.list) == 0
}

// next draws two buffers that overlap others and may find a better place. It returns one that has moved already, if
// there is one, so that fewer buffers move. It returns -1 if there is no such buffer.
func (h *overlaps) next(draw *uint64) int32 {
	h.open = h.open[:0]
	for _, i := range h.list {
		if !h.tried[i] && !h.held[i] {
			h.open = append(h.open, i)
		}
	}
	if len(h.open) == 0 {
		return -1
	}
	a, b := h.open[splitmix.Next(draw)%uint64(len(h.open))], h.open[splitmix.Next(draw)%uint64(len(h.open))]
	if h.at[a] == h.c.old[a] && h.at[b] != h.c.old[b] {
		return b
	}
	return a
}

// leave is called at a dead end: it makes each overlap dearer, and may go back.
func (h *overlaps) leave() {
	bytes := h.raise()
	if bytes < h.least || len(h.fewest) == 0 {
		h.least, h.stale = bytes, 0
		h.fewest = append(h.fewest[:0], h.at...)
		return
	}
	if h.stale++; h.stale <= overlapStale {
		return
	}
	h.stale = 0
	h.least = min(h.least+h.least/overlapSlack, farOff)
	for i, offset := range h.fewest {
		if h.at[i] != offset {
			h.move(int32(i), offset)
		}
	}
}

// raise makes each overlap dearer. It returns the bytes that overlap, times first weights, each pair twice.
func (h *overlaps) raise() (bytes int64) {
	for _, i := range h.list {
		row, low, high := h.row(i), h.at[i], h.top(i)
		for _, j := range h.meet(i) {
			if h.at[j] < high && low < h.top(j) {
				first := h.first(i, j)
				bytes = min(bytes+int64(first)*(min(high, h.top(j))-max(low, h.at[j])), farOff)
				row[j] = min(row[j]+first, overlapDear)
			}
		}
		h.tried[i] = false
	}
	return bytes
}

func (h *overlaps) top(i int32) int64 { return h.at[i] + h.c.s.p.Buffers[i].Size }

// move puts buffer i at another offset, or at its first.
func (h *overlaps) move(i int32, to int64) {
	size, from := h.c.s.p.Buffers[i].Size, h.at[i]
	for _, j := range h.meet(i) {
		if h.at[j] == away {
			continue
		}
		low, high := h.at[j], h.top(j)
		before := from != away && low < from+size && from < high
		after := low < to+size && to < high
		switch {
		case after && !before:
			h.count(i, 1)
			h.count(j, 1)
		case before && !after:
			h.count(i, -1)
			h.count(j, -1)
		}
		h.tried[j] = false
	}
	h.at[i] = to
	if from != away {
		h.ends = without(without(h.ends, end{from, 2 * i}, endsInOrder), end{from + size, 2*i + 1}, endsInOrder)
	}
	h.ends = with(with(h.ends, end{to, 2 * i}, endsInOrder), end{to + size, 2*i + 1}, endsInOrder)
}

// count notes d more clashes of buffer i.
func (h *overlaps) count(i, d int32) {
	h.clash[i] += d
	switch at := h.where[i]; {
	case at < 0 && h.clash[i] > 0:
		h.where[i] = int32(len(h.list))
		h.list = append(h.list, i)
	case at >= 0 && h.clash[i] == 0:
		last := len(h.list) - 1
		h.list[at] = h.list[last]
		h.where[h.list[at]] = at
		h.where[i] = -1
		h.list = h.list[:last]
	}
}

// best returns the offset at which buffer i costs least: the present offset if no other costs less, else one of the
// cheapest at random. The buffer must not be pinned.
func (h *overlaps) best(i int32, draw *uint64) int64 {
	b := &h.c.s.p.Buffers[i]
	size, align, last := b.Size, b.Align(), h.c.s.p.Capacity-b.Size
	if align > 1 {
		last = bound.Down(last, align)
	}
	corners := h.bend(i)
	least, offset, ties := int64(farOff), int64(0), uint64(1)
	stay := h.at[i] != away
	if stay {
		least, offset = cost(corners, h.at[i], size), h.at[i]
	}
	try := func(o, g int64) {
		switch {
		case g < least:
			least, offset, ties, stay = g, o, 1, false
		case g == least && !stay && o != offset:
			if ties++; splitmix.Next(draw)%ties == 0 {
				offset = o
			}
		}
	}
	// low and high are the last corners at or below o and o + size. Up to the next corner of either the cost is a
	// straight line.
	low, high := lastUpTo(corners, 0), lastUpTo(corners, size)
	for o := int64(0); o <= last; {
		below, above := corners[low+1].y, corners[high+1].y-size
		next := min(below, above)
		p, q := &corners[low], &corners[high]
		at := func(o int64) int64 { return q.sum + q.slope*(o+size-q.y) - p.sum - p.slope*(o-p.y) }
		if align == 1 {
			try(o, at(o))
		} else if first := bound.Up(o, align); first <= min(next, last) {
			try(first, at(first))
			if end := bound.Down(min(next, last), align); end > first {
				try(end, at(end))
			}
		}
		low += btoi(below <= above)
		high += btoi(above <= below)
		o = next
	}
	if last >= 0 {
		try(last, cost(corners, last, size))
	}
	return offset
}

// bend returns the corners of G for buffer i, between one far below and one far above.
func (h *overlaps) bend(i int32) []corner {
	row, live, m := h.row(i), h.live, 0
	for k := range h.ends { // without a branch, which would be mispredicted
		live[m] = h.ends[k]
		m += int(uint64(-int64(row[h.ends[k].code>>1])) >> 63)
	}
	corners := h.corners
	corners[0] = corner{y: -farOff}
	n, y, sum, slope := 0, int64(-farOff), int64(0), int64(0)
	for _, e := range live[:m] {
		sum += slope * (e.y - y)
		n += btoi(e.y != y) // ends at one offset make one corner
		y = e.y
		slope += int64(row[e.code>>1]) * int64(1-2*(e.code&1))
		corners[n] = corner{y, sum, slope}
	}
	corners[n+1] = corner{y: farOff}
	return corners[:n+2]
}

// lastUpTo returns the last corner at or below y.
func lastUpTo(corners []corner, y int64) int {
	k := 0
	for corners[k+1].y <= y {
		k++
	}
	return k
}

// cost returns what a buffer costs at an offset.
func cost(corners []corner, o, size int64) int64 {
	p, q := &corners[lastUpTo(corners, o)], &corners[lastUpTo(corners, o+size)]
	return q.sum + q.slope*(o+size-q.y) - p.sum - p.slope*(o-p.y)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
