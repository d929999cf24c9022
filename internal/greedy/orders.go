package greedy

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/tune"
)

// Idea: an order is a word of sort keys, one letter each, the first letter
// first; ties go to the input's order. Descending keys put what is hard to
// place early: large, long, or in crowded sections.
//
// Source: the letters are MiniMalloc's static preorderings; XLA's spatial and
// temporal orders and TVM USMP's by-size and by-conflicts are words of them.
//
// Complexity: O(n log n) a word, O(n + sections·log) for the keys C, O and T.

// key returns the sort keys of a letter. A larger key goes first.
func key(w *run.Watch, letter byte, tl *timeline.Timeline) []uint64 {
	switch letter {
	case 'C':
		return crowd(w, tl)
	case 'D':
		return ticks(tl)
	case 'H':
		return whole(tl)
	case 'O':
		return overlaps(tl)
	case 'P':
		return atPeak(tl)
	case 'Q':
		return weight(tl)
	case 'T':
		return total(w, tl)
	case 'X':
		return tickArea(tl)
	}
	return own(letter, tl)
}

// own returns the keys that a buffer has by itself.
func own(letter byte, tl *timeline.Timeline) []uint64 {
	const sign = 1 << 63 // times may be negative
	keys := make([]uint64, len(tl.Problem.Buffers))
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
		case 'G': // what divides the offset
			x = uint64(b.Align())
		case 'L': // the first to start in front
			x = ^uint64(first)
		case 'R': // the last of the input in front
			x = uint64(i)
		case 'S': // the sections that it reaches over
			x = uint64(last - first)
		case 'U': // the first to end in front
			x = ^uint64(last)
		case 'W': // duration in logical time
			x = uint64(b.Upper - b.Lower)
		case 'Z':
			x = uint64(b.Size)
		}
		keys[i] = x
	}
	return keys
}

// area is size times duration, up to the largest number there is.
func area(size, duration int64) uint64 {
	high, low := bits.Mul64(uint64(size), uint64(duration))
	if high > 0 {
		return ^uint64(0)
	}
	return low
}

// Sorted returns the buffers in the order of a word. Of many buffers it returns nil
// where a limit comes first; no watch (nil) means no limit.
func Sorted(w *run.Watch, tl *timeline.Timeline, word string) []int32 {
	if len(tl.Problem.Buffers) <= pollEvery {
		w = nil // a millisecond
	}
	columns := make([][]uint64, len(word))
	for k := range columns {
		if w != nil && w.Over() {
			return nil
		}
		letter := word[k]
		if letter >= 'a' {
			columns[k] = key(w, letter-'a'+'A', tl)
			for i := range columns[k] {
				columns[k][i] = ^columns[k][i]
			}
			continue
		}
		columns[k] = key(w, letter, tl)
	}
	return byColumns(w, len(tl.Problem.Buffers), columns)
}

// byColumns returns the numbers up to n in descending order of their keys, the
// first column first, ties ascending. Few are compared, many sorted digit by digit,
// from the last column to the first. It returns nil where a limit comes first.
func byColumns(w *run.Watch, n int, columns [][]uint64) []int32 {
	if n < tune.DigitsLeast {
		return sorting.Order(n, func(a, b int32) bool {
			for _, column := range columns {
				if x, y := column[a], column[b]; x != y {
					return x > y
				}
			}
			return false
		})
	}
	order, next := sorting.Count(n), make([]int32, n)
	over := func() bool { return w != nil && w.Over() }
	for k := len(columns) - 1; k >= 0; k-- {
		order, next = sorting.Digits(order, next, columns[k], ^uint64(0), over)
	}
	if over() {
		return nil
	}
	return order
}

// each returns f of every buffer.
func each(tl *timeline.Timeline, f func(i int) uint64) []uint64 {
	key := make([]uint64, len(tl.Problem.Buffers))
	for i := range key {
		key[i] = f(i)
	}
	return key
}

// total is the largest load of the sections in which a buffer is active.
func total(w *run.Watch, tl *timeline.Timeline) []uint64 {
	return highest(w, tl, func(s int) int64 { return tl.Load[s] })
}

// crowd is the largest number of buffers in a section of the buffer's.
func crowd(w *run.Watch, tl *timeline.Timeline) []uint64 {
	count := make([]int64, tl.Sections()+1)
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			count[s.First]++
			count[s.Last]--
		}
	}
	for s := 1; s < len(count); s++ {
		count[s] += count[s-1]
	}
	return highest(w, tl, func(s int) int64 { return count[s] })
}

// highest is, for each buffer, the maximum of a profile over its sections.
func highest(w *run.Watch, tl *timeline.Timeline, profile func(s int) int64) []uint64 {
	m := tl.Sections()
	tree := make([]int64, 2*m) // tree[m+s] is section s, tree[k] the larger of its children
	for s := range m {
		tree[m+s] = profile(s)
	}
	for k := m - 1; k > 0; k-- {
		tree[k] = max(tree[2*k], tree[2*k+1])
	}
	return each(tl, func(i int) uint64 {
		if w != nil && w.Over() {
			return 0 // Sorted looks again
		}
		var top int64
		for _, s := range tl.Spans(i) {
			for l, h := int(s.First)+m, int(s.Last)+m; l < h; l, h = l/2, h/2 {
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

// overlaps is the number of buffers whose extents meet the buffer's, itself
// included: all but those that end before it or start after it.
func overlaps(tl *timeline.Timeline) []uint64 {
	m := tl.Sections()
	starts, ends := make([]int64, m+1), make([]int64, m+1)
	for i := range tl.Problem.Buffers {
		if first, last := tl.Extent(i); first < last {
			starts[first]++
			ends[last]++
		}
	}
	for s := 1; s <= m; s++ {
		starts[s] += starts[s-1]
		ends[s] += ends[s-1]
	}
	return each(tl, func(i int) uint64 {
		first, last := tl.Extent(i)
		if first == last {
			return 0
		}
		return uint64(starts[last-1] - ends[first])
	})
}

// hinted returns the buffers by ascending hint, those without one last and by
// decreasing size, and whether at least half have one.
func hinted(tl *timeline.Timeline) (order []int32, most bool) {
	buffers := tl.Problem.Buffers
	count := 0
	for i := range buffers {
		if buffers[i].Hint != nil {
			count++
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
