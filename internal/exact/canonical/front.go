package canonical

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Idea: a failed state rules out every state of the same set of unplaced buffers that is no better:
//
//	lb'(j) >= lb(j) for each unplaced j, and capacity' <= capacity
//
// The second state is the primed one. A completion of it would also complete the first one. So for each set of unplaced
// buffers the least offsets of failed states are kept as vectors. A vector that another one makes
// superfluous is dropped. A placement is looked up before it is applied. It is looked up again with
// its inferred bounds, because every completion keeps these.
//
// The memo of equal states (memo.go) finds next to nothing if alignments do not divide each other, because tops then
// differ by a few bytes. Fronts turn the search into a dynamic program over sets of buffers.
//
// Claim: if a state fails, it has no completion at all, canonical or not, in which each unplaced buffer is at its
// least offset or above. The proof is an induction over the search. It also shows that in no completion of a node
// does a waiting buffer lie at its least offset. Take a completion with the least sum of offsets. Its lowest buffer
// (by rank among equals) rests on placed buffers, so it lies at its least offset. So it does not wait, and it is a
// candidate. The search below this candidate fails only if no completion exists. The candidates before it have failed
// earlier. So no completion has one of them at its least offset, and from here on these buffers wait. The proof needs
// candidates to be tried in ascending order of their least offsets. It does not use ranks. So all orders share their
// refuted states, and a capacity uses the states that failed at higher ones.
//
// Complexity: a look-up takes O(buffers) for each vector that it compares, at most FrontMost. Memory
// is bounded (front.go of package common).
//
// Source: dominance in dynamic programs (Held and Karp 1962). Its use here is Stowage's.

// frontBuffers is the size of the largest partition for which vectors are kept: a set of buffers is one word.
const frontBuffers = 64

// Dominates reports whether the search keeps fronts.
func (k *Kernel) Dominates() bool {
	return k.n <= frontBuffers && k.sw.Fronts && k.sw.Canonical && k.sw.DynamicOrdering
}

// setOf returns the unplaced buffers of c.
func (k *Kernel) setOf(c component) uint64 {
	low, high := k.buffersOf(c)
	return k.wordOf(0, low, high)
}

// beaten reports whether a stored vector shows that a set of unplaced buffers has no completion. If
// i is not nobody, the state is the one after buffer i is placed at its least offset.
func (k *Kernel) beaten(set uint64, i common.Buffer) bool {
	f := &k.front
	if f.Used == 0 {
		return false
	}
	at := f.Heads[f.Slot(set)]
	for tries := 0; at != 0 && tries < common.FrontMost; tries++ {
		v := f.Cells[at+1:]
		if v[0] >= k.capacity {
			x, rest := 1, set
			for ; rest != 0; rest &= rest - 1 {
				if j := common.Buffer(bits.TrailingZeros64(rest)); k.inf[j] < v[x] && (i == common.Nobody || k.above(i, j) < v[x]) {
					break
				}
				x++
			}
			if rest == 0 {
				return true
			}
		}
		at = int32(f.Cells[at])
	}
	return false
}

// above returns the least offset that j can have on top of i, if i is placed at its least offset. If
// the two do not meet, it returns k.lb[j].
func (k *Kernel) above(i, j common.Buffer) int64 {
	d, meet := k.distance(i, j)
	if !meet {
		return k.lb[j]
	}
	return k.alignUp(j, k.lb[i]+d)
}

// beat records that a set of unplaced buffers has no completion.
func (k *Kernel) beat(set uint64) {
	f := &k.front
	at, old := f.Open(set, k.capacity)
	for rest := set; rest != 0; rest &= rest - 1 {
		f.Cells = append(f.Cells, k.lb[bits.TrailingZeros64(rest)])
	}
	// Drop the vectors that this one makes superfluous.
	mine := f.Cells[at+1:]
	for before := at; old != 0; old = int(f.Cells[old]) {
		theirs := f.Cells[old+1:]
		beaten := theirs[0] <= mine[0]
		for x := 1; beaten && x < len(mine); x++ {
			beaten = mine[x] <= theirs[x]
		}
		if beaten {
			f.Cells[before] = f.Cells[old]
		} else {
			before = old
		}
	}
}
