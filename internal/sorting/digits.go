package sorting

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/thresholds"
)

// Idea: many whole numbers are sorted digit by digit, from the last to the first,
// and what all of them have in common is left out. The digits begin at the lowest bit in which any two keys differ:
// offsets and sizes are often multiples of a power of two. Keys that are in order already are left as they are.
//
// Complexity: O(n) for each digit in which any two keys differ, of eleven bits.

// A Key is a number by which digits sort.
type Key interface{ int64 | uint64 }

// Keys returns the indices of the keys in ascending order of the keys, equal ones in their own.
func Keys[K Key](keys []K) []int32 {
	return KeysIn(keys, make([]int32, len(keys)), make([]int32, len(keys)))
}

// KeysIn is Keys with two lists as long as keys. The indices are in one of them.
func KeysIn[K Key](keys []K, order, scratch []int32) []int32 {
	Numbered(order)
	if len(keys) < thresholds.DigitsLeast {
		Within(order, scratch, func(a, b int32) bool { return keys[a] < keys[b] }, nil)
		return order
	}
	if !slices.IsSorted(keys) {
		var flip K
		if sign := K(1) << 63; sign < 0 {
			flip = sign // the flipped sign bit makes digits sort as the numbers do
		}
		order, _ = Digits(order, scratch, keys, flip, nil)
	}
	return order
}

// Digits returns a list of indices sorted by their keys, each with the bits of flip inverted, stably. It also returns
// the other one of order and scratch. It uses both, and both are as long as keys. Where over, which it asks before
// each digit, says that a limit has come, they are in some order; nil means no limit.
func Digits[K Key](order, scratch []int32, keys []K, flip K, over func() bool) (sorted, other []int32) {
	const digit = 11
	var differ uint64
	for _, k := range keys {
		differ |= uint64(k ^ keys[0])
	}
	for shift := bits.TrailingZeros64(differ); differ>>shift != 0; shift += digit {
		if differ>>shift&(1<<digit-1) == 0 || over != nil && over() {
			continue
		}
		var at [1<<digit + 1]int32
		for _, k := range keys {
			at[(k^flip)>>shift&(1<<digit-1)+1]++
		}
		for d := 1; d < len(at); d++ {
			at[d] += at[d-1]
		}
		for _, i := range order {
			d := (keys[i] ^ flip) >> shift & (1<<digit - 1)
			scratch[at[d]] = i
			at[d]++
		}
		order, scratch = scratch, order
	}
	return order, scratch
}

// steps are those of Shell's sort, as Ciura found them.
var steps = [...]int{701, 301, 132, 57, 23, 10, 4, 1}

// Times sorts numbers in ascending order: few in their place, by insertion over ever shorter steps.
func Times(x []int64) {
	if len(x) < thresholds.DigitsLeast {
		for _, step := range steps {
			for i := step; i < len(x); i++ {
				v, p := x[i], i
				for ; p >= step && x[p-step] > v; p -= step {
					x[p] = x[p-step]
				}
				x[p] = v
			}
		}
		return
	}
	keys := slices.Clone(x)
	for k, i := range Keys(keys) {
		x[k] = keys[i]
	}
}
