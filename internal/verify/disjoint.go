package verify

import (
	"math"
	"math/bits"
)

// Idea: nearly every plan that is checked is valid, and that it is can be seen
// faster than where it is not. Go through time and keep the pieces that are in
// use, by address. As long as they are disjoint, a piece that comes can only
// meet the one that starts last at or before it, or the one that starts next.
//
// The pieces are ranked by address once, so the ones in use are a set of small
// numbers: a bit each, and above each 64 of them a bit that says whether any is
// set, and so on. Its levels for a million pieces fit a core's own cache.
//
// Invariant: the pieces in the set are disjoint.
//
// Complexity: O(p) for p pieces, and a radix sort of each of their addresses,
// starts and ends. A few are compared two by two, which takes less than to sort them.

// clash looks for two pieces that share an address and a time, and returns them, -1 for none:
// of all pairs one that meets earliest. Pieces of one buffer count as any others.
func clash(pieces []piece) (x, y int) {
	n := len(pieces)
	if n <= fewPieces {
		return clashOfFew(pieces)
	}
	byStart, _ := inOrder(pieces, func(x *piece) int64 { return x.start })
	rank := make([]int32, n)
	bytes := make([][2]int64, n) // start and end, by rank
	for r, k := range byStart {
		rank[k] = int32(r)
		bytes[r] = [2]int64{pieces[k].start, pieces[k].end}
	}
	coming, lower := inOrder(pieces, func(x *piece) int64 { return x.lower })
	going, upper := inOrder(pieces, func(x *piece) int64 { return x.upper })
	// Pieces come and go in an order that is a random one to the cache, so what is
	// needed of them is fetched in a loop that waits for none of it.
	type turn struct {
		comes, goes  uint64 // when
		coming, gone int32  // who, by rank
	}
	turns := make([]turn, n)
	for i, k := range coming {
		j := going[i]
		turns[i] = turn{lower[k], upper[j], rank[k], rank[j]}
	}

	inUse := newRanks(n)
	gone := 0
	for i := range turns {
		// Times are half-open: what ends now goes first. No piece is empty, so
		// each has come before it goes.
		for ; turns[gone].goes <= turns[i].comes; gone++ {
			inUse.remove(turns[gone].gone)
		}
		r := turns[i].coming
		with := inUse.before(r)
		if with < 0 || bytes[with][1] <= bytes[r][0] {
			with = inUse.after(r)
			if with < 0 || bytes[with][0] >= bytes[r][1] {
				inUse.insert(r)
				continue
			}
		}
		return int(byStart[r]), int(byStart[with])
	}
	return -1, -1
}

// fewPieces is the number of pieces up to which they are compared two by two.
const fewPieces = 40

func clashOfFew(pieces []piece) (first, second int) {
	first, second = -1, -1
	earliest := int64(math.MaxInt64)
	for k := range pieces {
		x := &pieces[k]
		for j := range pieces[:k] {
			y := &pieces[j]
			if x.start < y.end && y.start < x.end && x.lower < y.upper && y.lower < x.upper && max(x.lower, y.lower) < earliest {
				first, second, earliest = k, j, max(x.lower, y.lower)
			}
		}
	}
	return first, second
}

// ranks is a set of numbers from 0 up to a limit: levels[0] has a bit for each
// number, and levels[l+1] one for each word of levels[l] that is not 0.
type ranks struct{ levels [][]uint64 }

func newRanks(limit int) ranks {
	var r ranks
	for words := limit; ; {
		words = (words + 63) / 64
		r.levels = append(r.levels, make([]uint64, max(words, 1)))
		if words <= 1 {
			return r
		}
	}
}

func (r *ranks) insert(k int32) {
	for _, level := range r.levels {
		level[k/64] |= 1 << (k % 64)
		k /= 64
	}
}

func (r *ranks) remove(k int32) {
	for _, level := range r.levels {
		if level[k/64] &^= 1 << (k % 64); level[k/64] != 0 {
			return
		}
		k /= 64
	}
}

// before returns the greatest number in the set under k, -1 where there is
// none.
func (r *ranks) before(k int32) int32 {
	for l, level := range r.levels {
		if word := level[k/64] & (1<<(k%64) - 1); word != 0 {
			k = k&^63 + int32(bits.Len64(word)) - 1
			for l--; l >= 0; l-- {
				k = k*64 + int32(bits.Len64(r.levels[l][k])) - 1
			}
			return k
		}
		k /= 64
	}
	return -1
}

// after returns the least number in the set over k, -1 where there is none.
func (r *ranks) after(k int32) int32 {
	for l, level := range r.levels {
		if word := level[k/64] &^ (2<<(k%64) - 1); word != 0 {
			k = k&^63 + int32(bits.TrailingZeros64(word))
			for l--; l >= 0; l-- {
				k = k*64 + int32(bits.TrailingZeros64(r.levels[l][k]))
			}
			return k
		}
		k /= 64
	}
	return -1
}
