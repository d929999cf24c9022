package engine

import "math/bits"

// Idea: who lies under the canonical bound may not be placed at its least offset
// any more. Candidates, lifting and the memo all ask for that, so it is a set,
// found once for each bound. Parts of a split have their own bits of it.
//
// Complexity: O(buffers).

// findWaiting sets which buffers of c wait: those that lie under the canonical
// bound.
func (k *kernel) findWaiting(c component) {
	if !k.sw.canonical {
		return // nobody
	}
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		var waiting uint64
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			if k.waits(c, w<<6+Buffer(bits.TrailingZeros64(rest))) {
				waiting |= rest & -rest
			}
		}
		others := k.waiting[w] &^ masked(^uint64(0), int(w), int(low), int(high))
		k.waiting[w] = others | waiting
	}
}

// whoWaits is findWaiting, without a look at them where nobody can.
func (k *kernel) whoWaits(c component, calm bool) {
	if !calm {
		k.findWaiting(c)
		return
	}
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		k.waiting[w] &^= masked(^uint64(0), int(w), int(low), int(high))
	}
}

// waits reports whether j lies under the canonical bound of c.
func (k *kernel) waits(c component, j Buffer) bool {
	return k.lb[j] < c.off || k.lb[j] == c.off && k.rank[j] < c.rank
}

// isWaiting is waits for a component that findWaiting was called with.
func (k *kernel) isWaiting(j Buffer) bool { return k.waiting[j>>6]>>(j&63)&1 != 0 }
