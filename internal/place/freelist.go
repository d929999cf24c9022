package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: what is free in an address space without an end is what is not in use, and that
// is a set of ranges as the tree has many of (ranges.go). So the lowest place, the
// highest under a limit and the tightest are asked of one such set, from which ranges can
// be taken away again.
//
// Invariant: that of a set, with no tolerance.
//
// Complexity: that of a set. For f ranges a search looks at f/pageMost pages and those
// of them that may have room.
//
// Tried and dropped: bins by size, as malloc has them, which know nothing of addresses:
// two-ended placement needs the extremes. A treap of the free blocks by address, with the
// largest below each node: O(log f) but for the tightest place, no faster on training
// graphs, and four times the code.

// A FreeList is the space.
type FreeList struct {
	sets  store // of one
	used  set
	whole [1]page // a set that has no directory
}

// Reset empties the space.
func (f *FreeList) Reset() {
	f.sets.reset(0)
	f.used = set{}
}

// Take marks [from, from+size) as in use.
func (f *FreeList) Take(from, size int64) { f.sets.add(&f.used, Range{from, from + size}) }

// Give returns [from, from+size), which is in use.
func (f *FreeList) Give(from, size int64) { f.sets.subtract(&f.used, Range{from, from + size}) }

// Find returns a multiple of align at which size bytes are free, by a fit. Most of its time
// goes for holes that are too small.
func (f *FreeList) Find(size, align int64, fit Fit) int64 {
	best, least, end := int64(0), int64(math.MaxInt64), int64(0)
	all := f.all()
	for k := range all {
		p := &all[k]
		list := f.sets.rangesOf(p)
		for i := 0; i < len(list); {
			if i > 0 {
				end = list[i-1].To
			}
			if left := list[i].From - size - bound.Up(end, align); left >= 0 && left < least {
				if best, least = list[i].From-size-left, left; fit == FirstFit || left == 0 {
					return best
				}
			}
			if p.hole < size {
				break // what is before the first is no hole of the page
			}
			first := i == 0
			if i += above(list[i:], size); first && i == len(list) {
				p.hole = size - 1 // of all holes none is larger
			}
		}
		end = list[len(list)-1].To
	}
	if least == math.MaxInt64 {
		best = bound.Up(end, align)
	}
	return best
}

// all returns what is in use, in pages.
func (f *FreeList) all() []page {
	if f.used.size == inPages {
		return f.sets.pages[f.used.at]
	}
	f.whole[0] = page{hole: math.MaxInt64, at: f.used.at, n: int32(f.used.n)}
	return f.whole[:min(1, f.used.n)]
}

// Highest returns the highest multiple of align at which size bytes below limit are free;
// ok is false where there is none.
func (f *FreeList) Highest(size, align, limit int64) (at int64, ok bool) {
	all := f.all()
	for k := len(all) - 1; k >= 0; k-- {
		list := f.sets.rangesOf(&all[k])
		for i := len(list) - 1; i >= 0; i-- {
			if limit-size >= list[i].To {
				if at = bound.Down(limit-size, align); at >= list[i].To {
					return at, true
				}
			}
			if all[k].hole < size {
				i = 0 // none but the one above the last
			}
			limit = min(limit, list[i].From)
		}
		if all[k].hole >= size && above(list, size) == len(list) {
			all[k].hole = size - 1
		}
	}
	at = bound.Down(limit-size, align)
	return at, at >= 0
}
