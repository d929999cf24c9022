package canonical

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// This file has what is unplaced: a bit set of buffers, and sums over it by section. Buffers are numbered in the
// order of their starts, so the buffers of a component are a range of the set.
//
// Invariant: total, live and cuts count exactly the pieces and buffers in the set.

// remaining is what is unplaced. Only place.go changes it during a search.
type remaining struct {
	unplaced []uint64        // a bit set of buffers
	total    []int64         // per section: the space of its unplaced pieces, and its allowance (effective.go)
	live     []int32         // per section: the number of its unplaced pieces
	cuts     []int32         // per section s: the unplaced buffers that cross from s to s+1
	list     []common.Buffer // the result of listOf
}

func (r *remaining) add(a *arrays) {
	a.words.Add(a.n/64+1, &r.unplaced)
	a.numbers.Add(a.m+1, &r.total)
	a.counts.Add(a.m+1, &r.live)
	a.counts.Add(a.m, &r.cuts)
	a.buffers.Add(a.n, &r.list)
}

// resetRemaining makes all buffers unplaced. Sums are taken from where pieces and buffers begin and end.
func (k *Kernel) resetRemaining() {
	clear(k.unplaced)
	clear(k.total)
	clear(k.live)
	clear(k.cuts)
	for x := range k.span {
		s, size := &k.span[x], k.block[x].size
		k.total[s.first] += size
		k.total[s.last] -= size
		k.live[s.first]++
		k.live[s.last]--
	}
	for j := range k.of {
		b := &k.of[j]
		k.unplaced[j>>6] |= 1 << (j & 63)
		k.cuts[b.first]++
		k.cuts[b.last-1]--
	}
	for s := Section(1); s < k.m; s++ {
		k.total[s] += k.total[s-1]
		k.live[s] += k.live[s-1]
		k.cuts[s] += k.cuts[s-1]
	}
}

// placed reports whether buffer j is.
func (k *Kernel) placed(j common.Buffer) bool { return k.unplaced[j>>6]>>(j&63)&1 == 0 }

// buffersOf returns the range [low, high) of numbers that has the buffers of c. Every unplaced buffer of this range is
// a buffer of c.
func (k *Kernel) buffersOf(c component) (low, high common.Buffer) {
	return k.begins[c.first], k.begins[c.last]
}

// wordOf returns word w of the set of unplaced buffers, without the buffers outside [low, high).
func (k *Kernel) wordOf(w, low, high common.Buffer) uint64 {
	return masked(k.unplaced[w], int(w), int(low), int(high))
}

// masked returns word w of a bit set without what is outside [low, high).
func masked(word uint64, w, low, high int) uint64 {
	if at := low - w<<6; at > 0 {
		word &= math.MaxUint64 << uint(at)
	}
	if at := high - w<<6; at < 64 {
		word &= 1<<uint(at) - 1
	}
	return word
}

// any reports whether c has any buffer.
func (k *Kernel) any(c component) bool {
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		if k.wordOf(w, low, high) != 0 {
			return true
		}
	}
	return false
}

// listOf returns the buffers of c in ascending order. The result holds until the next call.
func (k *Kernel) listOf(c component) []common.Buffer {
	list := k.list[:0]
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			list = append(list, w<<6+common.Buffer(bits.TrailingZeros64(rest)))
		}
	}
	k.list = list
	return list
}
