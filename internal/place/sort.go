package place

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
)

// Idea: an order of a million buffers takes longer to sort than a planner may
// outlive its limit. So sort stretches that take a moment, then merge them, and
// look at the watch in between.
//
// Invariant: items is a permutation of what it was, sorted or not.
//
// Complexity: O(n log n) comparisons, and n items of scratch.

// stretch is the number of items that are sorted or merged between looks.
const stretch = 4096

// Sort sorts items by compare, ties in the order in which they are. It returns
// false where a limit came first, and items are then in no particular order. No
// watch (nil) means no limit.
func Sort(w *run.Watch, items []int32, compare func(a, b int32) int) bool {
	over := func() bool { return w != nil && w.Over() }
	for from := 0; from < len(items); from += stretch {
		if over() {
			return false
		}
		slices.SortStableFunc(items[from:min(from+stretch, len(items))], compare)
	}
	if len(items) <= stretch {
		return true
	}
	from, to := items, make([]int32, len(items))
	for width := stretch; width < len(items); width *= 2 {
		for low := 0; low < len(items); low += 2 * width {
			mid, high := min(low+width, len(items)), min(low+2*width, len(items))
			a, b := low, mid
			for k := low; k < high; k++ {
				if k%stretch == 0 && over() {
					if &from[0] != &items[0] {
						copy(items, from)
					}
					return false
				}
				if a < mid && (b == high || compare(from[a], from[b]) <= 0) {
					to[k] = from[a]
					a++
				} else {
					to[k] = from[b]
					b++
				}
			}
		}
		from, to = to, from
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
	return true
}
