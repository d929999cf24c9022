package canonical

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Idea: a buffer b waits if its least offset (with its rank) lies under the canonical bound. It may not be
// placed there any more, so some unplaced neighbour c must first raise it. That neighbour ends under b:
//
//	inf(b) >= min over unplaced neighbours c of inf(c) + distance(c, b)
//
// The neighbours may themselves wait for others. So the bounds are shortest distances, computed as in
// Dijkstra's algorithm. If a waiting buffer has no neighbour that can raise it, the node fails. This is a
// more general form of MiniMalloc's hatless pruning.
//
// Most bounds do not change from node to node. So each waiting buffer keeps a witness c with
//
//	inf(c) + distance(c, b) <= inf(b)
//
// A witness shows that inf(b) cannot be raised. If the witness waits itself, its own witness must confirm it. Bounds
// descend along such a chain, so the chain ends. Only buffers without a good witness are computed; these are called
// open. A stale witness costs time but is never unsound, so backtracking does not restore witnesses.
//
// Complexity: O(list + waiting + open · neighbours + open²).
//
// Source: Stowage. Watching one supporter is what SAT solvers do with clauses.

// lifting is what lift keeps, for the next call or within one.
type lifting struct {
	witness []witness // per buffer; a stale one costs time, never soundness

	open    []common.Buffer // the waiting buffers without a good witness
	openEnd []int64         // the least bound of each that is known so far
	seen    []int64         // per buffer: what confirmed found out, by epoch
	epoch   int64           // grows by two a call
}

func (l *lifting) add(a *arrays) {
	a.numbers.Add(a.n, &l.openEnd, &l.seen)
	a.buffers.Add(a.n, &l.open)
	l.witness = make([]witness, a.n)
}

// reset drops all witnesses.
func (l *lifting) reset() {
	for j := range l.witness {
		l.witness[j].by = common.Nobody
	}
}

// witness is a neighbour of a buffer and the least distance from that neighbour up to the buffer.
type witness struct {
	by       common.Buffer
	distance int64
}

// lift raises the bounds of the waiting buffers. It returns false if one cannot be raised, or only above its
// highest offset.
func (k *Kernel) lift(c component) bool {
	open := k.lifting.open[:0]
	k.lifting.epoch += 2
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := masked(k.waiting.set[w], int(w), int(low), int(high)); rest != 0; rest &= rest - 1 {
			if b := w<<6 + common.Buffer(bits.TrailingZeros64(rest)); !k.confirmed(b) {
				open = append(open, b)
			}
		}
	}
	k.lifting.open = open
	if len(open) == 0 {
		return true
	}
	// ends[i] is the least bound for open[i] that is known so far.
	ends := k.lifting.openEnd[:0]
	for _, b := range open {
		if k.huge && k.late() {
			return true
		}
		ends = append(ends, k.leastEnd(b))
	}
	k.lifting.openEnd = ends
	for rest := len(open); rest > 0; rest-- {
		if k.huge && k.late() {
			return true
		}
		// Fix the open buffer with the least bound.
		pick := 0
		for i := 1; i < rest; i++ {
			if ends[i] < ends[pick] {
				pick = i
			}
		}
		b, to := open[pick], ends[pick]
		if to == math.MaxInt64 {
			return false
		}
		if to > k.inf[b] {
			if !k.tighten(b, to) {
				return false
			}
		}
		open[pick], ends[pick] = open[rest-1], ends[rest-1]
		h := k.inf[b]
		for i := range rest - 1 {
			if d, meet := k.distance(b, open[i]); meet {
				if end := max(k.inf[open[i]], k.alignUp(open[i], h+d)); end < ends[i] {
					ends[i] = end
					k.lifting.witness[open[i]] = witness{b, d}
				}
			}
		}
	}
	return true
}

// confirmed reports whether a chain of witnesses shows that the bound of b cannot be raised. Within one call
// of lift, seen[b] is epoch if it does, and epoch-1 if it does not.
func (k *Kernel) confirmed(b common.Buffer) bool {
	if k.lifting.seen[b] >= k.lifting.epoch-1 {
		return k.lifting.seen[b] == k.lifting.epoch
	}
	k.lifting.seen[b] = k.lifting.epoch - 1
	w := k.lifting.witness[b]
	if w.by == common.Nobody || k.placed(w.by) {
		return false
	}
	// A witness is a neighbour for ever; only its bound may have moved.
	if k.inf[w.by]+w.distance > k.inf[b] || k.waiting.has(w.by) && !k.confirmed(w.by) {
		return false
	}
	k.lifting.seen[b] = k.lifting.epoch
	return true
}

// leastEnd returns the least bound that an unplaced neighbour gives b, and makes that neighbour its witness.
// It leaves out neighbours that are open.
func (k *Kernel) leastEnd(b common.Buffer) int64 {
	least := int64(math.MaxInt64)
	under := func(j common.Buffer, distance int64) {
		if end := k.inf[j] + distance; end < least && k.lifting.seen[j] != k.lifting.epoch-1 {
			least = end
			k.lifting.witness[b] = witness{j, distance}
		}
	}
	if k.Windowed {
		// The distance of two buffers is not the size of the lower one.
		for j := range k.begins[k.of[b].last] {
			if k.late() {
				break // lift looks, too
			}
			if d, meet := k.distance(j, b); meet && j != b && !k.placed(j) {
				under(j, d)
			}
		}
	} else {
		for x := Piece(b); x != none; x = k.next[x] {
			for _, y := range k.nearby(x) {
				under(k.owner[y], k.block[y].size)
			}
		}
	}
	if least == math.MaxInt64 {
		return least
	}
	return max(k.inf[b], k.alignUp(b, least))
}
