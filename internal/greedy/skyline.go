package greedy

import (
	"cmp"
	"container/heap"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
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

// skyline returns the order of stacking, or nil where it takes too long.
func skyline(tl *timeline.Timeline, word string) []int32 {
	s := newStack(tl, sorted(tl, word))
	n := len(tl.Problem.Buffers)
	line := place.NewSkyline(tl.Sections())
	order := make([]int32, 0, n)
	for budget := min(effort*n, maxEffort); len(s.queue) > 0; {
		top := &s.queue[0]
		i := top.members[0]
		least := int64(0)
		for _, span := range tl.Spans(int(i)) {
			least = max(least, line.Highest(span.First, span.Last)-span.Lower)
		}
		least = bound.Up(least, tl.Problem.Buffers[i].Align())
		if least > top.least {
			if budget--; budget < 0 {
				return nil
			}
			top.least = least
			heap.Fix(&s, 0)
			continue
		}
		order = append(order, i)
		for _, span := range tl.Spans(int(i)) {
			line.Raise(span.First, span.Last, least+span.Upper)
		}
		if top.members = top.members[1:]; len(top.members) == 0 {
			heap.Pop(&s)
		} else {
			top.least = least + tl.Problem.Buffers[i].Size
			heap.Fix(&s, 0)
		}
	}
	return order
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

// newStack groups the buffers of order. Those with gaps have a pile each.
func newStack(tl *timeline.Timeline, order []int32) stack {
	type shape struct {
		first, last int32
		align       int64
		lone        int32 // the buffer where it has a pile of its own, else -1
	}
	s := stack{rank: make([]int32, len(order))}
	at := make(map[shape]int, len(order))
	for rank, i := range order {
		s.rank[i] = int32(rank)
		first, last := tl.Extent(int(i))
		k := shape{first: first, last: last, align: tl.Problem.Buffers[i].Align(), lone: -1}
		if len(tl.Problem.Buffers[i].Gaps) > 0 || first == last {
			k.lone = i
		}
		q, ok := at[k]
		if !ok {
			q = len(s.queue)
			at[k] = q
			s.queue = append(s.queue, pile{})
		}
		s.queue[q].members = append(s.queue[q].members, i)
	}
	// The piles are in the order of their first members: a heap already.
	return s
}

func (s *stack) Len() int { return len(s.queue) }

func (s *stack) Less(a, b int) bool {
	p, q := &s.queue[a], &s.queue[b]
	if c := cmp.Compare(p.least, q.least); c != 0 {
		return c < 0
	}
	return s.rank[p.members[0]] < s.rank[q.members[0]]
}

func (s *stack) Swap(a, b int) { s.queue[a], s.queue[b] = s.queue[b], s.queue[a] }

func (s *stack) Push(any) { panic("greedy: the stack only shrinks") }

// Pop drops the last pile, which heap.Pop has put there. It is empty by then,
// so Less must not see it: heap.Pop swaps before it compares, and compares the
// rest only.
func (s *stack) Pop() any {
	s.queue = s.queue[:len(s.queue)-1]
	return nil
}
