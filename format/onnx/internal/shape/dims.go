package shape

import (
	"slices"
	"strconv"
	"strings"
)

// Idea: arithmetic on dimensions, some of them open (-1). What depends on an open one, or is
// larger than a tensor can be, is open itself, so nothing overflows and nothing is guessed.
//
// Complexity: O(rank) each.

// Meet returns the dimensions that two shapes have in common.
func Meet(a, b []int64) []int64 {
	if a == nil || b == nil || len(a) != len(b) {
		return nil
	}
	if slices.Equal(a, b) {
		return a
	}
	out := slices.Clone(a)
	for i := range out {
		if out[i] != b[i] {
			out[i] = -1
		}
	}
	return out
}

// Elements returns the product of dimensions, -1 if one is open or there are too many.
func Elements(dims []int64) int64 {
	if dims == nil {
		return -1
	}
	n := int64(1)
	for _, d := range dims {
		if d == 0 {
			return 0
		}
	}
	for _, d := range dims {
		if d < 0 || n > MaxElements/d {
			return -1
		}
		n *= d
	}
	return n
}

// MaxElements bounds the elements of a tensor, and each of its dimensions.
const MaxElements = 1 << 44

// MaxRank is how many dimensions a tensor may have: NumPy's limit.
const MaxRank = 64

// BytesOf returns the bytes of a tensor, elements of fewer than eight bits packed; -1 if that is not known.
func BytesOf(elem Type, dims []int64) int64 {
	n, bits := Elements(dims), elem.Bits()
	if n < 0 || bits == 0 {
		return -1
	}
	return (n*bits + 7) / 8
}

// Text formats a shape for messages.
func Text(dims []int64) string {
	if dims == nil {
		return "of unknown rank"
	}
	var s strings.Builder
	s.WriteByte('[')
	for i, d := range dims {
		if i > 0 {
			s.WriteByte(',')
		}
		if d < 0 {
			s.WriteByte('?')
		} else {
			s.WriteString(strconv.FormatInt(d, 10))
		}
	}
	s.WriteByte(']')
	return s.String()
}

// Axis returns an axis counted from the front.
func Axis(axis int64, rank int) (int, bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)
}

// Open returns a shape of a rank with every dimension open.
func Open(rank int) []int64 {
	dims := make([]int64, rank)
	for i := range dims {
		dims[i] = -1
	}
	return dims
}

// Fits returns a dimension, open if it is none that a tensor can have.
func Fits(d int64) int64 {
	if d < 0 || d > MaxElements {
		return -1
	}
	return d
}

// Times returns the product of two dimensions, -1 if one is open or it is none.
func Times(a, b int64) int64 {
	switch {
	case a < 0 || b < 0:
		return -1
	case a == 0 || b == 0:
		return 0
	case a > MaxElements/b:
		return -1
	}
	return a * b
}

// Sum returns the sum of two dimensions, -1 if one is open.
func Sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return Fits(a + b)
}

// Broadcast returns the shape of an element-wise result, and whether there is one.
func Broadcast(shapes ...[]int64) ([]int64, bool) {
	rank := 0
	for _, s := range shapes {
		if s == nil {
			return nil, true
		}
		rank = max(rank, len(s))
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = 1
		unknown := false
		for _, s := range shapes {
			at := i - (rank - len(s))
			if at < 0 || s[at] == 1 {
				continue
			}
			switch {
			case s[at] < 0:
				unknown = true
			case out[i] == 1:
				out[i] = s[at]
			case out[i] != s[at]:
				return nil, false
			}
		}
		if unknown && out[i] == 1 {
			out[i] = -1
		}
	}
	return out, true
}
