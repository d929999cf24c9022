package greedy

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/lent"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: an order is a word. Each letter is a sort key, and the first letter counts most. Ties keep the order of the
// input. An upper-case letter sorts by descending keys: buffers that are hard to place come early, because they are
// large, long-lived, or in crowded sections. A lower-case letter sorts by ascending keys.
//
// Source: the letters are MiniMalloc's static preorderings. The spatial and temporal orders
// of XLA, and by-size and by-conflicts of TVM USMP, are words of these letters.
//
// Complexity: O(n log n) for a word. The keys C and T take O((n + sections) log sections).

// A scratch has the memory of orders. What is taken from it is of use until back is called.
type scratch struct {
	keys    lent.Shelf[uint64]
	lists   lent.Shelf[int32]
	longs   lent.Shelf[int64]
	piles   lent.Shelf[pile]
	columns [][]uint64
}

// back takes back all that was lent.
func (m *scratch) back() {
	m.keys.Back()
	m.lists.Back()
	m.longs.Back()
	m.piles.Back()
}

// key returns the sort keys of a letter, one for each buffer. The largest key comes first.
func (m *scratch) key(w *run.Watch, letter byte, tl *timeline.Timeline) []uint64 {
	switch letter {
	case 'C':
		return m.crowd(w, tl)
	case 'D':
		return m.ticks(tl)
	case 'H':
		return m.whole(tl)
	case 'O':
		return m.overlaps(tl)
	case 'P':
		return m.atPeak(tl)
	case 'Q':
		return m.weight(tl)
	case 'T':
		return m.total(w, tl)
	case 'X':
		return m.tickArea(tl)
	}
	return m.own(letter, tl)
}

// own returns the keys of the letters that depend on no other buffer.
func (m *scratch) own(letter byte, tl *timeline.Timeline) []uint64 {
	const sign = 1 << 63 // times may be negative
	keys := m.keys.Take(len(tl.Problem.Buffers))
	for i := range keys {
		b := &tl.Problem.Buffers[i]
		first, last := tl.Extent(i)
		var x uint64
		switch letter {
		case 'A': // size times duration
			x = area(b.Size, b.Upper-b.Lower)
		case 'B': // start
			x = uint64(b.Lower) ^ sign
		case 'E': // end
			x = uint64(b.Upper) ^ sign
		case 'G': // alignment
			x = uint64(b.Align())
		case 'L': // first section; the earliest comes first
			x = ^uint64(first)
		case 'R': // place in the input; the last comes first
			x = uint64(i)
		case 'S': // number of sections, gaps included
			x = uint64(last - first)
		case 'U': // last section; the earliest comes first
			x = ^uint64(last)
		case 'W': // duration in logical time
			x = uint64(b.Upper - b.Lower)
		case 'Z': // size
			x = uint64(b.Size)
		}
		keys[i] = x
	}
	return keys
}

// area returns size times duration, or the largest uint64 if the product is larger.
func area(size, duration int64) uint64 {
	high, low := bits.Mul64(uint64(size), uint64(duration))
	if high > 0 {
		return ^uint64(0)
	}
	return low
}

// Sorted returns the buffers in the order of a word. If there are more than pollEvery buffers
// and a limit comes first, it returns nil. No watch (nil) means no limit.
func Sorted(w *run.Watch, tl *timeline.Timeline, word string) []int32 {
	var m scratch
	return m.sorted(w, tl, word)
}

// sorted is Sorted.
func (m *scratch) sorted(w *run.Watch, tl *timeline.Timeline, word string) []int32 {
	if len(tl.Problem.Buffers) <= pollEvery {
		w = nil // this takes a millisecond
	}
	columns := m.columns[:0]
	for k := range len(word) {
		if w != nil && w.Over() {
			return nil
		}
		letter := word[k]
		if letter >= 'a' {
			keys := m.key(w, letter-'a'+'A', tl)
			for i := range keys {
				keys[i] = ^keys[i]
			}
			columns = append(columns, keys)
			continue
		}
		columns = append(columns, m.key(w, letter, tl))
	}
	m.columns = columns
	return m.byColumns(w, len(tl.Problem.Buffers), columns)
}

// byColumns returns the numbers below n in descending order of their keys. The first column counts most, and ties are
// ascending. A few numbers are sorted by comparisons. Many are sorted digit by digit, from the last column to the
// first. If a limit comes first, byColumns returns nil.
func (m *scratch) byColumns(w *run.Watch, n int, columns [][]uint64) []int32 {
	if n < thresholds.DigitsLeast {
		order := sorting.Numbered(m.lists.Take(n))
		sorting.Within(order, m.lists.Take(n), func(a, b int32) bool {
			for _, column := range columns {
				if x, y := column[a], column[b]; x != y {
					return x > y
				}
			}
			return false
		}, nil)
		return order
	}
	order, next := sorting.Numbered(m.lists.Take(n)), m.lists.Take(n)
	over := func() bool { return w != nil && w.Over() }
	for k := len(columns) - 1; k >= 0; k-- {
		order, next = sorting.Digits(order, next, columns[k], ^uint64(0), over)
	}
	if over() {
		return nil
	}
	return order
}

// each returns f(i) for every buffer i.
func (m *scratch) each(tl *timeline.Timeline, f func(i int) uint64) []uint64 {
	key := m.keys.Take(len(tl.Problem.Buffers))
	for i := range key {
		key[i] = f(i)
	}
	return key
}

// total returns, for each buffer, the largest load of the sections in which it is active.
func (m *scratch) total(w *run.Watch, tl *timeline.Timeline) []uint64 {
	return m.highest(w, tl, func(s int) int64 { return tl.Load[s] })
}

// crowd returns, for each buffer, the largest number of active buffers in a section in which it is active.
func (m *scratch) crowd(w *run.Watch, tl *timeline.Timeline) []uint64 {
	count := m.longs.Take(tl.Sections() + 1)
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			count[s.First]++
			count[s.Last]--
		}
	}
	for s := 1; s < len(count); s++ {
		count[s] += count[s-1]
	}
	return m.highest(w, tl, func(s int) int64 { return count[s] })
}

// highest returns, for each buffer, the maximum of a profile over the sections in which it is active.
func (m *scratch) highest(w *run.Watch, tl *timeline.Timeline, profile func(s int) int64) []uint64 {
	sections := tl.Sections()
	tree := m.longs.Take(2 * sections) // tree[sections+s] is section s, tree[k] the larger of its children
	for s := range sections {
		tree[sections+s] = profile(s)
	}
	for k := sections - 1; k > 0; k-- {
		tree[k] = max(tree[2*k], tree[2*k+1])
	}
	return m.each(tl, func(i int) uint64 {
		if w != nil && w.Over() {
			return 0 // Sorted asks the watch again, and drops these keys
		}
		var top int64
		for _, s := range tl.Spans(i) {
			for l, h := int(s.First)+sections, int(s.Last)+sections; l < h; l, h = l/2, h/2 {
				if l&1 == 1 {
					top = max(top, tree[l])
					l++
				}
				if h&1 == 1 {
					h--
					top = max(top, tree[h])
				}
			}
		}
		return uint64(top)
	})
}

// overlaps returns, for each buffer, the number of buffers whose extents meet its own, itself
// included. These are all buffers except those that end before it or start after it.
func (m *scratch) overlaps(tl *timeline.Timeline) []uint64 {
	sections := tl.Sections()
	starts, ends := m.longs.Take(sections+1), m.longs.Take(sections+1)
	for i := range tl.Problem.Buffers {
		if first, last := tl.Extent(i); first < last {
			starts[first]++
			ends[last]++
		}
	}
	for s := 1; s <= sections; s++ {
		starts[s] += starts[s-1]
		ends[s] += ends[s-1]
	}
	return m.each(tl, func(i int) uint64 {
		first, last := tl.Extent(i)
		if first == last {
			return 0
		}
		return uint64(starts[last-1] - ends[first])
	})
}

// hinted returns the buffers by ascending hint. Buffers without a hint come last, by
// decreasing size. If fewer than half of the buffers have a hint, most is false.
func hinted(tl *timeline.Timeline) (order []int32, most bool) {
	buffers := tl.Problem.Buffers
	count := 0
	for i := range buffers {
		if buffers[i].Hint != nil {
			count++
		} else if count == 0 && 2*i >= len(buffers) {
			break // fewer than half are left
		}
	}
	if count == 0 || 2*count < len(buffers) {
		return nil, false
	}
	order = Sorted(nil, tl, "Z")
	sorting.By(order, func(a, b int32) bool {
		x, y := buffers[a].Hint, buffers[b].Hint
		return x != nil && (y == nil || *x < *y)
	})
	return order, true
}
