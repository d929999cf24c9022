package greedy

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: stack the buffers on a skyline, always the one that can go lowest, ties
// by a word of sort keys. The order in which that happens is a canonical one
// (MiniMalloc): offsets never decrease. Place then takes the order as it is and
// fills what holes there are.
//
// The least offset of a buffer is the highest skyline over its sections; it
// only ever rises. So a heap keyed by an offset that was once right finds the
// lowest: where the top is out of date, it is corrected and sinks. Buffers of
// one extent and alignment have the same least offset, so they share an entry,
// and only the first of them in the word's order competes.
//
// Invariant: a key in the heap is at most its group's least offset.
//
// Complexity: O((n + c) log n), c the number of corrections. Where all buffers
// overlap and no two have the same extent c is quadratic, so there is a limit.
//
// Alignment counts, fixed offsets do not: Place sees to those.
//
// Measured: on the challenging suite first fit by size ends 34% above the load
// in the geometric mean; this one, with the latest end first on ties, 16%.
//
// Tried and dropped: an entry per buffer, which takes twice the time on
// resnet50.

// The number of heap corrections after which skyline gives up: per buffer, and
// in all. The challenging suite needs 26 a buffer at most, resnet50 75.
const (
	effort    = 256
	maxEffort = 1 << 19
)

// skyline returns the order of stacking, or nil where it takes too long or a limit
// comes first.
func skyline(w *run.Watch, tl *timeline.Timeline, word string) []int32 {
	n := len(tl.Problem.Buffers)
	order := make([]int32, 0, n)
	budget := min(effort*n, maxEffort)
	over := func(corrections int) bool { return corrections > budget || w.Over() }
	if !stackLowest(w, tl, Sorted(w, tl, word), over, func(i int32, _ int64) { order = append(order, i) }) {
		return nil
	}
	return order
}

// StackLowest puts every buffer on the skyline, the lowest first, ties by the
// order. Where a limit comes, whole is false and those that are left have -1; an
// order that is nil is one that a limit has cut (Sorted).
func StackLowest(w *run.Watch, tl *timeline.Timeline, order []int32) (offsets []int64, whole bool) {
	offsets = unplaced(tl)
	whole = stackLowest(w, tl, order, func(int) bool { return w.Over() }, func(i int32, at int64) { offsets[i] = at })
	return offsets, whole
}

func unplaced(tl *timeline.Timeline) []int64 {
	offsets := make([]int64, len(tl.Problem.Buffers))
	for i := range offsets {
		offsets[i] = -1
	}
	return offsets
}

// Stack puts every buffer on the skyline in the order as it is. A limit is told as
// StackLowest tells it.
func Stack(w *run.Watch, tl *timeline.Timeline, order []int32) (offsets []int64, whole bool) {
	offsets = unplaced(tl)
	if len(order) < len(offsets) {
		return offsets, false
	}
	line := place.NewSkyline(tl.Sections())
	for _, i := range order {
		if w.Over() {
			return offsets, false
		}
		offsets[i] = rest(line, tl, i)
		raise(line, tl, i, offsets[i])
	}
	return offsets, true
}

// rest returns the lowest offset of a buffer on the skyline.
func rest(line *place.Skyline, tl *timeline.Timeline, i int32) int64 {
	least := int64(0)
	for _, s := range tl.Spans(int(i)) {
		least = max(least, line.Highest(s.First, s.Last)-s.Lower)
	}
	return bound.Up(least, tl.Problem.Buffers[i].Align())
}

// raise puts a buffer on the skyline.
func raise(line *place.Skyline, tl *timeline.Timeline, i int32, at int64) {
	for _, s := range tl.Spans(int(i)) {
		line.Raise(s.First, s.Last, at+s.Upper)
	}
}

// stackLowest calls put with each buffer and its offset, in the order of stacking.
// It ends early and returns false where over, which is given the number of
// corrections so far, says so, and where the order was cut.
func stackLowest(w *run.Watch, tl *timeline.Timeline, order []int32, over func(corrections int) bool, put func(i int32, at int64)) bool {
	s := newStack(w, tl, order)
	if s == nil {
		return false
	}
	line := place.NewSkyline(tl.Sections())
	corrections := 0
	for ; len(s.queue) > 0; s.sink() {
		if over(corrections) {
			return false
		}
		top := &s.queue[0]
		i := top.members[0]
		at := rest(line, tl, i)
		if at > top.least {
			corrections++
			top.least = at
			continue
		}
		put(i, at)
		raise(line, tl, i, at)
		top.least = at + tl.Problem.Buffers[i].Size
		if top.members = top.members[1:]; len(top.members) == 0 {
			last := len(s.queue) - 1
			s.queue[0] = s.queue[last]
			s.queue = s.queue[:last]
		}
	}
	return true
}

// A pile is a group of buffers with one least offset.
type pile struct {
	least   int64
	members []int32 // those still to stack, in the word's order
}

// stack is the heap of piles, lowest first.
type stack struct {
	queue []pile
	rank  []int32 // by buffer: its place in the word's order
}

// newStack groups the buffers of order. Those with gaps have a pile each. It
// returns nil where a limit comes, or has cut the order.
func newStack(w *run.Watch, tl *timeline.Timeline, order []int32) *stack {
	if len(order) < len(tl.Problem.Buffers) {
		return nil
	}
	s := &stack{rank: make([]int32, len(order))}
	// Piles are found by extent and alignment in an open table: a slot is the number
	// of a pile and one more, 0 for none. Go's map adds two kilobytes to a program.
	slots := make([]int32, 1<<bits.Len(uint(2*len(order))))
	for rank, i := range order {
		if rank%pollEvery == pollEvery-1 && w.Over() {
			return nil
		}
		s.rank[i] = int32(rank)
		first, last := tl.Extent(int(i))
		b := &tl.Problem.Buffers[i]
		lone := len(b.Gaps) > 0 || first == last
		hash := (uint64(first)<<32|uint64(last))*0x9e3779b97f4a7c15 ^ uint64(b.Align())
		if lone {
			hash += uint64(i) << 32 // the others need not be passed over
		}
		at := int(hash * 0xd6e8feb86659fd93 >> 33)
		for ; ; at++ {
			at &= len(slots) - 1
			if slots[at] == 0 {
				s.queue = append(s.queue, pile{})
				slots[at] = int32(len(s.queue))
				break
			}
			c := &tl.Problem.Buffers[s.queue[slots[at]-1].members[0]]
			f, l := tl.Extent(int(s.queue[slots[at]-1].members[0]))
			if !lone && len(c.Gaps) == 0 && f == first && l == last && c.Align() == b.Align() {
				break
			}
		}
		q := &s.queue[slots[at]-1]
		q.members = append(q.members, i)
	}
	// The piles are in the order of their first members: a heap already.
	return s
}

// less reports whether pile a comes before pile b.
func (s *stack) less(a, b *pile) bool {
	if a.least != b.least {
		return a.least < b.least
	}
	return s.rank[a.members[0]] < s.rank[b.members[0]]
}

// sink puts the top of the heap, whose key has risen, where it belongs.
func (s *stack) sink() {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(s.queue) {
			return
		}
		if child+1 < len(s.queue) && s.less(&s.queue[child+1], &s.queue[child]) {
			child++
		}
		if !s.less(&s.queue[child], &s.queue[at]) {
			return
		}
		s.queue[at], s.queue[child] = s.queue[child], s.queue[at]
		at = child
	}
}
