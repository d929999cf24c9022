package canonical

import "math"

// Idea: an unplaced buffer b whose least offset (with its rank) lies under the
// canonical bound may not be placed there any more. It is placed at its least
// offset at that time, so something unplaced must first raise it: some unplaced
// neighbour c ends under b, and b starts no lower than the least bound + size
// of its neighbours. Neighbours may themselves be waiting to be raised, so the
// bounds are shortest distances, as Dijkstra computes them. A waiting buffer
// without a raiser fails the node, which is the hatless pruning of MiniMalloc
// in a more general form.
//
// Invariant: a raised buffer's bound is at least lb of every raiser that is not
// waiting, so it exceeds the canonical bound.
//
// Complexity: O(waiting · list + waiting²). Waiting buffers lead the list.
// Source: Stowage.

// lift raises the bounds of the waiting buffers and reports whether any
// changed; ok is false where one cannot be raised, or only out of reach.
func (k *kernel) lift(c component) (changed, ok bool) {
	waiting, keys := k.block[:0], k.blockLo[:0]
	for _, j := range c.list {
		if k.waits(c, j) {
			waiting = append(waiting, j)
		} else if k.sw.dynamicOrdering {
			break
		}
	}
	if len(waiting) == 0 {
		return false, true
	}
	// keys[i] is the least end under waiting[i] that is known so far.
	for _, b := range waiting {
		keys = append(keys, k.leastEndUnder(c, b))
	}
	k.block, k.blockLo = waiting, keys
	for rest := len(waiting); rest > 0; rest-- {
		// Settle the waiting buffer with the least bound.
		pick := 0
		for i := 1; i < rest; i++ {
			if keys[i] < keys[pick] {
				pick = i
			}
		}
		b, to := waiting[pick], keys[pick]
		if to == math.MaxInt64 {
			return true, false
		}
		if to > k.inf[b] {
			if !k.tighten(b, to) {
				return true, false
			}
			changed = true
		}
		waiting[pick], keys[pick] = waiting[rest-1], keys[rest-1]
		h := k.inf[b]
		for i := range rest - 1 {
			if d, meet := k.above(b, waiting[i]); meet {
				keys[i] = min(keys[i], max(k.inf[waiting[i]], k.alignUp(waiting[i], h+d)))
			}
		}
	}
	return changed, true
}

// waits reports whether j lies under the canonical bound.
func (k *kernel) waits(c component, j int32) bool {
	return k.lb[j] < c.off || k.lb[j] == c.off && k.rank[j] < c.rank
}

// leastEndUnder returns the least bound of b that one of its neighbours that
// does not wait would raise it to.
func (k *kernel) leastEndUnder(c component, b int32) int64 {
	least := int64(math.MaxInt64)
	if k.plain {
		first, last := k.first[b], k.last[b]
		for _, j := range c.list {
			if k.first[j] < last && first < k.last[j] && j != b && !k.waits(c, j) {
				least = min(least, k.inf[j]+k.size[j])
			}
		}
	} else {
		for _, j := range c.list {
			if d, meet := k.above(j, b); meet && !k.waits(c, j) {
				least = min(least, k.inf[j]+d)
			}
		}
	}
	if least == math.MaxInt64 {
		return least
	}
	return max(k.inf[b], k.alignUp(b, least))
}
