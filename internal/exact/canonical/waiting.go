package canonical

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Idea: a buffer waits if it lies under the canonical bound, that is, under the last placement:
//
//	(lb(j), rank(j)) < (off, rank)
//
// A waiting buffer may not be placed at its least offset any more. Candidates, lifting and the memo all ask for this,
// so the waiting buffers are a set that is computed once for each bound. The parts of a split use different bits of it.
//
// Complexity: O(buffers).

// waitingSet has the buffers that wait.
type waitingSet struct {
	set  []uint64 // a bit set; of the components that findWaiting was last called for
	calm bool     // nobody waits after the next placement: the candidate comes before all others of its component
}

func (w *waitingSet) add(a *arrays) { a.words.Add(a.n/64+1, &w.set) }

// has reports whether j waits in the component that findWaiting was last called for.
func (w *waitingSet) has(j common.Buffer) bool { return w.set[j>>6]>>(j&63)&1 != 0 }

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
		others := k.waiting.set[w] &^ masked(^uint64(0), int(w), int(low), int(high))
		k.waiting.set[w] = others | waiting
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
		k.waiting.set[w] &^= masked(^uint64(0), int(w), int(low), int(high))
	}
}

// waits reports whether j lies under the canonical bound of c.
func (k *Kernel) waits(c component, j common.Buffer) bool {
	return k.lb[j] < c.off || k.lb[j] == c.off && k.ranks.of[j] < c.rank
}

// keptWaiting is a copy of the waiting buffers of a component, while its candidates are tried one after the other. Each
// candidate that has failed waits from then on. The copy is on the stack of the search, so it has room for a few words.
// In a larger component nothing is kept, and the waiting buffers are computed anew.
type keptWaiting struct {
	words [8]uint64
	first common.Buffer // the number of the first word in waitingSet
	n     int           // the number of words; 0 if nothing is kept
}

// save copies the waiting buffers of c.
func (w *keptWaiting) save(k *Kernel, c component) {
	low, high := k.buffersOf(c)
	w.first = low >> 6
	if words := k.waiting.set[w.first : (high+63)>>6]; len(words) <= len(w.words) {
		w.n = copy(w.words[:], words)
	}
}

// mark adds a buffer of the component to the copy.
func (w *keptWaiting) mark(j common.Buffer) {
	if w.n > 0 {
		w.words[j>>6-w.first] |= 1 << (j & 63)
	}
}

// restore makes the buffers of the copy those that wait in c, which has the canonical bound of the last one marked or
// a higher one.
func (w *keptWaiting) restore(k *Kernel, c component) {
	if w.n == 0 {
		k.findWaiting(c)
		return
	}
	copy(k.waiting.set[w.first:], w.words[:w.n])
}
