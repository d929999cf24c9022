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
// Complexity: that of a set. For f ranges a search looks at f/pieceMost pieces and those
// of them that may have room.
//
// Tried and dropped: bins by size, as malloc has them, which know nothing of addresses:
// two-ended placement needs the extremes. A treap of the free blocks by address, with the
// largest below each node: O(log f) but for the tightest place, no faster on training
// graphs, and four times the code.

// A FreeList is the space.
type FreeList struct {
	sets   store // of one
	used   set
	probes [1]probe
	whole  [1]piece // a set that has no directory
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

// Find returns a multiple of align at which size bytes are free, by a fit.
func (f *FreeList) Find(size, align int64, fit Fit) int64 {
	if f.used.size == 0 {
		return 0
	}
	f.probes[0] = f.sets.probe(f.used, 0, size)
	at := f.sets.lowest(f.probes[:], 0, align)
	if fit == BestFit {
		at = f.sets.tightest(f.probes[:], at, align)
	}
	return at
}

// Highest returns the highest multiple of align at which size bytes below limit are free;
// ok is false where there is none.
func (f *FreeList) Highest(size, align, limit int64) (at int64, ok bool) {
	var all []piece
	if f.used.size == inPieces {
		all = f.sets.pieces[f.used.at]
	} else if f.used.size > 0 {
		f.whole[0] = piece{hole: math.MaxInt64, at: f.used.at, n: int32(f.used.n)}
		all = f.whole[:]
	}
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
		if all[k].hole >= size {
			all[k].hole = widest(list)
		}
	}
	at = bound.Down(limit-size, align)
	return at, at >= 0
}
