package place

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: the free blocks of an address space, in a treap by address whose nodes
// know the largest block below them. So the lowest block of at least some size,
// the highest, and the neighbours of a block that is given back are each one
// walk from the root.
//
// Invariant: blocks are disjoint and never touch; a node's priority is at least
// its children's, and its largest is the maximum of its subtree.
//
// Complexity: O(log f) expected a step for f free blocks; nodes are reused, so
// memory is that of the most blocks at any time.
//
// Tried and dropped: bins by size, as malloc has them, which take half the time
// but know nothing of addresses: two-ended placement needs the extremes.

// A block is free; children are indices into FreeList.blocks, 0 for none.
type block struct {
	from, size, largest int64
	left, right         int32
	priority            uint32
}

// A FreeList is a set of free blocks. blocks[0] stands for none.
type FreeList struct {
	blocks []block
	root   int32
	spare  []int32 // nodes to reuse
	state  uint32  // of the generator of priorities
}

// Reset leaves one free block.
func (f *FreeList) Reset(from, size int64) {
	f.blocks = append(f.blocks[:0], block{})
	f.spare = f.spare[:0]
	f.state = 2463534242
	f.root = f.node(from, size)
}

func (f *FreeList) node(from, size int64) int32 {
	// Marsaglia's xorshift: any cheap sequence will do.
	f.state ^= f.state << 13
	f.state ^= f.state >> 17
	f.state ^= f.state << 5
	b := block{from: from, size: size, largest: size, priority: f.state}
	if k := len(f.spare) - 1; k >= 0 {
		i := f.spare[k]
		f.spare = f.spare[:k]
		f.blocks[i] = b
		return i
	}
	f.blocks = append(f.blocks, b)
	return int32(len(f.blocks) - 1)
}

// update sets the largest of node i from its children's.
func (f *FreeList) update(i int32) {
	b := &f.blocks[i]
	b.largest = max(b.size, f.blocks[b.left].largest, f.blocks[b.right].largest)
}

// Lowest returns the lowest multiple of align at which size bytes are free, in
// the first blocks that are large enough; ok is false where there is none.
func (f *FreeList) Lowest(size, align int64) (at int64, ok bool) {
	at, ok = f.lowestIn(f.root, size, align, size)
	if !ok && align > 1 {
		return f.lowestIn(f.root, size, align, size+align-1)
	}
	return at, ok
}

// lowestIn looks at the lowest block of at least room bytes.
func (f *FreeList) lowestIn(i int32, size, align, room int64) (int64, bool) {
	for f.blocks[i].largest >= room {
		b := &f.blocks[i]
		switch {
		case f.blocks[b.left].largest >= room:
			i = b.left
		case b.size >= room:
			at := bound.Up(b.from, align)
			return at, at+size <= b.from+b.size
		default:
			i = b.right
		}
	}
	return 0, false
}

// Highest returns the highest multiple of align at which size bytes below limit
// are free, in the highest block that has room whatever the alignment.
func (f *FreeList) Highest(size, align, limit int64) (at int64, ok bool) {
	i, ok := f.highestIn(f.root, size+align-1, limit-(size+align-1))
	if !ok {
		return 0, false
	}
	b := &f.blocks[i]
	at = min(b.from+b.size, limit) - size
	return bound.Down(at, align), true
}

// highestIn returns the highest block of at least room bytes that begins at or
// under limit.
func (f *FreeList) highestIn(i int32, room, limit int64) (int32, bool) {
	for i != 0 && f.blocks[i].largest >= room {
		b := &f.blocks[i]
		if b.from > limit {
			i = b.left
			continue
		}
		if k, ok := f.highestIn(b.right, room, limit); ok {
			return k, true
		}
		if b.size >= room {
			return i, true
		}
		i = b.left
	}
	return 0, false
}

// Tightest returns the lowest multiple of align in the smallest block that has room for
// size bytes from one on, the lowest of those; ok is false where there is none.
func (f *FreeList) Tightest(size, align int64) (at int64, ok bool) {
	least := int64(math.MaxInt64)
	return f.tightestIn(f.root, size, align, 0, &least), least < math.MaxInt64
}

// tightestIn returns the place in the smallest block below least, and lowers that; at
// where there is none.
func (f *FreeList) tightestIn(i int32, size, align, at int64, least *int64) int64 {
	for f.blocks[i].largest >= size {
		b := f.blocks[i]
		if at = f.tightestIn(b.left, size, align, at, least); *least == size {
			break
		}
		if from := bound.Up(b.from, align); b.size < *least && from+size <= b.from+b.size {
			at, *least = from, b.size
		}
		i = b.right
	}
	return at
}

// Take marks [from, from+size) as in use; it lies in one free block.
func (f *FreeList) Take(from, size int64) {
	f.root = f.takeFrom(f.root, from, size)
}

func (f *FreeList) takeFrom(i int32, from, size int64) int32 {
	b := &f.blocks[i]
	switch {
	case from < b.from:
		left := f.takeFrom(b.left, from, size)
		f.blocks[i].left = left
	case from >= b.from+b.size:
		right := f.takeFrom(b.right, from, size)
		f.blocks[i].right = right
	default:
		before, after := from-b.from, b.from+b.size-(from+size)
		switch {
		case before == 0 && after == 0:
			f.spare = append(f.spare, i)
			return f.merge(b.left, b.right)
		case before == 0:
			b.from, b.size = from+size, after
		case after == 0:
			b.size = before
		default:
			b.size = before
			right := f.insert(b.right, f.node(from+size, after))
			f.blocks[i].right = right
		}
	}
	if l := f.blocks[i].left; f.blocks[l].priority > f.blocks[i].priority && l != 0 {
		return f.rotateRight(i)
	}
	if r := f.blocks[i].right; f.blocks[r].priority > f.blocks[i].priority && r != 0 {
		return f.rotateLeft(i)
	}
	f.update(i)
	return i
}

// insert puts node k, which has no children, into the subtree at i.
func (f *FreeList) insert(i, k int32) int32 {
	if i == 0 {
		return k
	}
	if f.blocks[k].priority > f.blocks[i].priority {
		left, right := f.split(i, f.blocks[k].from)
		f.blocks[k].left, f.blocks[k].right = left, right
		f.update(k)
		return k
	}
	if f.blocks[k].from < f.blocks[i].from {
		f.blocks[i].left = f.insert(f.blocks[i].left, k)
	} else {
		f.blocks[i].right = f.insert(f.blocks[i].right, k)
	}
	f.update(i)
	return i
}

// split parts the subtree at i into the blocks below an address and the rest.
func (f *FreeList) split(i int32, at int64) (low, high int32) {
	if i == 0 {
		return 0, 0
	}
	if f.blocks[i].from < at {
		l, h := f.split(f.blocks[i].right, at)
		f.blocks[i].right = l
		f.update(i)
		return i, h
	}
	l, h := f.split(f.blocks[i].left, at)
	f.blocks[i].left = h
	f.update(i)
	return l, i
}

// merge joins two subtrees, the first of which lies below the second.
func (f *FreeList) merge(low, high int32) int32 {
	switch {
	case low == 0:
		return high
	case high == 0:
		return low
	case f.blocks[low].priority > f.blocks[high].priority:
		f.blocks[low].right = f.merge(f.blocks[low].right, high)
		f.update(low)
		return low
	}
	f.blocks[high].left = f.merge(low, f.blocks[high].left)
	f.update(high)
	return high
}

func (f *FreeList) rotateRight(i int32) int32 {
	l := f.blocks[i].left
	f.blocks[i].left, f.blocks[l].right = f.blocks[l].right, i
	f.update(i)
	f.update(l)
	return l
}

func (f *FreeList) rotateLeft(i int32) int32 {
	r := f.blocks[i].right
	f.blocks[i].right, f.blocks[r].left = f.blocks[r].left, i
	f.update(i)
	f.update(r)
	return r
}

// Give returns [from, from+size) to the free blocks and joins it with those it
// touches.
func (f *FreeList) Give(from, size int64) {
	var below, above int32 // the blocks next to it
	for i := f.root; i != 0; {
		b := &f.blocks[i]
		if b.from < from {
			below, i = i, b.right
		} else {
			above, i = i, b.left
		}
	}
	joinsBelow := below != 0 && f.blocks[below].from+f.blocks[below].size == from
	joinsAbove := above != 0 && f.blocks[above].from == from+size
	switch {
	case joinsBelow && joinsAbove:
		more := size + f.blocks[above].size
		at := f.blocks[above].from
		f.root = f.takeFrom(f.root, at, f.blocks[above].size)
		f.grow(from-1, 0, more)
	case joinsBelow:
		f.grow(from-1, 0, size)
	case joinsAbove:
		f.grow(from+size, size, size)
	default:
		f.root = f.insert(f.root, f.node(from, size))
	}
}

// grow enlarges the block that holds an address by size bytes, of which down
// bytes lie below it.
func (f *FreeList) grow(at, down, size int64) {
	for i := f.root; ; {
		b := &f.blocks[i]
		// No block grows beyond a neighbour, so the order stays; the largest on
		// the way may rise only.
		switch {
		case at < b.from:
			i = b.left
		case at >= b.from+b.size:
			i = b.right
		default:
			b.from -= down
			b.size += size
			f.raise(b.from, b.size)
			return
		}
	}
}

// raise lifts the largest of all nodes from the root to the block at from.
func (f *FreeList) raise(from, size int64) {
	for i := f.root; ; {
		b := &f.blocks[i]
		b.largest = max(b.largest, size)
		switch {
		case from < b.from:
			i = b.left
		case from > b.from:
			i = b.right
		default:
			return
		}
	}
}
