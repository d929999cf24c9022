// Package sorting is the one place where long lists are sorted. It sorts indices, whose meaning is the caller's.
//
// The sorts of package slices are not stable with a plain comparison, cannot look at a limit
// on the way, and know no sort by digits: with a million buffers all three count.
package sorting

// Idea: short runs by insertion, then pairs of runs are merged, each twice as
// long as the last. It is stable, and can look at a limit as it goes.
//
// Invariant: items holds what it held, sorted or not.
//
// Complexity: O(n log n) comparisons, O(n) if the items are in order already;
// n items of scratch if there are more than a run.

const (
	// run is the length of the runs that are sorted by insertion.
	run = 16
	// stretch is the number of items that are merged between looks at the limit.
	stretch = 4096
)

// By sorts items, those that are equal in the order in which they are.
func By[T ~int32](items []T, less func(a, b T) bool) {
	var scratch []T
	if len(items) > run {
		scratch = make([]T, len(items))
	}
	Within(items, scratch, less, nil)
}

// Within sorts as By does, with scratch as long as items if these are more than a few. It returns false where over, if
// there is one, says that a limit has come; items are then in no particular order.
func Within[T ~int32](items, scratch []T, less func(a, b T) bool, over func() bool) bool {
	for at := 0; at < len(items); at += run {
		if at%stretch == 0 && over != nil && over() {
			return false
		}
		insertion(items[at:min(at+run, len(items))], less)
	}
	if len(items) <= run {
		return true
	}
	from, to := items, scratch[:len(items)]
	for width := run; width < len(items); width *= 2 {
		for at := 0; at < len(items); at += 2 * width {
			mid, end := min(at+width, len(items)), min(at+2*width, len(items))
			if at%stretch == 0 && over != nil && over() || !merge(to[at:end], from[at:mid], from[mid:end], less, over) {
				copy(items, from) // to is not complete
				return false
			}
		}
		from, to = to, from
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
	return true
}

func insertion[T ~int32](items []T, less func(a, b T) bool) {
	for i := 1; i < len(items); i++ {
		j, p := items[i], i
		for p > 0 && less(j, items[p-1]) {
			items[p] = items[p-1]
			p--
		}
		items[p] = j
	}
}

// merge merges the sorted runs a and b into items.
func merge[T ~int32](items, a, b []T, less func(a, b T) bool, over func() bool) bool {
	if len(b) == 0 || !less(b[0], a[len(a)-1]) {
		copy(items[copy(items, a):], b)
		return true
	}
	for to := range items {
		if to%stretch == stretch-1 && over != nil && over() {
			return false
		}
		if len(a) == 0 || len(b) > 0 && less(b[0], a[0]) {
			items[to], b = b[0], b[1:]
		} else {
			items[to], a = a[0], a[1:]
		}
	}
	return true
}

// Structs sorts items by compare, those that are equal in the order in which they are. Of generic code, each type has a
// copy in the program. This sort has little of it, so it is for structs in code that is seldom called.
func Structs[T any](items []T, compare func(a, b T) int) {
	sorted := make([]T, len(items))
	for k, i := range Order(len(items), func(a, b int32) bool { return compare(items[a], items[b]) < 0 }) {
		sorted[k] = items[i]
	}
	copy(items, sorted)
}

// Order returns the numbers from 0 up to n, sorted.
func Order(n int, less func(a, b int32) bool) []int32 {
	order := Count(n)
	By(order, less)
	return order
}

// Count returns the numbers from 0 up to n.
func Count(n int) []int32 { return Numbered(make([]int32, n)) }

// Numbered sets a list to the numbers from 0 on, and returns it.
func Numbered(order []int32) []int32 {
	for i := range order {
		order[i] = int32(i)
	}
	return order
}
