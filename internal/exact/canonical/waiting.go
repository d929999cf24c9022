package canonical

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Idea: a buffer waits if it lies under the canonical bound, that is, under the last placement:
//
//	(lb(j), rank(j)) < (off, rank)
//
// A waiting buffer may not be placed at its least offset any more. Candidates, lifting and the memo all ask
// for this, so the waiting buffers are a set that is computed once for each bound. The parts of a split use
// different bits of it.
//
// Complexity: O(buffers).

// findWaiting computes which buffers of c wait.
func (k *Kernel) findWaiting(c component) {
	if !k.sw.Canonical {
		return // nobody
	}
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		var waiting uint64
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			if k.waits(c, w<<6+common.Buffer(bits.TrailingZeros64(rest))) {
				waiting |= rest & -rest
			}
		}
		others := k.waiting[w] &^ masked(^uint64(0), int(w), int(low), int(high))
		k.waiting[w] = others | waiting
	}
}

// whoWaits is findWaiting, but it looks at no buffer if calm says that none can wait.
func (k *Kernel) whoWaits(c component, calm bool) {
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
func (k *Kernel) waits(c component, j common.Buffer) bool {
	return k.lb[j] < c.off || k.lb[j] == c.off && k.rank[j] < c.rank
}

// isWaiting is waits for the component that findWaiting was last called with.
func (k *Kernel) isWaiting(j common.Buffer) bool { return k.waiting[j>>6]>>(j&63)&1 != 0 }
