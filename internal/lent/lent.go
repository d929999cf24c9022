// Package lent has memory that is lent for one call after another.
package lent

// Idea: a call that runs often needs the same arrays each time. A shelf lends parts of one array, and takes all of them
// back at once. What the array has no room for is made, and the array grows when all is taken back. So the second of
// two equal calls allocates nothing, and a single call allocates what it would without a shelf.
//
// Invariant: parts that are lent at the same time never overlap. A part is zero when it is lent.
//
// Complexity: that of clearing the parts.

// A Shelf lends slices to one goroutine. Its zero value is ready to use. A nil Shelf makes each slice.
type Shelf[T any] struct {
	all    []T
	used   int // of all
	wanted int // since all was taken back
}

// Take returns n zero values. Appending to them never writes into another part.
func (s *Shelf[T]) Take(n int) []T {
	if s == nil {
		return make([]T, n)
	}
	s.wanted += n
	if n > len(s.all)-s.used {
		return make([]T, n)
	}
	part := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	clear(part)
	return part
}

// Back takes back all that was lent. Nobody may use it any more.
func (s *Shelf[T]) Back() {
	if s.wanted > len(s.all) {
		s.all = make([]T, s.wanted)
	}
	s.used, s.wanted = 0, 0
}
