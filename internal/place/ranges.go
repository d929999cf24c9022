package place

import "github.com/stowage-go/stowage/internal/invariants"

// Idea: the tree keeps a set of byte ranges in each of its nodes. Most sets have a few ranges, some have ten thousand.
// A set is a block of a common store. The block is replaced by one of twice the size if it is full. A full block of the
// largest size becomes a row of pages (pages.go).
//
// Invariant: the ranges of a set are ascending, and between two of them there is a hole larger than the tolerance.
//
// Complexity: an insertion into a block of f ranges takes O(f), and into pages what pages.go says.
//
// Trials: docs/lab/place.md (32 bits take a fifth less time on random buffers, but twice the memory and code).

// A Range is the half-open range [From, To) of bytes.
type Range struct{ From, To int64 }

// A set is a sorted list of ranges in a store.
type set struct {
	at   uint32 // size <= pageSize: the place of its block; size = inPages: the index of its directory
	n    uint16 // ranges in the block; not in use if size = inPages
	size uint16 // 0: no block; 1 to pageSize: a block of 1<<size ranges; inPages: a directory
}

// The sizes of blocks.
const (
	pageSize = 8
	pageMost = 1 << pageSize // ranges of a page
	inPages  = pageSize + 1  // set.size of a set that has a directory
)

// store holds the ranges of many sets.
type store struct {
	slabs     [][]Range            // a block is in one of them
	next      uint32               // the first place that was never used; place 0 stands for none
	spare     [pageSize + 1]uint32 // the first free block of each size, 0 for none; its first From is the next one
	pages     [][]page             // the directories
	tolerance int64                // holes of up to this many bytes are of no use
}

// slab is how many ranges are made at once. The first two slabs have fewer, because most problems
// are small. No block is in two slabs.
const slab = 1 << 13

// lengthOf returns how many ranges slab k has.
func lengthOf(k uint32) uint32 { return slab >> max(0, 5-2*int(k)) }

// reset empties the store.
func (t *store) reset(tolerance int64) {
	t.next, t.pages, t.tolerance = 1, t.pages[:0], tolerance
	clear(t.spare[:])
}

// take returns the place of an unused block of a size.
func (t *store) take(size uint16) uint32 {
	at := t.spare[size]
	if at != 0 {
		t.spare[size] = uint32(t.block(at, 1)[0].From)
		return at
	}
	at = t.next
	k := at / slab
	if at%slab+1<<size > lengthOf(k) {
		k++
		at = k * slab
	}
	t.next = at + 1<<size
	if int(k) == len(t.slabs) {
		t.slabs = append(t.slabs, make([]Range, lengthOf(k)))
	}
	return at
}

// give makes a block free for take.
func (t *store) give(at uint32, size uint16) {
	t.block(at, 1)[0].From = int64(t.spare[size])
	t.spare[size] = at
}

// block returns n ranges of a block.
func (t *store) block(at uint32, n int) []Range { return t.slabs[at/slab][at%slab:][:n] }

// add puts r into the set, and reports whether that changes it.
func (t *store) add(s *set, r Range) (changed bool) {
	if r.From <= t.tolerance {
		r.From = 0
	}
	if s.size < inPages {
		changed = t.addToBlock(s, r)
	} else {
		changed = t.addToPages(s, r)
	}
	if invariants.Enabled {
		t.check(s)
	}
	return changed
}

// addToBlock is add for a set that has one block, or none.
func (t *store) addToBlock(s *set, r Range) bool {
	var list []Range
	if s.size > 0 {
		list = t.block(s.at, int(s.n))
	}
	i, j := touching(list, r, t.tolerance)
	if i < j {
		if list[i].From <= r.From && r.To <= list[i].To {
			return false
		}
		list[i] = Range{From: min(list[i].From, r.From), To: max(list[j-1].To, r.To)}
		if i+1 < j {
			s.n = uint16(i + 1 + copy(list[i+1:], list[j:]))
		}
		return true
	}
	if s.size == 0 || len(list) == 1<<s.size {
		if s.size == pageSize {
			t.cut(s)
			return t.addToPages(s, r)
		}
		t.grow(s, list)
	}
	s.n++
	list = t.block(s.at, int(s.n))
	copy(list[i+1:], list[i:])
	list[i] = r
	return true
}

// grow gives a set, of which list is all, a block of the next size.
func (t *store) grow(s *set, list []Range) {
	at := t.take(s.size + 1)
	if s.size > 0 {
		copy(t.block(at, len(list)), list)
		t.give(s.at, s.size)
	}
	s.at, s.size = at, s.size+1
}

// touching returns the ranges list[i:j] that touch r, or are apart from it by no more than the
// tolerance. If i = j, r belongs before list[i].
func touching(list []Range, r Range, tolerance int64) (i, j int) {
	n := len(list)
	for i < n {
		if mid := int(uint(i+n) >> 1); list[mid].To+tolerance < r.From {
			i = mid + 1
		} else {
			n = mid
		}
	}
	return i, i + beginBelow(list[i:], r.To+tolerance)
}

// beginBelow returns the number of ranges that begin at or below a byte. Mostly that is none or one.
func beginBelow(list []Range, at int64) (n int) {
	for n < len(list) && list[n].From <= at {
		n++
	}
	return n
}

// widest returns the widest hole between two ranges.
func widest(list []Range) (hole int64) {
	for k := 1; k < len(list); k++ {
		hole = max(hole, list[k].From-list[k-1].To)
	}
	return hole
}

// subtract takes r out of the set. r lies in one range of it, and the tolerance is 0.
func (t *store) subtract(s *set, r Range) {
	p, a := &page{at: s.at, n: int32(s.n)}, 0
	if s.size == inPages {
		all := t.pages[s.at]
		a = t.pageOf(all, r.From+1)
		p = &all[a]
	}
	list := t.rangesOf(p)
	i, _ := touching(list, Range{From: r.From + 1}, 0)
	in, hole := list[i], r
	if in.From == r.From && i > 0 {
		hole.From = list[i-1].To
	}
	if in.To == r.To && i+1 < len(list) {
		hole.To = list[i+1].From
	}
	switch {
	case in.From < r.From:
		list[i].To = r.From
	case r.To < in.To:
		list[i].From = r.To
	default:
		list = list[:i+copy(list[i:], list[i+1:])]
	}
	switch {
	case s.size < inPages:
		s.n = uint16(len(list))
	case len(list) > 0:
		p.n, p.from, p.to, p.hole = int32(len(list)), list[0].From, list[len(list)-1].To, max(p.hole, hole.To-hole.From)
		t.join(s, a)
	default:
		t.give(p.at, pageSize)
		if t.remove(s, a, a+1); len(t.pages[s.at]) == 0 {
			*s = set{}
		}
	}
	if in.From < r.From && r.To < in.To {
		t.add(s, Range{r.To, in.To})
	}
	if invariants.Enabled {
		t.check(s)
	}
}
