package common

import "math/bits"

// Idea: a set of unplaced buffers that has failed is kept with the least offsets (or levels) that it
// had. The searches say what follows from that (canonical/front.go and ladder/ascend.go).
//
// Complexity: memory is frontCells words. If they are full, everything is forgotten.

const (
	// FrontMost is how many vectors of a set a search compares at most.
	FrontMost  = 64
	frontCells = 1 << 21 // 16 MiB
)

// Front holds the vectors of all sets, one after the other. A vector has the place of the next
// vector of the same set, the capacity, and the least offsets. Place 0 means that there is none.
type Front struct {
	sets  []uint64 // a table with open addresses; 0 is empty
	Heads []int32  // per slot: the place of the first vector of its set
	Used  int      // sets
	Cells []int64
}

// Slot returns where a set is in the table, or would be.
func (f *Front) Slot(set uint64) int {
	last := len(f.sets) - 1
	at := int(Mix(set, 0x9e3779b97f4a7c15)) & last
	for f.sets[at] != 0 && f.sets[at] != set {
		at = (at + 1) & last
	}
	return at
}

// Open begins a vector of a set. It returns the place of this vector and that of the one before.
func (f *Front) Open(set uint64, capacity int64) (at, old int) {
	if 2*f.Used >= len(f.sets) || len(f.Cells) > frontCells {
		f.grow()
	}
	slot := f.Slot(set)
	if f.sets[slot] == 0 {
		f.sets[slot] = set
		f.Used++
	}
	at, old = len(f.Cells), int(f.Heads[slot])
	f.Heads[slot] = int32(at)
	f.Cells = append(f.Cells, int64(old), capacity)
	return at, old
}

// grow doubles the table of sets. If the vectors are too many, it forgets everything instead.
func (f *Front) grow() {
	sets, heads := f.sets, f.Heads
	if len(f.Cells) > frontCells {
		clear(sets)
		clear(heads)
		f.Cells, f.Used = f.Cells[:1], 0
		return
	}
	if f.Cells == nil {
		f.Cells = make([]int64, 1, 1<<10)
	}
	f.sets, f.Heads = make([]uint64, max(64, 2*len(sets))), make([]int32, max(64, 2*len(sets)))
	for at, set := range sets {
		if set != 0 {
			slot := f.Slot(set)
			f.sets[slot], f.Heads[slot] = set, heads[at]
		}
	}
}

// Mix multiplies and folds, as wyhash does.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
