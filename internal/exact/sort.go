package exact

import "github.com/stowage-go/stowage/internal/run"

// Lists are sorted by merging: short runs by insertion, then pairs of runs, each
// twice as long as the last. It is stable, it looks for the end of the run at
// every merge where asked to, and one function serves all orders.
//
// Complexity: O(n log n) comparisons; O(n) scratch.

// sortRun is the length of the runs that are sorted by insertion.
const sortRun = 16

// sortBy sorts a list of buffers. In a huge partition it leaves the list in some
// order where the run is over.
func (k *kernel) sortBy(list []Buffer, less func(i, j Buffer) bool) {
	if len(list) > cap(k.sorted) && len(list) > sortRun {
		k.sorted = make([]Buffer, len(list))
	}
	var watch *run.Watch
	if k.huge {
		watch = k.watch
	}
	mergeSort(list, k.sorted, less, watch)
}

// mergeSort sorts a list with scratch as long. A watch that is over, where there
// is one, ends it early.
func mergeSort[T ~int32](list, scratch []T, less func(i, j T) bool, watch *run.Watch) {
	for at := 0; at < len(list); at += sortRun {
		insertionSort(list[at:min(at+sortRun, len(list))], less)
	}
	if len(list) <= sortRun {
		return
	}
	from, to := list, scratch[:len(list)]
	for width := sortRun; width < len(list); width *= 2 {
		for at := 0; at < len(list); at += 2 * width {
			if watch != nil && watch.Over() {
				copy(list, from) // to is not complete
				return
			}
			mid, end := min(at+width, len(list)), min(at+2*width, len(list))
			mergeRuns(to[at:end], from[at:mid], from[mid:end], less)
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}

func insertionSort[T ~int32](list []T, less func(i, j T) bool) {
	for i := 1; i < len(list); i++ {
		j, p := list[i], i
		for p > 0 && less(j, list[p-1]) {
			list[p] = list[p-1]
			p--
		}
		list[p] = j
	}
}

// mergeRuns merges the sorted runs a and b into the list.
func mergeRuns[T ~int32](list, a, b []T, less func(i, j T) bool) {
	if len(b) == 0 || !less(b[0], a[len(a)-1]) {
		copy(list[copy(list, a):], b)
		return
	}
	for to := range list {
		if len(a) == 0 || len(b) > 0 && less(b[0], a[0]) {
			list[to], b = b[0], b[1:]
		} else {
			list[to], a = a[0], a[1:]
		}
	}
}
