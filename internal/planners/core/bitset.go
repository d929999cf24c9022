package core

import "math/bits"

// bitset is a set of numbers. A loop over it takes a step for each 32 numbers and each member.
type bitset []uint32

func newBits(n int32) bitset { return make(bitset, n/32+1) }

func (b bitset) set(i int32) { b[i>>5] |= 1 << (i & 31) }

func (b bitset) clear(i int32) { b[i>>5] &^= 1 << (i & 31) }

// from returns the first member of [low, high), or high.
func (b bitset) from(low, high int32) int32 {
	if low >= high {
		return high
	}
	w := low >> 5
	x := b[w] & (^uint32(0) << (low & 31))
	for x == 0 {
		if w++; w<<5 >= high {
			return high
		}
		x = b[w]
	}
	return min(w<<5+int32(bits.TrailingZeros32(x)), high)
}

// before returns the last member of [low, high), or low - 1.
func (b bitset) before(high, low int32) int32 {
	if high <= low {
		return low - 1
	}
	w := (high - 1) >> 5
	x := b[w] & (^uint32(0) >> (31 - (high-1)&31))
	for x == 0 {
		if w<<5 <= low {
			return low - 1
		}
		w--
		x = b[w]
	}
	return max(w<<5+31-int32(bits.LeadingZeros32(x)), low-1)
}
