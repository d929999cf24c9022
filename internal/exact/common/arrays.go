package common

// Arrays are arrays of one kind that Make makes out of a single one, so that a small partition
// is prepared with one allocation for each kind. The zero value has none. It holds at most 16.
type Arrays[T any] struct {
	wanted [16]wanted[T] // of fixed length, so that it costs no allocation
	count  int
}

// wanted is an array to be made, of n entries.
type wanted[T any] struct {
	of *[]T
	n  int
}

// Add has Make set each of the given slices to n zero entries.
func (a *Arrays[T]) Add(n int, of ...*[]T) {
	for _, slice := range of {
		a.wanted[a.count] = wanted[T]{slice, n}
		a.count++
	}
}

// Make makes the arrays. Appending to one of them never writes into another.
func (a *Arrays[T]) Make() {
	sum := 0
	for _, w := range a.wanted[:a.count] {
		sum += w.n
	}
	all := make([]T, sum)
	for _, w := range a.wanted[:a.count] {
		*w.of, all = all[:w.n:w.n], all[w.n:]
	}
}
