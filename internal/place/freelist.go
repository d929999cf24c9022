package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: keep the bytes in use as one set of ranges (ranges.go). The free bytes are the holes of that set and all
// bytes above it. The set is searched for the lowest place, the tightest place, or the highest place under a limit.
// Ranges can also be taken out of it again.
//
// Invariant: the set's, with no tolerance.
//
// Complexity: the set's. With f ranges a search looks at f/pageMost pages, and into those that may have room.
//
// Trials: docs/lab/place.md (bins know no addresses, a treap is no faster and four times the code).

// A FreeList is an address space without an end.
type FreeList struct {
	sets  store   // has only the set used
	used  set     // the bytes in use
	whole [1]page // stands for a set without a directory (all)
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

// Find returns a multiple of align at which size bytes are free. fit chooses among them. Find spends most of its time
// on holes that are too small.
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
				break // only the hole before the first range is not in p.hole
			}
			first := i == 0
			if i += above(list[i:], size); first && i == len(list) {
				p.hole = size - 1 // no hole is larger
			}
		}
		end = list[len(list)-1].To
	}
	if least == math.MaxInt64 {
		best = bound.Up(end, align)
	}
	return best
}

// all returns the bytes in use, as pages.
func (f *FreeList) all() []page {
	if f.used.size == inPages {
		return f.sets.pages[f.used.at]
	}
	f.whole[0] = page{hole: math.MaxInt64, at: f.used.at, n: int32(f.used.n)}
	return f.whole[:min(1, f.used.n)]
}

// Highest returns the highest multiple of align at which size bytes below limit are free. If
// there is none, ok is false.
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
				i = 0 // only the hole above the last range may be large enough
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
