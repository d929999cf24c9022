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
// A buffer with thousands of gaps has thousands of pieces and, as a rule, one place for
// all of them, or one for each window: a band. Equal places of a buffer that are not next
// to one another in the order of addresses are bands apart, which is no harm. The bands
// are ranked by address once, so those in use are a set of small numbers: a bit each, and
// above each 64 of them a bit that says whether any is set, and so on. Its levels for a
// million bands fit a core's own cache. A piece that goes is not taken out: a band has the
// time until which it is in use, and leaves the set where a later piece finds it there.
//
// Invariant: the bands in the set that are in use are disjoint.
//
// Complexity: O(p) for p pieces, and a radix sort of their addresses and of their starts.
// A few are compared two by two, which takes less than to sort them.

// band is a place that a buffer has again and again.
type band struct {
	start, end int64
	until      int64 // when the piece that was there last goes
	latest     int64 // that piece
}

// clash looks for two pieces that share an address and a time, and returns them, -1 for none:
// of all pairs one that meets earliest. Pieces of one buffer count as any others.
func clash(pieces []piece) (x, y int) {
	n := len(pieces)
	if n <= fewPieces {
		return clashOfFew(pieces)
	}
	// The last buffer tells how many there are: each has a band or more.
	bands, rank := make([]band, 0, pieces[n-1].buffer+1), make([]int32, n)
	last := &piece{buffer: -1}
	for _, k := range inOrder(pieces, func(x *piece) int64 { return x.start }) {
		x := &pieces[k]
		if x.buffer != last.buffer || x.start != last.start || x.end != last.end {
			bands = append(bands, band{start: x.start, end: x.end, until: math.MinInt64})
		}
		rank[k], last = int32(len(bands))-1, x
	}
	coming := inOrder(pieces, func(x *piece) int64 { return x.lower })
	// Pieces come in an order that is a random one to the cache, so what is needed of them
	// is fetched in a loop that waits for none of it.
	type turn struct{ comes, goes, rank int64 }
	turns := make([]turn, n)
	for i, k := range coming {
		turns[i] = turn{pieces[k].lower, pieces[k].upper, int64(rank[k])}
	}
	inUse := newRanks(len(bands))
	for i := range turns {
		t, r := &turns[i], int32(turns[i].rank)
		own := &bands[r]
		// Times are half-open: what ends now has gone.
		with := inUse.before(r)
		for with >= 0 && bands[with].until <= t.comes {
			inUse.remove(with)
			with = inUse.before(with)
		}
		if with < 0 || bands[with].end <= own.start {
			with = inUse.after(r)
			for with >= 0 && bands[with].until <= t.comes {
				inUse.remove(with)
				with = inUse.after(with)
			}
			if with < 0 || bands[with].start >= own.end {
				if own.until <= t.comes {
					own.until, own.latest = t.goes, int64(coming[i])
					inUse.insert(r)
					continue
				}
				with = r
			}
		}
		return int(coming[i]), int(bands[with].latest)
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
