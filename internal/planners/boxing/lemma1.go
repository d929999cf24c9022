package boxing

import (
	"cmp"
	"math"
)

// Idea: if items of one size are all live at one moment, they make a staircase: sorted by start on the left, by end
// on the right. Strips are cut off it, in turn the earliest starters ("vertical") and the latest enders
// ("horizontal"). Each strip is cut into groups of H. An early starter is boxed with others that end at nearly the
// same time, and a late ender with others that start at nearly the same time. So a box is not much longer than its
// items. The two outermost strips stay unboxed: they absorb the waste of all others.
//
// Invariant: each item is in one strip; a box holds at most H items of the strip it is cut from.
//
// Complexity: O(k log k) for k items.
//
// Source: Lemma 1 of Buchsbaum et al.; strip sizes as in idealloc (a21f84d): H·⌈1/ε²⌉ outer, H·⌈1/ε⌉ inner.

// lemma1 boxes items, which are live at one moment and sorted by start, into boxes of the given height that hold H
// each. It appends the boxes to t.out and returns the unresolved items, appended to left.
func (t *try) lemma1(items []id, units, height int64, eps float64, left []id) []id {
	outer := times(units, 1/(eps*eps), len(items))
	if t.flat || len(items) <= 2*outer {
		return append(left, items...)
	}
	b := t.boxes
	byEnd := append(t.byEnd[:0], items...)
	t.byEnd = byEnd
	b.sort(byEnd, func(i, j id) int {
		if c := cmp.Compare(b.upper[j], b.upper[i]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
	if len(t.cut) < len(b.size) {
		t.cut = append(t.cut, make([]bool, len(b.size)-len(t.cut))...)
	}
	remaining := len(items)
	// take moves up to count items from the front of a list to the strip.
	take := func(from *[]id, count int) []id {
		strip := t.strip[:0]
		for len(strip) < count && len(*from) > 0 {
			i := (*from)[0]
			*from = (*from)[1:]
			if !t.cut[i] {
				t.cut[i] = true
				strip = append(strip, i)
			}
		}
		t.strip = strip
		remaining -= len(strip)
		return strip
	}
	starts, ends := items, byEnd
	left = append(left, take(&starts, outer)...)
	left = append(left, take(&ends, outer)...)
	inner := times(units, 1/eps, len(items))
	for remaining > 0 {
		strip := take(&starts, inner)
		b.sort(strip, func(i, j id) int {
			if c := cmp.Compare(b.upper[j], b.upper[i]); c != 0 {
				return c
			}
			return cmp.Compare(i, j)
		})
		t.group(strip, units, height)
		if remaining == 0 {
			break
		}
		strip = take(&ends, inner)
		b.sortByStart(strip)
		t.group(strip, units, height)
	}
	for _, i := range items {
		t.cut[i] = false
	}
	return left
}

// group boxes each H items of a strip, and the rest, if any.
func (t *try) group(strip []id, units, height int64) {
	for len(strip) > 0 {
		k := len(strip)
		if units < int64(k) {
			k = int(units)
		}
		t.out = append(t.out, t.boxes.box(strip[:k], height))
		strip = strip[k:]
	}
}

// times returns units·⌈factor⌉, or some number above limit if the product is above limit.
func times(units int64, factor float64, limit int) int {
	x := float64(units) * math.Ceil(factor)
	if !(x < float64(limit)) {
		return limit + 1
	}
	return int(x)
}
