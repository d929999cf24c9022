package verify

import (
	"math"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: nearly every plan that is checked is valid, and to confirm that is faster than to list the overlaps. Go through
// time and keep the pieces in use, ordered by address. As long as they are disjoint, a new piece can meet only two of
// them: the last one that starts at or before it, and the next one above it.
//
// A buffer with thousands of gaps has thousands of pieces. They usually lie at one place, or at one place per window.
// Such a place is a band. Equal places of a buffer that are not adjacent in the order of addresses become separate
// bands, which does no harm. The bands are ranked by address once, so those in use are a set of small integers. The set
// is a bitmap of several levels. A bit of a higher level says whether any of the 64 bits under it is set. The bitmap of
// a million bands fits the cache of a core. A piece that ends is not taken out at once. Its band stores when its use
// ends, and a later piece that finds it there removes it.
//
// Invariant: the bands in the set that are still in use are disjoint.
//
// A buffer without gaps is one piece. If no buffer has gaps, the pieces are not listed: the buffers are read instead.
// For a million buffers that is 48 bytes of each less.
//
// Complexity: O(p) for p pieces, plus a radix sort of their addresses and one of their
// starts. A few pieces are compared pair by pair, which is faster than to sort them.

// band is a range of addresses that a buffer uses once or several times. It has values once it has been in use.
type band struct {
	start, end int64
	until      int64 // end time of the latest piece there
}

// clash is Memory.clash for some pieces.
func clash(pieces []rectangle) (x, y int) { return (&Memory{pieces: pieces}).clash() }

// count returns the number of pieces.
func (m *Memory) count() int { return max(len(m.whole), len(m.pieces)) }

// piece returns piece k.
func (m *Memory) piece(k int32) rectangle {
	if m.whole == nil {
		return m.pieces[k]
	}
	b, at := &m.whole[k], m.at[k]
	return rectangle{b.Lower, b.Upper, at, at + b.Size, int(k)}
}

// byStart returns the pieces in ascending order of their first bytes.
func (m *Memory) byStart() []int32 {
	n := m.count()
	m.orders[0], m.orders[1] = sized(m.orders[0], n), sized(m.orders[1], n)
	if m.whole != nil {
		return sorting.KeysIn(m.at, m.orders[0], m.orders[1])
	}
	m.keys = sized(m.keys, n)
	for k := range m.pieces {
		m.keys[k] = m.pieces[k].start
	}
	return sorting.KeysIn(m.keys, m.orders[0], m.orders[1])
}

// byLower returns the pieces in ascending order of their lower times, or nil if that is their own order. The list of
// byStart is void then.
func (m *Memory) byLower() []int32 {
	if m.ordered {
		return nil
	}
	n := m.count()
	m.keys = sized(m.keys, n)
	for k := range m.keys {
		m.keys[k] = m.piece(int32(k)).lower
	}
	if slices.IsSorted(m.keys) {
		return nil
	}
	return sorting.KeysIn(m.keys, m.orders[0], m.orders[1])
}

// clash returns the indices of two pieces that share an address and a time, or -1, -1 if there are none. It returns
// such a pair whose common time begins earliest. Two pieces of the same buffer count too.
func (m *Memory) clash() (x, y int) {
	n := m.count()
	if n <= fewPieces {
		return clashOfFew(m.pieces)
	}
	m.rank = sized(m.rank, n)
	rank := m.rank
	m.bands = sized(m.bands, m.rankAll())
	// Unless pieces come in their own order, it is random to the cache. Then this loop copies them, and no step of it
	// waits for another.
	coming := m.byLower()
	if coming != nil {
		m.turns = sized(m.turns, n)
		for i, k := range coming {
			m.turns[i] = m.piece(k)
			m.turns[i].buffer = int(rank[k])
		}
	}
	bands, turns := m.bands, m.turns
	m.inUse.reset(len(bands))
	inUse := &m.inUse
	for i := range n {
		var x rectangle
		var r int32
		if coming == nil {
			x, r = m.piece(int32(i)), rank[i]
		} else {
			x = turns[i]
			r = int32(x.buffer)
		}
		// Times are half-open: a piece that ends now is no longer in use.
		with := inUse.before(r)
		for with >= 0 && bands[with].until <= x.lower {
			inUse.remove(with)
			with = inUse.before(with)
		}
		if with < 0 || bands[with].end <= x.start {
			with = inUse.after(r)
			for with >= 0 && bands[with].until <= x.lower {
				inUse.remove(with)
				with = inUse.after(with)
			}
			if with < 0 || bands[with].start >= x.end {
				if !inUse.has(r) || bands[r].until <= x.lower {
					bands[r] = band{start: x.start, end: x.end, until: x.upper}
					inUse.insert(r)
					continue
				}
				with = r
			}
		}
		return m.met(coming, i, with)
	}
	return -1, -1
}

// rankAll sets the band of each piece, and returns how many there are.
func (m *Memory) rankAll() (bands int) {
	order := m.byStart()
	if m.whole != nil {
		for r, k := range order {
			m.rank[k] = int32(r)
		}
		return len(order)
	}
	last := &rectangle{buffer: -1}
	for _, k := range order {
		x := &m.pieces[k]
		if x.buffer != last.buffer || x.start != last.start || x.end != last.end {
			bands++
		}
		m.rank[k], last = int32(bands)-1, x
	}
	return bands
}

// met returns the i-th piece that comes, and the latest one before it in a band.
func (m *Memory) met(coming []int32, i int, band int32) (x, y int) {
	of := func(i int) int {
		if coming == nil {
			return i
		}
		return int(coming[i])
	}
	before := i - 1
	for m.rank[of(before)] != band {
		before--
	}
	return of(i), of(before)
}

// fewPieces is the largest number of pieces that are compared pair by pair.
const fewPieces = 40

func clashOfFew(pieces []rectangle) (first, second int) {
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
type ranks struct {
	levels [][]uint64
	words  []uint64 // of all levels
}

// reset makes it the empty set of numbers below a limit.
func (r *ranks) reset(limit int) {
	words := r.words[:cap(r.words)]
	need := 0
	for level := limit; ; {
		level = max((level+63)/64, 1)
		if need += level; level == 1 {
			break
		}
	}
	r.words = sized(words, need)
	clear(r.words)
	r.levels = r.levels[:0]
	for level, at := limit, 0; at < need; {
		level = max((level+63)/64, 1)
		r.levels = append(r.levels, r.words[at:at+level])
		at += level
	}
}

func (r *ranks) has(k int32) bool { return r.levels[0][k/64]>>(k%64)&1 != 0 }

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

// before returns the greatest number of the set below k, or -1 if there is none.
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

// after returns the least number of the set above k, or -1 if there is none.
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
