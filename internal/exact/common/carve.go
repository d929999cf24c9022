package common

// array is an array to be made, of n entries.
type array[T any] struct {
	of *[]T
	n  int
}

// Share says that carve is to make *of, of n entries.
func Share[T any](of *[]T, n int) array[T] { return array[T]{of, n} }

// Carve makes arrays out of one, so that a small partition is prepared with few
// allocations.
func Carve[T any](shares ...array[T]) {
	sum := 0
	for _, s := range shares {
		sum += s.n
	}
	all := make([]T, sum)
	for _, s := range shares {
		*s.of, all = all[:s.n:s.n], all[s.n:]
	}
}
