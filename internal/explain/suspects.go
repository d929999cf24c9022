package explain

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: most buffers are in no smallest set, and counting shows it. A buffer has a number of
// places below the capacity. A neighbour takes at most a certain number of them, wherever it
// lies. If the neighbours of a buffer in a set take fewer than all its places,
//
//	sum over neighbours of takes(i, j) < places(i)
//
// then i fits whenever the rest of the set does. So a set from which nothing can be removed does not have i. Neighbours
// that are no suspects themselves do not count. So when one buffer goes, others may follow.
//
// Dominance removes the remaining symmetry. Buffer j dominates i if j is at least as large,
// uses at least the same bytes at all times of i, and has an alignment that is a multiple of
// that of i. If the offset of i is fixed, j must be fixed there too.
//
// Invariant: some smallest set is closed: with each buffer it has those that dominate it.
// Proof: let i be in a smallest set S, let j dominate i, and let j not be in S. In a plan of S - i + j, i could take
// the place of j: the offset is a multiple of i's alignment, i ends no higher, and j uses all bytes that i would use
// there. Then S would fit. Hence S - i + j is infeasible, and a smallest set too. Each such exchange moves up in the
// order of dominance (buffers that dominate each other are ordered by index). So the exchanges end, at a closed set.
// All that this package concludes about a smallest set holds for that one.
//
// Complexity: O(n²) pairs that overlap, in each pass. At most maxSuspects remain.
//
// Trials: docs/lab/explain.md (few pairs have dominance at an offset inside the other buffer).

// maxSuspects is the largest number of suspects whose pairs are stored.
const maxSuspects = 2048

// A neighbour of a buffer takes at most so many of the buffer's places.
type neighbour struct {
	buffer int32
	takes  int64
}

// suspects are the buffers of one partition that may be in a smallest set. They have indices of their own.
type suspects struct {
	buffers []int // their indices in Problem.Buffers, ascending
	places  []int64
	near    [][]neighbour // neighbours, those that take most first
	above   [][]int32     // the suspects that dominate it
	below   [][]int32     // the suspects that it dominates
	stack   []int64       // the most that it adds to a stack; above the capacity if it cannot be stacked
}

// A counter counts places.
type counter struct {
	tl       *timeline.Timeline
	capacity int64
	over     func() bool
	own      []int32 // scratch per buffer: 1 + its index among the given buffers; 0 between calls
}

func newCounter(tl *timeline.Timeline, capacity int64, over func() bool) *counter {
	return &counter{tl: tl, capacity: capacity, over: over, own: make([]int32, len(tl.Problem.Buffers))}
}

// offsets returns the first and the last possible offset of buffer i, and the step between possible offsets.
func (c *counter) offsets(i int) (first, last, step int64) {
	b := &c.tl.Problem.Buffers[i]
	if b.Fixed != nil {
		return *b.Fixed, *b.Fixed, 1
	}
	return 0, bound.Down(c.capacity-b.Size, b.Align()), b.Align()
}

func (c *counter) places(i int) int64 {
	first, last, step := c.offsets(i)
	return (last-first)/step + 1
}

// takes returns the largest number of places of buffer i that buffer j can take.
func (c *counter) takes(i, j int) int64 {
	first, last, step := c.offsets(i)
	all := (last-first)/step + 1
	var sum int64
	for _, f := range c.tl.Forbid(i, j) {
		if sum >= all {
			break
		}
		if at := c.tl.Problem.Buffers[j].Fixed; at != nil {
			// offset(i) lies strictly between these two.
			lo, hi := max(first, bound.Up(*at-f.Below+1, step)), min(last, bound.Down(*at-f.Above-1, step))
			if lo <= hi {
				sum += (hi-lo)/step + 1
			}
		} else {
			sum += min(all, (f.Below-f.Above-2)/step+1)
		}
	}
	return min(sum, all)
}

// filter returns the buffers that may be in a smallest set of at most size. It repeats until
// nothing changes. known is false if a limit came first.
func (c *counter) filter(buffers []int, size int) (left []int, known bool) {
	for _, i := range buffers {
		c.own[i] = 1
	}
	defer func() {
		for _, i := range buffers {
			c.own[i] = 0
		}
	}()
	left = buffers
	var conflicts []int32
	var takes []int64
	for {
		var kept []int
		for _, i := range left {
			if c.over() {
				return nil, false
			}
			conflicts = c.tl.AppendConflicts(conflicts[:0], i)
			takes = takes[:0]
			for k, j := range conflicts {
				if k&63 == 63 && c.over() {
					return nil, false
				}
				if c.own[j] > 0 {
					takes = append(takes, c.takes(i, int(j)))
				}
			}
			if enough(c.places(i), takes, size-1) {
				kept = append(kept, i)
			} else {
				c.own[i] = 0
			}
		}
		if len(kept) == len(left) {
			return left, true
		}
		left = kept
	}
}

// enough reports whether the k largest takes sum to all places. It sorts them.
func enough(places int64, takes []int64, k int) bool {
	if k >= len(takes) {
		for _, t := range takes {
			if places -= t; places <= 0 {
				return true
			}
		}
		return false
	}
	slices.SortFunc(takes, func(a, b int64) int { return cmp.Compare(b, a) })
	for _, t := range takes[:max(0, k)] {
		if places -= t; places <= 0 {
			return true
		}
	}
	return false
}

// suspects prepares the remaining buffers. It returns nil if a limit came.
func (c *counter) suspects(left []int) *suspects {
	n := len(left)
	s := &suspects{
		buffers: left, places: make([]int64, n), near: make([][]neighbour, n),
		above: make([][]int32, n), below: make([][]int32, n), stack: stacked(c.tl, left, c.capacity),
	}
	for k, i := range left {
		c.own[i] = int32(k) + 1
	}
	defer func() {
		for _, i := range left {
			c.own[i] = 0
		}
	}()
	var conflicts []int32
	for k, i := range left {
		s.places[k] = c.places(i)
		conflicts = c.tl.AppendConflicts(conflicts[:0], i)
		for x, j := range conflicts {
			if x&63 == 0 && c.over() {
				return nil
			}
			other := c.own[j] - 1
			if other < 0 {
				continue
			}
			if t := c.takes(i, int(j)); t > 0 {
				s.near[k] = append(s.near[k], neighbour{other, t})
			}
			if c.dominates(int(j), i) && (other < int32(k) || !c.dominates(i, int(j))) {
				s.above[k] = append(s.above[k], other)
				s.below[other] = append(s.below[other], int32(k))
			}
		}
		sorting.Structs(s.near[k], func(a, b neighbour) int { return cmp.Compare(b.takes, a.takes) })
	}
	return s
}

// dominates reports whether buffer i could take the place of buffer j in every plan.
func (c *counter) dominates(j, i int) bool {
	a, b := &c.tl.Problem.Buffers[i], &c.tl.Problem.Buffers[j]
	switch {
	case a.Size > b.Size:
		return false
	case a.Fixed != nil && (b.Fixed == nil || *b.Fixed != *a.Fixed):
		return false
	case b.Align()%a.Align() != 0:
		return false
	}
	outer := c.tl.Spans(j)
	for _, span := range c.tl.Spans(i) {
		// Consecutive spans of one buffer may touch.
		for at := span.First; at < span.Last; {
			for len(outer) > 0 && outer[0].Last <= at {
				outer = outer[1:]
			}
			if len(outer) == 0 || outer[0].First > at || outer[0].Lower > span.Lower || outer[0].Upper < span.Upper {
				return false
			}
			at = outer[0].Last
		}
	}
	return true
}

// stacked returns the most that each of the buffers adds to a stack of any of them. A buffer with a fixed offset adds
// more than the capacity. A set whose numbers sum to at most the capacity fits.
//
// If of any two alignments one divides the other, build the stack in descending order of alignment. It then wastes no
// more than rounding each size up. Otherwise each buffer may have to move up by its alignment less one.
func stacked(tl *timeline.Timeline, buffers []int, capacity int64) []int64 {
	align := func(k int32) int64 { return tl.Problem.Buffers[buffers[k]].Align() }
	chain, last := true, int64(1)
	for _, k := range sorting.Order(len(buffers), func(a, b int32) bool { return align(a) < align(b) }) {
		chain = chain && align(k)%last == 0
		last = align(k)
	}
	adds := make([]int64, len(buffers))
	for k, i := range buffers {
		switch b := &tl.Problem.Buffers[i]; {
		case b.Fixed != nil:
			adds[k] = capacity + 1
		case chain:
			adds[k] = min(capacity+1, bound.Up(b.Size, b.Align()))
		default:
			adds[k] = min(capacity+1, b.Size+b.Align()-1)
		}
	}
	return adds
}
