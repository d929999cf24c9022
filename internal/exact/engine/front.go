package engine

import "math/bits"

// Idea: a failed state rules out every state of the same set of unplaced buffers that is no better:
//
//	lb'(j) >= lb(j) for each unplaced j, and capacity' <= capacity
//
// The second state is the primed one. A completion of it would also complete the first one. So for each set of unplaced
// buffers the least offsets of failed states are kept as vectors. A vector that another one makes
// superfluous is dropped. A placement is looked up before it is applied. It is looked up again with
// its inferred bounds, because every completion keeps these.
//
// The memo of equal states (memo.go) finds next to nothing if alignments do not divide each other,
// because tops then differ by a few bytes. Fronts turn the search into a dynamic program over sets
// of buffers.
//
// Claim: if a state fails, it has no completion at all, canonical or not, in which each unplaced
// buffer is at its least offset or above. The proof is an induction over the search. It also shows
// that in no completion of a node does a waiting buffer lie at its least offset. Take a completion
// with the least sum of offsets. Its lowest buffer (by rank among equals) rests on placed buffers,
// so it lies at its least offset. So it does not wait, and it is a candidate. The search below this
// candidate fails only if no completion exists. The candidates before it have failed earlier. So no
// completion has one of them at its least offset, and from here on these buffers wait. The proof
// needs candidates to be tried in ascending order of their least offsets. It does not use ranks. So
// all orders share what they have refuted, and a capacity uses what failed at higher ones.
//
// Complexity: a look-up takes O(buffers) for each vector that it compares, at most frontMost. Memory
// is frontCells words. If they are full, everything is forgotten.
//
// Source: dominance in dynamic programs (Held and Karp 1962). Its use here is Stowage's.

const (
	// frontBuffers is the size of the largest partition for which vectors are kept: a set of buffers
	// is one word.
	frontBuffers = 64
	frontMost    = 64      // vectors compared
	frontCells   = 1 << 21 // 16 MiB
)

// front holds the vectors of all sets, one after the other. A vector has the place of the next
// vector of the same set, the capacity, and the least offsets. Place 0 means that there is none.
type front struct {
	sets  []uint64 // a table with open addresses; 0 is empty
	heads []int32  // per set: the place of its first vector
	used  int
	cells []int64
}

// dominates reports whether the search keeps fronts.
func (k *kernel) dominates() bool {
	return k.n <= frontBuffers && k.sw.fronts && k.sw.canonical && k.sw.dynamicOrdering
}

// slot returns where a set is in the table, or would be.
func (f *front) slot(set uint64) int {
	last := len(f.sets) - 1
	at := int(mix(set, 0x9e3779b97f4a7c15)) & last
	for f.sets[at] != 0 && f.sets[at] != set {
		at = (at + 1) & last
	}
	return at
}

// setOf returns the unplaced buffers of c.
func (k *kernel) setOf(c component) uint64 {
	low, high := k.buffersOf(c)
	return k.wordOf(0, low, high)
}

// beaten reports whether a stored vector shows that a set of unplaced buffers has no completion. If
// i is not nobody, the state is the one after buffer i is placed at its least offset.
func (k *kernel) beaten(set uint64, i Buffer) bool {
	f := &k.front
	if f.used == 0 {
		return false
	}
	at := f.heads[f.slot(set)]
	for tries := 0; at != 0 && tries < frontMost; tries++ {
		v := f.cells[at+1:]
		if v[0] >= k.capacity {
			x, rest := 1, set
			for ; rest != 0; rest &= rest - 1 {
				if j := Buffer(bits.TrailingZeros64(rest)); k.inf[j] < v[x] && (i == nobody || k.above(i, j) < v[x]) {
					break
				}
				x++
			}
			if rest == 0 {
				return true
			}
		}
		at = int32(f.cells[at])
	}
	return false
}

// above returns the least offset that j can have on top of i, if i is placed at its least offset. If
// the two do not meet, it returns k.lb[j].
func (k *kernel) above(i, j Buffer) int64 {
	d, meet := k.distance(i, j)
	if !meet {
		return k.lb[j]
	}
	return k.alignUp(j, k.lb[i]+d)
}

// open begins a vector of a set. It returns the place of this vector and that of the one before.
func (f *front) open(set uint64, capacity int64) (at, old int) {
	if 2*f.used >= len(f.sets) || len(f.cells) > frontCells {
		f.grow()
	}
	slot := f.slot(set)
	if f.sets[slot] == 0 {
		f.sets[slot] = set
		f.used++
	}
	at, old = len(f.cells), int(f.heads[slot])
	f.heads[slot] = int32(at)
	f.cells = append(f.cells, int64(old), capacity)
	return at, old
}

// beat records that a set of unplaced buffers has no completion.
func (k *kernel) beat(set uint64) {
	f := &k.front
	at, old := f.open(set, k.capacity)
	for rest := set; rest != 0; rest &= rest - 1 {
		f.cells = append(f.cells, k.lb[bits.TrailingZeros64(rest)])
	}
	// Drop the vectors that this one makes superfluous.
	mine := f.cells[at+1:]
	for before := at; old != 0; old = int(f.cells[old]) {
		theirs := f.cells[old+1:]
		beaten := theirs[0] <= mine[0]
		for x := 1; beaten && x < len(mine); x++ {
			beaten = mine[x] <= theirs[x]
		}
		if beaten {
			f.cells[before] = f.cells[old]
		} else {
			before = old
		}
	}
}

// grow doubles the table of sets. If the vectors are too many, it forgets everything instead.
func (f *front) grow() {
	sets, heads := f.sets, f.heads
	if len(f.cells) > frontCells {
		clear(sets)
		clear(heads)
		f.cells, f.used = f.cells[:1], 0
		return
	}
	if f.cells == nil {
		f.cells = make([]int64, 1, 1<<10)
	}
	f.sets, f.heads = make([]uint64, max(64, 2*len(sets))), make([]int32, max(64, 2*len(sets)))
	for at, set := range sets {
		if set != 0 {
			slot := f.slot(set)
			f.sets[slot], f.heads[slot] = set, heads[at]
		}
	}
}
