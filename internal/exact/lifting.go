package exact

import (
	"math"
	"math/bits"
)

// Idea: an unplaced buffer b whose least offset (with its rank) lies under the
// canonical bound may not be placed there any more. It is placed at its least
// offset at that time, so something unplaced must first raise it: some unplaced
// neighbour c ends under b, and b starts no lower than the least bound + size
// of its neighbours. Neighbours may themselves be waiting to be raised, so the
// bounds are shortest distances, as Dijkstra computes them. A waiting buffer
// without a raiser fails the node, which is the hatless pruning of MiniMalloc
// in a more general form.
//
// Most bounds do not change from node to node. Each waiting buffer keeps a
// witness: a neighbour that ends at or under its bound, which is then as high
// as it can be made. A witness that waits itself must be confirmed by its own;
// bounds descend along such a chain, so it ends. Only buffers without a good
// witness are computed. A stale witness costs time, never soundness, so
// witnesses are not restored on backtracking.
//
// Complexity: O(list + waiting + open · neighbours + open²), where open counts
// the buffers without a witness.
// Source: Stowage. Watching one supporter is what SAT solvers do with clauses.

// witness is a neighbour of a buffer, and the distance from it up to the buffer.
type witness struct {
	by       Buffer
	distance int64
}

// lift raises the bounds of the waiting buffers. It returns false where one
// cannot be raised, or only out of reach.
func (k *kernel) lift(c component) bool {
	open := k.open[:0]
	k.epoch += 2
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := masked(k.waiting[w], int(w), int(low), int(high)); rest != 0; rest &= rest - 1 {
			if b := w<<6 + Buffer(bits.TrailingZeros64(rest)); !k.confirmed(b) {
				open = append(open, b)
			}
		}
	}
	k.open = open
	if len(open) == 0 {
		return true
	}
	// ends[i] is the least end under open[i] that is known so far.
	ends := k.openEnd[:0]
	for _, b := range open {
		if k.huge && k.late() {
			return true
		}
		ends = append(ends, k.leastEnd(b))
	}
	k.openEnd = ends
	for rest := len(open); rest > 0; rest-- {
		if k.huge && k.late() {
			return true
		}
		// Settle the open buffer with the least bound.
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
					k.witness[open[i]] = witness{b, d}
				}
			}
		}
	}
	return true
}

// confirmed reports whether a chain of witnesses shows that the bound of b
// cannot be raised. seen[b] is epoch where it does and epoch-1 where it does
// not, both in this call of lift only.
func (k *kernel) confirmed(b Buffer) bool {
	if k.seen[b] >= k.epoch-1 {
		return k.seen[b] == k.epoch
	}
	k.seen[b] = k.epoch - 1
	w := k.witness[b]
	if w.by == nobody || k.placed(w.by) {
		return false
	}
	// A witness is a neighbour for ever; only its bound may have moved.
	if k.inf[w.by]+w.distance > k.inf[b] || k.isWaiting(w.by) && !k.confirmed(w.by) {
		return false
	}
	k.seen[b] = k.epoch
	return true
}

// leastEnd returns the least bound of b that a neighbour would raise it to,
// open neighbours aside, and makes that one its witness.
func (k *kernel) leastEnd(b Buffer) int64 {
	least := int64(math.MaxInt64)
	under := func(j Buffer, distance int64) {
		if end := k.inf[j] + distance; end < least && k.seen[j] != k.epoch-1 {
			least = end
			k.witness[b] = witness{j, distance}
		}
	}
	if k.windowed {
		// Pieces are not apart by the same everywhere.
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
