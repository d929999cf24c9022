package exact

import "math/bits"

// Idea: a state that has failed rules out every state of the same unplaced buffers
// that is no better: whose least offsets are all as high or higher, at a capacity
// that is no larger. What completes the latter completes the former. So of each set
// of unplaced buffers the failed states are kept as vectors of least offsets, those
// aside that another makes superfluous. A placement is looked up before it is
// applied, and again by its inferred bounds, which every completion keeps. Where
// alignments do not divide each other the memo of equal states (memo.go) finds next
// to nothing, for tops differ by a few bytes; this makes a dynamic program over sets
// of buffers of the search.
//
// Why a failure says that there is no completion at all, canonical or not, in which
// each unplaced buffer is at its least offset or above: by induction over the
// search, no completion of a node has a buffer that waits at its least offset. Take a
// completion with the least sum of offsets. Its lowest buffer, by rank among equals,
// is at its least offset, for it rests on what is placed; so it does not wait, it
// is a candidate, and the search below it fails only if there is no completion.
// Before that its elder siblings have failed, and so no completion has one of those,
// which wait from here on, where it was. This takes candidates that are tried in
// ascending order. Ranks play no part, so the orders share what they have refuted,
// and capacities what they have at higher ones.
//
// Complexity: a look is O(buffers) for each vector that is compared, up to
// frontMost; memory is frontCells words, and all is forgotten where they are full.
// Source: dominance in dynamic programs (Held and Karp 1962); its use here is
// Stowage's.

const (
	// frontBuffers is the largest partition for which vectors are kept: sets are
	// words.
	frontBuffers = 64
	frontMost    = 64      // vectors compared
	frontCells   = 1 << 21 // 16 MiB
)

// front has the vectors of all sets, one after the other: the place of the next one
// of the same set, the capacity, the least offsets. Place 0 is none.
type front struct {
	sets  []uint64 // a table with open addresses; 0 is empty
	heads []int32  // of each the place of the first vector
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

// beaten reports whether a vector shows that a set of unplaced buffers has no
// completion: after buffer i is placed at its least offset, where there is one.
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

// above returns the least offset of j that i leaves at its own; any number that is
// too low where they do not meet.
func (k *kernel) above(i, j Buffer) int64 {
	d, meet := k.distance(i, j)
	if !meet {
		return k.lb[j]
	}
	return k.alignUp(j, k.lb[i]+d)
}

// open begins a vector of a set, and returns its place and that of the one before.
//
//go:noinline
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
	// Leave out what this one rules out as well.
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

// grow makes the table larger, or forgets all where the vectors are too many.
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
