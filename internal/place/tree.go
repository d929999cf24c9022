package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: first fit asks for the lowest offset at which a row of sections is free. A segment
// tree over the sections keeps the bytes in use, as sets of byte ranges. A row of nodes of the
// same size, the blocks, divides the tree into an upper and a lower part.
//
//	          ┌───────────────┐
//	          │       ·       │  from the blocks up, a node knows all that is
//	          ├───────┬───────┤  in use anywhere in its sections: its union
//	blocks    │   ·   │   ·   │
//	          ├───┬───┼───┬───┤  below, a node knows what was stored in it or
//	          │ · │ · │ · │ · │  under it (union) and what is in use in all of
//	          └─┴─┴─┴─┴─┴─┴─┴─┘  it and was stored in it (cover)
//
// A row of sections consists of nodes from the blocks up and, at either end, of nodes inside
// a block. The bytes in use anywhere in the row are the union of these sets:
//
//	node from the blocks up   its union
//	node inside a block       its union, the covers of the nodes above it in the block,
//	                          and the cover of the block
//
// The search walks these sets upwards together (probe.go).
//
// With small blocks a search reads few sets, and each knows nearly all, so it has few holes. But a long-lived buffer is
// then in the sets of many blocks. So a block has an eighth of the sections that a buffer has on average.
//
// In a set (ranges.go), ranges that touch are one range. Good plans are dense, so a set has far fewer ranges than
// buffers: the search for a long-lived buffer jumps over a thousand others in one step.
//
// Windows need no code of their own: a span of a buffer occupies its window, shifted by the offset of the buffer.
//
// Invariant: a byte is in a cover only if it is in use in all sections of the node, or lies in a hole too small for any
// window of the partition (tolerance), or below the next multiple of the alignment that all buffers share (granule). No
// buffer can use bytes of the last two kinds, so the answers are exact.
//
// Complexity: for m sections a query looks at O(log m) sets. An insertion changes O(log m) sets and those of about a
// dozen blocks. If a set does not change, those above it do not change either.
//
// Trials: docs/lab/place.md (blocks of one section put long buffers into many sets; sorting conflicts is no better).

// share: a buffer reaches over about so many blocks on average.
const share = 8

// tree is the set of bytes in use, section by section, in one partition.
type tree struct {
	store
	tl      *timeline.Timeline
	first   int32  // first section of the partition
	leaves  int    // sections, rounded up to a power of two
	grain   uint   // a block is 1<<grain sections
	nodes   []node // nodes[1] is the root; the partition's section s is at leaves+s
	granule int64  // divides all offsets
	probes  []probe
	changed []bool // scratch of insert: nodes of a row that changed
}

// A node holds two sets. A node above the blocks has no cover. Nor has a leaf inside a block,
// because nothing is below it.
type node struct{ cover, union set }

// begin empties the tree for a partition.
func (u *tree) begin(tl *timeline.Timeline, part *timeline.Partition) {
	u.tl, u.first = tl, part.First
	width, smallest := measure(tl, part)
	u.granule = bound.CommonAlignment(tl.Problem, part.Buffers)
	u.leaves = 1
	for u.leaves < int(part.Last-part.First) {
		u.leaves *= 2
	}
	u.grain = 0
	for 1<<u.grain < u.leaves && share<<u.grain < width {
		u.grain++
	}
	if cap(u.nodes) < 2*u.leaves {
		u.nodes = make([]node, 2*u.leaves)
	} else {
		u.nodes = u.nodes[:2*u.leaves]
		clear(u.nodes)
	}
	u.reset(smallest - 1)
}

// measure returns the average number of sections of the partition's buffers, and their smallest window.
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

// put places buffer i and returns its offset.
func (u *tree) put(i int, fit Fit) int64 {
	align := u.tl.Problem.Buffers[i].Align()
	u.query(i)
	offset := u.lowest(u.probes, 0, align)
	if fit == BestFit {
		offset = u.tightest(u.probes, offset, align)
	}
	u.occupy(i, offset)
	return offset
}

// fix puts buffer i at its fixed offset. It returns false if the place is not free.
func (u *tree) fix(i int) bool {
	at := *u.tl.Problem.Buffers[i].Fixed
	// Fixed offsets are multiples of the granule, and no buffer fits into a hole smaller than
	// the smallest window. So the test is exact.
	if u.query(i); u.lowest(u.probes, at, 1) != at {
		return false
	}
	u.occupy(i, at)
	return true
}

// query sets the probes for buffer i.
func (u *tree) query(i int) {
	u.probes = u.probes[:0]
	for _, span := range u.tl.Spans(i) {
		u.querySections(int(span.First-u.first), int(span.Last-u.first), Range{From: span.Lower, To: span.Upper})
	}
}

// occupy puts buffer i at offset.
func (u *tree) occupy(i int, offset int64) {
	for _, span := range u.tl.Spans(i) {
		u.insert(span.First-u.first, span.Last-u.first, Range{From: offset + span.Lower, To: offset + span.Upper})
	}
}

// insert marks the bytes r as in use in the sections [first, last).
func (u *tree) insert(first, last int32, r Range) {
	r.To = bound.Up(r.To, u.granule)
	low, high := int(first)+u.leaves, int(last)+u.leaves
	l, h := low, high
	for shift := uint(0); shift < u.grain && l < h; shift++ {
		if l&1 == 1 {
			u.mark(l, r)
			l++
		}
		if h&1 == 1 {
			h--
			u.mark(h, r)
		}
		l, h = l/2, h/2
	}
	// If a union has r already, all unions above it have r too.
	some, other := true, true
	for shift := uint(1); shift < u.grain && (some || other); shift++ {
		left, right := u.partial(low, high, shift)
		if left > 0 && some {
			some = u.add(&u.nodes[left].union, r)
		}
		if right > 0 && other {
			other = u.add(&u.nodes[right].union, r)
		}
	}
	if u.grain > 0 {
		for ; l < h; l++ {
			u.add(&u.nodes[l].cover, r)
		}
	}
	u.climb(low>>u.grain, (high-1)>>u.grain, r)
}

// partial returns the one or two nodes, shift levels above the leaves, that hold
// some of the leaves [low, high) and others besides; 0 stands for none.
func (u *tree) partial(low, high int, shift uint) (left, right int) {
	l, h := low>>shift, (high-1)>>shift
	if l<<shift != low {
		left = l
	}
	if (h+1)<<shift != high && h != left {
		right = h
	}
	return left, right
}

// climb adds r to the unions of the blocks from low to high and of all nodes above them. A
// node changes only if one of its children does.
func (u *tree) climb(low, high int, r Range) {
	changed := append(u.changed[:0], make([]bool, high-low+1)...)
	some := false
	for k := range changed {
		changed[k] = u.add(&u.nodes[low+k].union, r)
		some = some || changed[k]
	}
	for some && low > 1 {
		some = false
		below := low
		low, high = low/2, high/2
		for k := low; k <= high; k++ {
			left, right := 2*k-below, 2*k+1-below
			c := (left >= 0 && changed[left] || right < len(changed) && changed[right]) && u.add(&u.nodes[k].union, r)
			changed[k-low] = c // later steps read only entries behind this one
			some = some || c
		}
		changed = changed[:high-low+1]
	}
	u.changed = changed
}

// mark notes that r is in use in all sections of node k, a node below a block.
func (u *tree) mark(k int, r Range) {
	u.add(&u.nodes[k].union, r)
	if k < u.leaves {
		u.add(&u.nodes[k].cover, r)
	}
}

// querySections appends the probes of all sets that can be in the way of a window in the
// sections [first, last). The sets that know most come first.
func (u *tree) querySections(first, last int, window Range) {
	from := len(u.probes)
	low, high := first+u.leaves, last+u.leaves
	l, h := low, high
	for shift := uint(0); shift < u.grain && l < h; shift++ {
		l, h = u.queryRow(l, h, window)
	}
	for shift := uint(1); shift <= u.grain; shift++ {
		left, right := u.partial(low, high, shift)
		u.querySet(u.nodes[left].cover, window)
		u.querySet(u.nodes[right].cover, window)
	}
	for l < h {
		l, h = u.queryRow(l, h, window)
	}
	for k, l := from, len(u.probes)-1; k < l; k, l = k+1, l-1 {
		u.probes[k], u.probes[l] = u.probes[l], u.probes[k]
	}
}

// queryRow appends the probes of the nodes at the ends of [low, high) that have no parent inside
// the range. It returns the range of the parents of the others.
func (u *tree) queryRow(low, high int, window Range) (l, h int) {
	if low&1 == 1 {
		u.querySet(u.nodes[low].union, window)
		low++
	}
	if high&1 == 1 {
		high--
		u.querySet(u.nodes[high].union, window)
	}
	return low / 2, high / 2
}

// querySet appends the probe of a set, unless the set is empty.
func (u *tree) querySet(s set, window Range) {
	if s.size > 0 {
		u.probes = append(u.probes, u.probe(s, window.From, window.To))
	}
}
