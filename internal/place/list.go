package place

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: keep all placed buffers in one list, by offset. For each buffer, scan the list from the bottom. For up to a few
// thousand buffers without gaps or fixed offsets, that costs little and allocates nothing.
//
// Invariant: the columns are sorted by offset. The entries are a valid plan.
//
// Complexity: a nanosecond for each entry that the scan passes, O(n²) in all.
//
// On A–K the list is faster than the tree (go test -bench Move ./internal/climb). If many plans with a common beginning
// are made one after another, the tree is faster from a few thousand buffers on. For a single plan it is faster from
// some hundred buffers on, or from fewer if few are live at once.

// Listable reports whether a List can place the problem and is faster than Place.
func Listable(tl *timeline.Timeline) bool {
	buffers := tl.Problem.Buffers
	if len(buffers) > thresholds.ListMost || tl.HasGaps() {
		return false
	}
	for i := range buffers {
		if buffers[i].Fixed != nil {
			return false
		}
	}
	return true
}

// listWide: in one placement of a partition of more than thresholds.OneListMost buffers, the list
// is used only if the buffers reach over one listWide-th of the partition or more on average.
// If they are shorter, the tree has little to keep.
const listWide = 48

// listable reports whether a list is better than a tree for one placement of a partition.
func listable(tl *timeline.Timeline, part *timeline.Partition) bool {
	n, sections := len(part.Buffers), int(part.Last-part.First)
	if n > thresholds.OneWideListMost || sections == 1 {
		return false
	}
	incidences := 0
	for _, i := range part.Buffers {
		b := &tl.Problem.Buffers[i]
		if b.Fixed != nil || len(b.Gaps) > 0 {
			return false
		}
		first, last := tl.Extent(int(i))
		incidences += int(last - first)
	}
	return n <= thresholds.OneListMost || sections <= listWide*(incidences/n)
}

// A List holds the placed buffers in columns, by ascending offset. It knows no gaps: a buffer
// is in use from its first section to its last.
type List struct {
	n           int // number of placed buffers
	from, to    []int64
	first, last []int32
}

// NewList returns an empty list of at most n buffers.
func NewList(n int) *List {
	long, short := make([]int64, 2*n), make([]int32, 2*n)
	return &List{from: long[:n], to: long[n:], first: short[:n], last: short[n:]}
}

// Reset empties the list.
func (l *List) Reset() { l.n = 0 }

// Put finds a place for a buffer of the sections [first, last), enters the buffer, and returns its offset.
func (l *List) Put(first, last int32, size, align int64, fit Fit) int64 {
	var at int64
	if fit == FirstFit {
		at = l.lowest(first, last, size, align)
	} else {
		at = l.tightest(first, last, size, align)
	}
	l.Enter(at, first, last, size)
	return at
}

// lowest returns the lowest offset with room.
func (l *List) lowest(first, last int32, size, align int64) int64 {
	from := l.from[:l.n]
	to, firsts, lasts := l.to[:len(from)], l.first[:len(from)], l.last[:len(from)]
	at := int64(0) // the lowest multiple of align above the entries passed that conflict
	for k, offset := range from {
		if firsts[k] >= last || lasts[k] <= first {
			continue
		}
		if offset-at >= size {
			break
		}
		if to[k] > at {
			at = bound.Up(to[k], align)
		}
	}
	return at
}

// tightest returns the offset with the least room above the buffer, and of several the lowest.
func (l *List) tightest(first, last int32, size, align int64) int64 {
	from := l.from[:l.n]
	to, firsts, lasts := l.to[:len(from)], l.first[:len(from)], l.last[:len(from)]
	best, least := int64(-1), int64(math.MaxInt64)
	at := int64(0)
	for k, offset := range from {
		if firsts[k] >= last || lasts[k] <= first {
			continue
		}
		if room := offset - at - size; room >= 0 && room < least {
			best, least = at, room
		}
		if to[k] > at {
			at = bound.Up(to[k], align)
		}
	}
	if best < 0 {
		return at
	}
	return best
}

// Enter adds a buffer at an offset. It comes behind the entries of at most that offset.
func (l *List) Enter(at int64, first, last int32, size int64) {
	k, _ := slices.BinarySearch(l.from[:l.n], at+1)
	l.n++
	insert(l.from[k:l.n], at)
	insert(l.to[k:l.n], at+size)
	insert(l.first[k:l.n], first)
	insert(l.last[k:l.n], last)
}

// insert puts v before the first element of s, and drops the last element.
func insert[T any](s []T, v T) {
	copy(s[1:], s)
	s[0] = v
}
