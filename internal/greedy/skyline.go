package greedy

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: stack the buffers on a skyline. The next buffer is always the one that can go lowest,
// and a word of sort keys breaks ties. The offsets never decrease, so the order of stacking is
// canonical (MiniMalloc). place.Place then takes this order and fills the holes.
//
// The least offset of a buffer is the highest skyline over its sections. It never falls. So a
// heap may hold least offsets that are out of date: if the top is, it gets its new offset and
// sinks. Buffers of the same extent and alignment have the same least offset. They share an
// entry of the heap, a pile, and the first of them in the order of the word is the next one.
//
// Invariant: key of a pile in the heap <= its least offset.
//
// Complexity: O((n + c) log n) for c corrections. If all buffers overlap and no two have
// the same extent, c = O(n²), so there is a limit.
//
// Alignment is honoured. Fixed offsets are ignored: Place honours these.
//
// Trials: docs/lab/greedy.md (an entry for each buffer is slower if many share a lifespan).

// skyline gives up after effort corrections for each buffer, or after maxEffort in all, both times a factor. The
// challenging suite needs at most 26 for each buffer, resnet50 needs 75.
const (
	effort    = 256
	maxEffort = 1 << 19
)

// skyline returns the order of stacking, or nil if it takes too long or a limit comes first.
func (m *scratch) skyline(w *run.Watch, tl *timeline.Timeline, word string, factor int64) []int32 {
	n := len(tl.Problem.Buffers)
	if _, order := m.stackLowest(w, tl, m.sorted(w, tl, word), min(effort*n, maxEffort)*int(factor)); len(order) == n {
		return order
	}
	return nil
}

// StackLowest puts every buffer on the skyline, the lowest first, ties by the order. If a limit comes, whole is false,
// and the buffers that are left have the offset -1. A nil order is one that a limit has cut (Sorted).
func StackLowest(w *run.Watch, tl *timeline.Timeline, order []int32) (offsets []int64, whole bool) {
	var m scratch
	offsets, stacked := m.stackLowest(w, tl, order, math.MaxInt)
	return offsets, len(stacked) == len(offsets)
}

// unplaced returns an offset of -1 for each buffer.
func (m *scratch) unplaced(tl *timeline.Timeline) []int64 {
	offsets := m.longs.Take(len(tl.Problem.Buffers))
	for i := range offsets {
		offsets[i] = -1
	}
	return offsets
}

// Stack puts every buffer on the skyline, in the given order. If a limit comes, it returns
// what StackLowest returns then.
func Stack(w *run.Watch, tl *timeline.Timeline, order []int32) (offsets []int64, whole bool) {
	var m scratch
	offsets = m.unplaced(tl)
	if len(order) < len(offsets) {
		return offsets, false
	}
	line := place.SkylineFrom(&m.longs, tl.Sections())
	for _, i := range order {
		if w.Over() {
			return offsets, false
		}
		offsets[i] = rest(&line, tl, i)
		raise(&line, tl, i, offsets[i])
	}
	return offsets, true
}

// rest returns the lowest offset at which buffer i lies on the skyline.
func rest(line *place.Skyline, tl *timeline.Timeline, i int32) int64 {
	least := int64(0)
	for _, s := range tl.Spans(int(i)) {
		least = max(least, line.Highest(s.First, s.Last)-s.Lower)
	}
	return bound.Up(least, tl.Problem.Buffers[i].Align())
}

// raise puts buffer i on the skyline, at an offset.
func raise(line *place.Skyline, tl *timeline.Timeline, i int32, at int64) {
	for _, s := range tl.Spans(int(i)) {
		line.Raise(s.First, s.Last, at+s.Upper)
	}
}

// stackLowest returns the offsets, and the buffers in the order of stacking. It ends early
// after most corrections, if a limit comes, or if a limit has cut the order.
func (m *scratch) stackLowest(w *run.Watch, tl *timeline.Timeline, order []int32, most int) (offsets []int64, stacked []int32) {
	offsets = m.unplaced(tl)
	s, ok := m.newStack(w, tl, order)
	if !ok {
		return offsets, nil
	}
	stacked = m.lists.Take(len(order))[:0]
	line := place.SkylineFrom(&m.longs, tl.Sections())
	for ; len(s.queue) > 0 && most >= 0 && !w.Over(); s.sink() {
		top := &s.queue[0]
		i := order[top.rank]
		at := rest(&line, tl, i)
		if at > top.least {
			most--
			top.least = at
			continue
		}
		offsets[i] = at
		stacked = append(stacked, i)
		raise(&line, tl, i, at)
		top.least = at + tl.Problem.Buffers[i].Size
		if top.rank = s.next[top.rank]; top.rank < 0 {
			last := len(s.queue) - 1
			s.queue[0] = s.queue[last]
			s.queue = s.queue[:last]
		}
	}
	return offsets, stacked
}

// A pile is a group of buffers that have the same least offset.
type pile struct {
	least int64
	rank  int32 // of the next buffer to stack: its place in the order
}

// stack is a heap of piles. The lowest is on top.
type stack struct {
	queue []pile
	next  []int32 // by rank: the rank of the next buffer in the same pile, or -1
}

// newStack groups the buffers of an order into piles. It finds the pile of a buffer in a hash
// table with open addressing. Each buffer with gaps has a pile of its own. newStack returns
// false if a limit comes, or if a limit has cut the order.
func (m *scratch) newStack(w *run.Watch, tl *timeline.Timeline, order []int32) (s stack, ok bool) {
	n := len(order)
	if n < len(tl.Problem.Buffers) {
		return s, false
	}
	bits := 2
	for 1<<bits < 2*n {
		bits++
	}
	lists := m.lists.Take(2*n + 1<<bits)
	s = stack{queue: m.piles.Take(n)[:0], next: lists[:n:n]}
	last, table := lists[n:2*n], lists[2*n:] // the rank of a pile's last buffer; the table: pile + 1, or 0
	for rank, i := range order {
		if rank%pollEvery == pollEvery-1 && w.Over() {
			return s, false
		}
		s.next[rank] = -1
		from, to := tl.Extent(int(i))
		b := &tl.Problem.Buffers[i]
		if len(b.Gaps) == 0 && from != to {
			q := s.find(tl, order, table, uint(64-bits), from, to, b.Align())
			if q < len(s.queue) {
				s.next[last[q]], last[q] = int32(rank), int32(rank)
				continue
			}
		}
		last[len(s.queue)] = int32(rank)
		s.queue = append(s.queue, pile{rank: int32(rank)})
	}
	// The piles are in the order of their first members: a heap already.
	return s, true
}

// find returns the pile of an extent and alignment. If there is none yet, find enters the
// number of the next new pile in the table and returns that.
func (s *stack) find(tl *timeline.Timeline, order, table []int32, shift uint, from, to int32, align int64) int {
	const odd = 0x9e3779b97f4a7c15
	h := (uint64(from)<<32 | uint64(to) + uint64(align)<<16) * odd >> shift
	for ; ; h = (h + 1) & uint64(len(table)-1) {
		q := int(table[h]) - 1
		if q < 0 {
			table[h] = int32(len(s.queue) + 1)
			return len(s.queue)
		}
		j := order[s.queue[q].rank]
		first, last := tl.Extent(int(j))
		if first == from && last == to && tl.Problem.Buffers[j].Align() == align {
			return q
		}
	}
}

// sink moves the top of the heap down to where it belongs, after its key has risen.
func (s *stack) sink() {
	queue := s.queue
	if len(queue) == 0 {
		return
	}
	less := func(a, b *pile) bool { return a.least < b.least || a.least == b.least && a.rank < b.rank }
	top, at := queue[0], 0
	for child := 1; child < len(queue); child = 2*at + 1 {
		if child+1 < len(queue) && less(&queue[child+1], &queue[child]) {
			child++
		}
		if !less(&queue[child], &top) {
			break
		}
		queue[at] = queue[child]
		at = child
	}
	queue[at] = top
}
