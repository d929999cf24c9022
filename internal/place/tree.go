package place

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: first fit asks for the lowest offset at which a stretch of sections is
// free. A segment tree over the sections keeps what is in use, as sets of byte
// ranges. A row of blocks, nodes of one size, cuts it in two.
//
//	          ┌───────────────┐
//	          │       ·       │  from the blocks up, a node knows all that is
//	          ├───────┬───────┤  in use anywhere in its sections: its union
//	blocks    │   ·   │   ·   │
//	          ├───┬───┼───┬───┤  below, a node knows what was stored in it or
//	          │ · │ · │ · │ · │  under it (union) and what is in use in all of
//	          └─┴─┴─┴─┴─┴─┴─┴─┘  it and was stored in it (cover)
//
// A stretch of sections is a row of nodes from the blocks up and, at either
// end, nodes inside a block. What is in use anywhere in it is the union of the
// former, and for the latter the union of the nodes, the covers of the nodes
// above them in the block, and the cover of the block, which has all that is in
// use in the whole of the block. These sets are walked upwards together: the one
// that moved the answer furthest is asked first.
//
// With small blocks the sets are few and each is nearly all that there is to
// know, so that its holes are few; but a long-lived buffer is in the sets of
// many blocks. So a block is an eighth of what a buffer reaches over on average.
//
// A set is a sorted list of disjoint ranges, in which ranges that touch are one;
// good plans are dense, so the lists stay far shorter than the buffers they
// stand for: a long-lived buffer jumps over a thousand others in one step.
//
// Windows need nothing special: a span of a buffer occupies, and asks for, its
// window, shifted by the buffer's offset.
//
// Invariant: a byte is in a cover only if it is in use in all sections of the
// node, or lies in a hole too small for any window of the partition (tolerance),
// or below the next multiple of the alignment that all buffers share (granule).
// No buffer can use those bytes, so the answers are exact.
//
// Complexity: a query looks at O(log m) sets for m sections, an insertion
// changes O(log m) of them and those of a dozen or so blocks; a change is a
// binary search and a move in a list. Where a set does not change, neither do
// those above it.
//
// Tried and dropped: blocks of one section, that is, covers everywhere and no
// set that knows all: where many buffers are live at once, each is in the way in
// many sets, one after the other. Gathering
// the placed conflicts of each buffer and sorting them; scanning one list of all
// that is placed (list.go), which wins below some thousand buffers.

// share is how many blocks a buffer reaches over on average, about.
const share = 8

// A number counts bytes, or units of so many bytes (see space.go).
type number interface{ int32 | int64 }

// An extent is the half-open range [From, To).
type extent[N number] struct{ From, To N }

// A Range is the half-open range [From, To) of bytes.
type Range = extent[int64]

// tree is the set of bytes in use, section by section, in one partition.
type tree[N number] struct {
	leaves    int               // sections, rounded up to a power of two
	grain     uint              // a block is 1<<grain sections
	nodes     []node            // nodes[1] is the root; section s is at leaves+s
	lists     [][]extent[N]     // lists[0] stays empty
	tolerance N                 // holes of up to this many bytes are of no use
	granule   N                 // all offsets are multiples of it
	narrow    [][]extent[int32] // lists that are still in units, not bytes; see widen
	unit      int64
	changed   []bool // scratch of insert: nodes of a row that changed
}

// A node holds two indices into lists, 0 for an empty set. Above the blocks a
// node has no cover, and nor has a leaf inside a block: nothing is below it.
type node struct{ cover, union int32 }

// reset empties the set for a partition of the given number of sections, in
// which a buffer reaches over width sections on average.
func (u *tree[N]) reset(sections, width int, tolerance, granule N) {
	u.leaves = 1
	for u.leaves < sections {
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
	if u.lists == nil {
		u.lists = make([][]extent[N], 1)
	}
	u.lists = u.lists[:1]
	u.tolerance, u.granule = tolerance, granule
	u.narrow = nil
}

// insert marks the bytes r as in use in the sections [first, last).
func (u *tree[N]) insert(first, last int32, r extent[N]) {
	r.To = up(r.To, u.granule)
	low, high := int(first)+u.leaves, int(last)+u.leaves
	l, h := low, high
	for shift := uint(0); shift < u.grain && l < h; shift++ {
		if l&1 == 1 {
			u.store(l, r)
			l++
		}
		if h&1 == 1 {
			h--
			u.store(h, r)
		}
		l, h = l/2, h/2
	}
	// Above a union that has r already, all have it.
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
func (u *tree[N]) partial(low, high int, shift uint) (left, right int) {
	l, h := low>>shift, (high-1)>>shift
	if l<<shift != low {
		left = l
	}
	if (h+1)<<shift != high && h != left {
		right = h
	}
	return left, right
}

// climb adds r to the unions of the blocks from low to high and of all above
// them. A node changes only where a child of it does.
func (u *tree[N]) climb(low, high int, r extent[N]) {
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
			changed[k-low] = c // what is read later lies further up
			some = some || c
		}
		changed = changed[:high-low+1]
	}
	u.changed = changed
}

// store marks r as in use in all of node k, below a block.
func (u *tree[N]) store(k int, r extent[N]) {
	u.add(&u.nodes[k].union, r)
	if k < u.leaves {
		u.add(&u.nodes[k].cover, r)
	}
}

// add puts r into the list at *at, and reports whether that changes it.
func (u *tree[N]) add(at *int32, r extent[N]) bool {
	if *at == 0 {
		*at = int32(len(u.lists))
		if len(u.lists) < cap(u.lists) {
			// An earlier partition's list, with its memory.
			u.lists = u.lists[:len(u.lists)+1]
			u.lists[*at] = u.lists[*at][:0]
		} else {
			u.lists = append(u.lists, nil)
		}
	}
	list := u.list(*at)
	if r.From <= u.tolerance {
		r.From = 0
	}
	// list[i:j] touch r, give or take a hole that is of no use.
	i, n := 0, len(list)
	for i < n {
		if mid := int(uint(i+n) >> 1); list[mid].To+u.tolerance < r.From {
			i = mid + 1
		} else {
			n = mid
		}
	}
	j := i
	for j < len(list) && list[j].From-u.tolerance <= r.To {
		j++
	}
	switch {
	case i == j:
		u.lists[*at] = put(list, i, r)
	case j == i+1:
		if list[i].From <= r.From && r.To <= list[i].To {
			return false
		}
		list[i] = extent[N]{From: min(list[i].From, r.From), To: max(list[i].To, r.To)}
	default:
		list[i] = extent[N]{From: min(list[i].From, r.From), To: max(list[j-1].To, r.To)}
		u.lists[*at] = append(list[:i+1], list[j:]...)
	}
	return true
}

// list returns a list.
func (u *tree[N]) list(at int32) []extent[N] {
	if u.narrow != nil && int(at) < len(u.narrow) && len(u.narrow[at]) > 0 {
		wide := make([]extent[N], len(u.narrow[at]))
		for k, r := range u.narrow[at] {
			wide[k] = extent[N]{From: N(r.From) * N(u.unit), To: N(r.To) * N(u.unit)}
		}
		u.lists[at], u.narrow[at] = wide, nil
	}
	return u.lists[at]
}

// put inserts r before list[i]. Where there is no room the list doubles.
func put[N number](list []extent[N], i int, r extent[N]) []extent[N] {
	n := len(list)
	if n < cap(list) {
		list = list[:n+1]
		copy(list[i+1:], list[i:n])
	} else {
		grown := make([]extent[N], n+1, max(4, 2*n))
		copy(grown, list[:i])
		copy(grown[i+1:], list[i:])
		list = grown
	}
	list[i] = r
	return list
}

// up is bound.Up.
func up[N number](x, multiple N) N {
	if multiple <= 1 {
		return x
	}
	return N(bound.Up(int64(x), int64(multiple)))
}

// A probe asks one interval set for room for the bytes [lower, upper) of a
// buffer, relative to its offset. Ranges before list[0] end at or below them.
type probe[N number] struct {
	list         []extent[N]
	lower, upper N
	moved        N // by how much it has moved the answer
}

// appendProbes appends the probes that decide where a window may go that is
// active in the sections [first, last), those first that know most.
func (u *tree[N]) appendProbes(probes []probe[N], first, last int32, lower, upper N) []probe[N] {
	from := len(probes)
	ask := func(list int32) {
		if list != 0 {
			probes = append(probes, probe[N]{list: u.list(list), lower: lower, upper: upper})
		}
	}
	low, high := int(first)+u.leaves, int(last)+u.leaves
	l, h := low, high
	row := func() {
		if l&1 == 1 {
			ask(u.nodes[l].union)
			l++
		}
		if h&1 == 1 {
			h--
			ask(u.nodes[h].union)
		}
		l, h = l/2, h/2
	}
	for shift := uint(0); shift < u.grain && l < h; shift++ {
		row()
	}
	for shift := uint(1); shift <= u.grain; shift++ {
		left, right := u.partial(low, high, shift)
		ask(u.nodes[left].cover)
		ask(u.nodes[right].cover)
	}
	for l < h {
		row()
	}
	slices.Reverse(probes[from:])
	return probes
}

// lowest returns the lowest multiple of align, at least offset, at which every
// probe finds room. It shortens the lists by what lies below, and may change the
// order of the probes.
func lowest[N number](probes []probe[N], offset, align N) N {
	offset = up(offset, align)
	// Invariant: the probes before k have room at offset.
	for k := 0; k < len(probes); k++ {
		p := &probes[k]
		list := skip(p.list, offset+p.lower)
		if len(list) == 0 || list[0].From >= offset+p.upper {
			p.list = list
			continue
		}
		was, need := offset, p.upper-p.lower
		for {
			j := 1
			for j < len(list) && list[j].From-list[j-1].To < need {
				j++
			}
			offset = up(list[j-1].To-p.lower, align)
			if list = skip(list[j:], offset+p.lower); len(list) == 0 || list[0].From >= offset+p.upper {
				break
			}
		}
		p.list = list
		p.moved += offset - was
		if k > 0 && p.moved > probes[k-1].moved {
			probes[k-1], probes[k] = probes[k], probes[k-1]
		}
		k = -1
	}
	return offset
}

// skip drops the ranges that end at or below the byte at. Mostly that is none
// or a few, so it doubles its stride before it halves.
func skip[N number](list []extent[N], at N) []extent[N] {
	if len(list) == 0 || list[0].To > at {
		return list
	}
	stride := 1
	for stride < len(list) && list[stride].To <= at {
		stride *= 2
	}
	// list[stride/2] ends at or below at; list[stride], if any, does not.
	low, high := stride/2+1, min(stride, len(list))
	for low < high {
		mid := (low + high) / 2
		if list[mid].To <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return list[low:]
}

// room returns by how much the buffer at offset could be raised before it meets
// a range above it; ok is false where nothing is above it. lowest has just
// returned offset.
func room[N number](probes []probe[N], offset N) (free N, ok bool) {
	for i := range probes {
		p := &probes[i]
		if len(p.list) == 0 {
			continue
		}
		if d := p.list[0].From - (offset + p.upper); !ok || d < free {
			free, ok = d, true
		}
	}
	return free, ok
}
